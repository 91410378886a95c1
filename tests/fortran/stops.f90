! Without ierr a failure stops the program with the library's message.
program stops
  use hpart
  implicit none
  type(hpart_platform) :: platform
  call hpart_platform_read('no/such/file.csv', platform)
  print '(a)', 'it went on'
end program
