! For FORTRAN 77 programs: external procedures whose handles are INTEGER*8. Sizes are INTEGER*8, times and energies DOUBLE
! PRECISION, IERR is INTEGER*4, texts CHARACTER*(*), processors count from 1. HPART_F77_LAST_ERROR tells what was wrong.
! A handle is 0 until a call has made it; HPART_F77_PLATFORM_DESTROY sets it to 0 again.
subroutine hpart_f77_last_error(text)
  use hpart_failures, only: hpart_last_error
  implicit none
  character(len=*), intent(out) :: text
  text = hpart_last_error()
end subroutine

subroutine hpart_f77_platform_create(processors, platform, ierr)
  use hpart_common
  implicit none
  integer(int64), intent(in) :: processors
  integer(int64), intent(inout) :: platform
  integer(int32), intent(out) :: ierr
  type(c_ptr) :: handle
  handle = c_null_ptr
  call finish(c_platform_create(processors, handle), ierr)
  if (ierr == HPART_SUCCESS) platform = transfer(handle, platform)
end subroutine

subroutine hpart_f77_platform_read(path, platform, ierr)
  use hpart_common
  implicit none
  character(len=*), intent(in) :: path
  integer(int64), intent(inout) :: platform
  integer(int32), intent(out) :: ierr
  type(c_ptr) :: handle
  handle = c_null_ptr
  call finish(c_platform_read(c_string(path), handle), ierr)
  if (ierr == HPART_SUCCESS) platform = transfer(handle, platform)
end subroutine

subroutine hpart_f77_platform_write(platform, path, ierr)
  use hpart_common
  implicit none
  integer(int64), intent(in) :: platform
  character(len=*), intent(in) :: path
  integer(int32), intent(out) :: ierr
  call finish(c_platform_write(transfer(platform, c_null_ptr), c_string(path)), ierr)
end subroutine

subroutine hpart_f77_platform_destroy(platform)
  use hpart_common
  implicit none
  integer(int64), intent(inout) :: platform
  call c_platform_destroy(transfer(platform, c_null_ptr))
  platform = 0
end subroutine

! -1 for the handle 0.
subroutine hpart_f77_platform_processors(platform, processors)
  use hpart_common
  implicit none
  integer(int64), intent(in) :: platform
  integer(int64), intent(out) :: processors
  processors = c_platform_processors(transfer(platform, c_null_ptr))
end subroutine

subroutine hpart_f77_platform_set_time(platform, processor, points, sizes, seconds, ierr)
  use hpart_common
  implicit none
  integer(int64), intent(in) :: platform, processor, points, sizes(*)
  real(real64), intent(in) :: seconds(*)
  integer(int32), intent(out) :: ierr
  type(c_ptr) :: handle
  handle = transfer(platform, handle)
  ierr = check_index(processor, c_platform_processors(handle), 'PROCESSOR', 'the platform')
  if (ierr == HPART_SUCCESS) ierr = c_platform_set_time_function(handle, processor - 1, points, sizes, seconds)
  call finish((ierr), ierr)
end subroutine

subroutine hpart_f77_platform_set_energy(platform, processor, points, sizes, joules, ierr)
  use hpart_common
  implicit none
  integer(int64), intent(in) :: platform, processor, points, sizes(*)
  real(real64), intent(in) :: joules(*)
  integer(int32), intent(out) :: ierr
  type(c_ptr) :: handle
  handle = transfer(platform, handle)
  ierr = check_index(processor, c_platform_processors(handle), 'PROCESSOR', 'the platform')
  if (ierr == HPART_SUCCESS) ierr = c_platform_set_energy_function(handle, processor - 1, points, sizes, joules)
  call finish((ierr), ierr)
end subroutine

subroutine hpart_f77_platform_set_base_power(platform, watts, ierr)
  use hpart_common
  implicit none
  integer(int64), intent(in) :: platform
  real(real64), intent(in) :: watts
  integer(int32), intent(out) :: ierr
  call finish(c_platform_set_base_power(transfer(platform, c_null_ptr), watts), ierr)
end subroutine

subroutine hpart_f77_platform_evaluate(platform, x, seconds, ierr)
  use hpart_common
  implicit none
  integer(int64), intent(in) :: platform, x(*)
  real(real64), intent(inout), target :: seconds
  integer(int32), intent(out) :: ierr
  call finish(c_platform_evaluate(transfer(platform, c_null_ptr), x, c_loc(seconds), c_null_ptr), ierr)
end subroutine

! X has one entry a processor.
subroutine hpart_f77_partition_time(platform, size, x, seconds, ierr)
  use hpart_common
  implicit none
  integer(int64), intent(in) :: platform, size
  integer(int64), intent(inout) :: x(*)
  real(real64), intent(inout) :: seconds
  integer(int32), intent(out) :: ierr
  call finish(c_partition_time(transfer(platform, c_null_ptr), size, c_null_ptr, x, seconds), ierr)
end subroutine

subroutine hpart_f77_partition_energy(platform, size, x, joules, ierr)
  use hpart_common
  implicit none
  integer(int64), intent(in) :: platform, size
  integer(int64), intent(inout) :: x(*)
  real(real64), intent(inout) :: joules
  integer(int32), intent(out) :: ierr
  call finish(c_partition_energy(transfer(platform, c_null_ptr), size, c_null_ptr, x, joules), ierr)
end subroutine

subroutine hpart_f77_partition_total(platform, size, x, joules, ierr)
  use hpart_common
  implicit none
  integer(int64), intent(in) :: platform, size
  integer(int64), intent(inout) :: x(*)
  real(real64), intent(inout) :: joules
  integer(int32), intent(out) :: ierr
  call finish(c_partition_total_energy(transfer(platform, c_null_ptr), size, c_null_ptr, x, joules), ierr)
end subroutine
