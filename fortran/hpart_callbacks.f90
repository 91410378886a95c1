! The procedures that hpart calls back, with the signatures of hpart_c. Each is bind(C); a result that is not 0 stops the call.
! Declare yours recursive, because gfortran may keep large local variables of other procedures in static storage, which is a race
! when processors run at the same time.
!   hpart_progress          fraction: share done, or -1 if unknown; hpart_text(what) is the current step. Stops the call with
!                           HPART_ERR_CANCELLED
!   hpart_free              frees user when the library no longer needs it
!   hpart_complexity        operations of a problem of that size
!   hpart_kernel            runs one problem of that size. Stops the call with HPART_ERR_CALLBACK
!   hpart_pipeline_kernel   runs a step of a pipeline, which hpart_step_index and its like describe. Stops it with HPART_ERR_CALLBACK
!   hpart_gemm_enqueue      adds a product, which the hpart_product describes, to a queue, or computes it on the host. Stops the call
!                           with HPART_ERR_CALLBACK
!   hpart_meter_read        reads a meter: joules or watts, and the time on its clock; also on threads of the library. Fails the
!                           window with HPART_ERR_CALLBACK
module hpart_callbacks
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_ptr, c_size_t
  use hpart_c, only: hpart_progress, hpart_free, hpart_complexity, hpart_kernel, hpart_pipeline_kernel, hpart_meter_read, &
      hpart_gemm_enqueue, hpart_product
  implicit none
  private
  public :: hpart_progress, hpart_free, hpart_complexity, hpart_kernel, hpart_pipeline_kernel, hpart_meter_read, &
      hpart_gemm_enqueue, hpart_product, hpart_text

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
