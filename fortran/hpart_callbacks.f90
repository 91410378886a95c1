! The shapes of the procedures that hpart calls back. Each is bind(C); declare yours recursive, because gfortran may keep large
! local variables of other procedures in static storage, which is a race when processors run at the same time.
module hpart_callbacks
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_int, c_int64_t, c_ptr, c_size_t
  implicit none
  private
  public :: hpart_progress, hpart_free, hpart_complexity, hpart_kernel, hpart_pipeline_kernel, &
      hpart_meter_read, hpart_text

  abstract interface
    ! fraction: done of 1, or -1 when unknown; what: hpart_text(what) is what is being done. A result that is not 0 stops the
    ! call with HPART_ERR_CANCELLED.
    function hpart_progress(fraction, what, user) bind(C) result(stop_now)
      import
      real(c_double), value :: fraction
      type(c_ptr), value :: what, user
      integer(c_int) :: stop_now
    end function

    ! Frees user when the library no longer needs it.
    subroutine hpart_free(user) bind(C)
      import
      type(c_ptr), value :: user
    end subroutine

    ! Operations of a problem of that size. A result that is not 0 stops the setter.
    function hpart_complexity(size, operations, user) bind(C) result(failed)
      import
      integer(c_int64_t), value :: size
      real(c_double), intent(out) :: operations
      type(c_ptr), value :: user
      integer(c_int) :: failed
    end function

    ! Runs one problem of that size. A result that is not 0 stops the call with HPART_ERR_CALLBACK.
    function hpart_kernel(size, user) bind(C) result(failed)
      import
      integer(c_int64_t), value :: size
      type(c_ptr), value :: user
      integer(c_int) :: failed
    end function

    ! Runs a pipeline's step, of which hpart_step_index and its like tell. A result that is not 0 stops the call with
    ! HPART_ERR_CALLBACK.
    function hpart_pipeline_kernel(step, user) bind(C) result(failed)
      import
      type(c_ptr), value :: step, user
      integer(c_int) :: failed
    end function

    ! Reads a meter: joules or watts, and the time on its clock. Called on threads of the library's too. A result that is not 0
    ! fails the window with HPART_ERR_CALLBACK.
    function hpart_meter_read(user, value, time_seconds) bind(C) result(failed)
      import
      type(c_ptr), value :: user
      real(c_double), intent(out) :: value, time_seconds
      integer(c_int) :: failed
    end function
  end interface

  interface
    pure function c_strlen(text) bind(C, name='strlen') result(length)
      import
      type(c_ptr), value, intent(in) :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  ! A text of C as Fortran's.
  function hpart_text(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(len=:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer :: k
    call c_f_pointer(text, letters, [c_strlen(text)])
    allocate(character(len=size(letters)) :: copy)
    do k = 1, size(letters)
      copy(k:k) = letters(k)
    end do
  end function

end module
