! A program outside hpart's tree.
program consumer
  use hpart
  implicit none
  type(hpart_platform) :: platform
  type(hpart_device) :: device
  double precision :: seconds, a(2, 2), c(2, 2)
  integer :: ierr
  call hpart_platform_create(2, platform)
  call hpart_platform_set_time_function(platform, 1, [1, 2, 3], [1d0, 2d0, 3d0])
  call hpart_platform_set_time_function(platform, 2, [1, 2, 3], [0.5d0, 0.75d0, 4d0])
  call hpart_platform_evaluate(platform, [1, 2], seconds)
  if (seconds /= 1d0) error stop 1
  a = 2
  call hpart_device_open('host', device)
  call hpart_gemm(device, 'N', 'N', 1d0, a, a, 0d0, c, ierr)
  if (ierr == HPART_SUCCESS .and. any(c /= 8)) error stop 2
  if (ierr /= HPART_SUCCESS .and. ierr /= HPART_ERR_UNSUPPORTED) error stop 3
end program
