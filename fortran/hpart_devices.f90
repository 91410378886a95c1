! Devices and their pinned memory.
module hpart_devices
  use, intrinsic :: iso_c_binding, only: c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use hpart_c
  use hpart_constants
  use hpart_failures
  use hpart_handles
  implicit none
  private
  public :: hpart_device_open, hpart_alloc_pinned, hpart_free_pinned

  interface hpart_alloc_pinned
    procedure alloc_32, alloc_64
  end interface

contains

  subroutine hpart_device_open(spec, device, ierr, options)
    character(len=*), intent(in) :: spec
    type(hpart_device), intent(inout) :: device
    integer(int32), intent(out), optional :: ierr
    type(hpart_options), intent(in), optional :: options
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_device_open(c_string(spec), handle_of(options), handle)
    call adopt(device, handle)
    call finish(status, ierr)
  end subroutine

  ! Null on failure, with hpart_last_error set; c_f_pointer makes an array of it. Valid until the device is closed.
  type(c_ptr) function alloc_64(device, bytes) result(memory)
    type(hpart_device), intent(in) :: device
    integer(int64), intent(in) :: bytes
    memory = c_alloc_pinned(c_handle(device), bytes)
  end function

  type(c_ptr) function alloc_32(device, bytes) result(memory)
    type(hpart_device), intent(in) :: device
    integer(int32), intent(in) :: bytes
    memory = alloc_64(device, int(bytes, int64))
  end function

  subroutine hpart_free_pinned(device, memory)
    type(hpart_device), intent(in) :: device
    type(c_ptr), intent(in) :: memory
    call c_free_pinned(c_handle(device), memory)
  end subroutine

end module
