! Two processors whose time is known at four sizes: who gets how much of 12 units, so that the work is done first?
program first
  use hpart
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  type(hpart_platform) :: platform
  integer :: x(2)
  real(dp) :: seconds

  call hpart_platform_create(2, platform)
  call hpart_platform_set_time_function(platform, 1, [2, 4, 8, 10], [1.0_dp, 2.0_dp, 5.0_dp, 7.0_dp])
  call hpart_platform_set_time_function(platform, 2, [2, 4, 8, 10], [2.0_dp, 2.1_dp, 2.5_dp, 6.0_dp])
  call hpart_partition_time(platform, 12, x, seconds)       ! a failure stops with its message; ierr= gets it instead
  print '(a,i0,a,i0,a,f0.1,a)', 'CPU ', x(1), ', GPU ', x(2), ': ', seconds, ' s'            ! CPU 4, GPU 8: 2.5 s
end program
