! Without ierr a failure stops the program with the library's message alone; earlier output stays.
program stops
  use hpart
  implicit none
  type(hpart_platform) :: platform
  write (*, '(a)', advance='no') 'before '
  call hpart_platform_read('no/such/file.csv', platform)
  print '(a)', 'it went on'
end program
