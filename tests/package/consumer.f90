! A program outside hpart's tree.
program consumer
  use hpart
  implicit none
  type(hpart_platform) :: platform
  double precision :: seconds
  call hpart_platform_create(2, platform)
  call hpart_platform_set_time_function(platform, 1, [1, 2, 3], [1d0, 2d0, 3d0])
  call hpart_platform_set_time_function(platform, 2, [1, 2, 3], [0.5d0, 0.75d0, 4d0])
  call hpart_platform_evaluate(platform, [1, 2], seconds)
  if (seconds /= 1d0) error stop 1
end program
