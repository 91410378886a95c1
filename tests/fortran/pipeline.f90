! Squares a matrix's elements block by block on the host device; every call of a pipeline, and its failures.
module squaring
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_f_pointer, c_int, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use hpart, only: hpart_step_index, hpart_step_memory, hpart_step_queue
  implicit none
  integer(int64) :: last_index = 0
contains
  recursive function square(step, user) bind(C) result(failed)
    type(c_ptr), value :: step, user
    integer(c_int) :: failed
    real(c_double), pointer :: from(:), to(:)
    integer(int64), pointer :: count
    call c_f_pointer(user, count)
    call c_f_pointer(hpart_step_memory(step, 1), from, [count])
    call c_f_pointer(hpart_step_memory(step, 2_int64), to, [count])
    to = from**2
    failed = 0
    last_index = hpart_step_index(step)
    if (c_associated(hpart_step_queue(step)) .or. c_associated(hpart_step_memory(step, 3))) failed = 1
  end function

  recursive function refuse(step, user) bind(C) result(failed)
    type(c_ptr), value :: step, user
    integer(c_int) :: failed
    failed = 7
  end function
end module

program pipeline_test
  use, intrinsic :: iso_c_binding, only: c_double, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use check
  use hpart
  use squaring
  implicit none
  integer, parameter :: rows = 30, columns = 40, tile = 10
  real(c_double), target :: a(rows, columns), b(rows, columns)
  integer(int64), target :: count = tile*tile
  type(hpart_device) :: device
  type(hpart_pipeline) :: pipeline
  type(hpart_report) :: report
  type(c_ptr) :: handle
  integer(int32) :: ierr
  integer :: from, i, j
  integer(int64) :: to, bytes

  do j = 1, columns
    do i = 1, rows
      a(i, j) = i - 3*j
    end do
  end do
  b = -1
  call hpart_device_open('host', device)
  call hpart_pipeline_create(device, pipeline)
  call hpart_pipeline_add_array(pipeline, 8*tile*tile, 0, from)
  call hpart_pipeline_add_array(pipeline, int(8*tile*tile, int64), 2_int64, to)
  do j = 1, columns, tile
    do i = 1, rows, tile
      call hpart_pipeline_read(pipeline, from, c_loc(a(i, j)), tile, 8*tile, 8*rows)
      call hpart_pipeline_write(pipeline, to, c_loc(b(i, j)), int(tile, int64), 8_int64*tile, 8_int64*rows)
      call hpart_pipeline_end_step(pipeline)
    end do
  end do
  call hpart_pipeline_run(pipeline, square, user=c_loc(count), report=report)
  call expect(all(b == a**2), 'every element is squared')
  call expect(last_index == 12, 'steps count from 1')
  call hpart_report_get_int(report, 'bytes_to_device', bytes)
  call expect(bytes == 8*rows*columns, 'each block came once')

  call hpart_pipeline_run(pipeline, refuse, ierr)
  call expect(ierr == HPART_ERR_CALLBACK, 'a kernel that says stop')
  call expect(index(hpart_last_error(), 'returned 7') > 0, 'its result is told')
  call hpart_pipeline_update(pipeline, to, c_loc(b(1, 1)), int(tile, int64), 8_int64*tile, 8_int64*rows)
  call hpart_pipeline_update(pipeline, from, c_loc(b(2, 2)), tile, 8*tile, 8*rows)
  call hpart_pipeline_end_step(pipeline, ierr)
  call expect(ierr == HPART_ERR_INVALID_ARGUMENT, 'blocks of a step that overlap')
  handle = c_null_ptr
  call hpart_device_native(device, 1, 'cl_context', handle, ierr)
  call expect(ierr == HPART_ERR_UNSUPPORTED, 'the host has no context')
  call hpart_pipeline_destroy(pipeline)
  call hpart_device_close(device)
  call finish_checks()
end program
