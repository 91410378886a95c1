! hpart.h as it is, for the other modules: self-adaptable applications.
module hpart_c_adaptive
  use, intrinsic :: iso_c_binding, only: c_double, c_int32_t, c_int64_t, c_ptr
  implicit none
  public

  interface
    function c_adaptive_create(processors, size, options, adaptive) bind(C, name='hpart_adaptive_create') result(status)
      import
      integer(c_int64_t), value :: processors, size
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: adaptive
      integer(c_int32_t) :: status
    end function

    subroutine c_adaptive_destroy(adaptive) bind(C, name='hpart_adaptive_destroy')
      import
      type(c_ptr), value :: adaptive
    end subroutine

    function c_adaptive_processors(adaptive) bind(C, name='hpart_adaptive_processors') result(number)
      import
      type(c_ptr), value :: adaptive
      integer(c_int64_t) :: number
    end function

    function c_adaptive_set_limits(adaptive, processor, smallest, largest) bind(C, name='hpart_adaptive_set_limits') &
        result(status)
      import
      type(c_ptr), value :: adaptive
      integer(c_int64_t), value :: processor, smallest, largest
      integer(c_int32_t) :: status
    end function

    function c_adaptive_set_size(adaptive, size) bind(C, name='hpart_adaptive_set_size') result(status)
      import
      type(c_ptr), value :: adaptive
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: status
    end function

    function c_adaptive_start_from(adaptive, platform) bind(C, name='hpart_adaptive_start_from') result(status)
      import
      type(c_ptr), value :: adaptive, platform
      integer(c_int32_t) :: status
    end function

    function c_adaptive_distribution(adaptive, x) bind(C, name='hpart_adaptive_distribution') result(status)
      import
      type(c_ptr), value :: adaptive
      integer(c_int64_t), intent(inout) :: x(*)
      integer(c_int32_t) :: status
    end function

    function c_adaptive_update(adaptive, x, seconds) bind(C, name='hpart_adaptive_update') result(status)
      import
      type(c_ptr), value :: adaptive
      integer(c_int64_t), intent(in) :: x(*)
      real(c_double), intent(in) :: seconds(*)
      integer(c_int32_t) :: status
    end function

    function c_adaptive_converged(adaptive) bind(C, name='hpart_adaptive_converged') result(converged)
      import
      type(c_ptr), value :: adaptive
      integer(c_int32_t) :: converged
    end function

    function c_adaptive_functions(adaptive, platform) bind(C, name='hpart_adaptive_functions') result(status)
      import
      type(c_ptr), value :: adaptive
      type(c_ptr), intent(inout) :: platform
      integer(c_int32_t) :: status
    end function

    function c_adaptive_report(adaptive, report) bind(C, name='hpart_adaptive_report') result(status)
      import
      type(c_ptr), value :: adaptive
      type(c_ptr), intent(inout) :: report
      integer(c_int32_t) :: status
    end function
  end interface

end module
