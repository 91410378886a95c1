! hpart.h as it is, for the other modules: shapes, shares, families and matrices. Arguments that may be NULL are plain c_ptr.
module hpart_c_models
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int32_t, c_int64_t, c_ptr
  implicit none
  public

  interface
    function c_platform_report_shape(platform, processor, complexity, user, report) &
        bind(C, name='hpart_platform_report_shape') result(status)
      import
      type(c_ptr), value :: platform, user
      integer(c_int64_t), value :: processor
      type(c_funptr), value :: complexity
      type(c_ptr), intent(inout) :: report
      integer(c_int32_t) :: status
    end function

    function c_shares_compute(processors, x, shares) bind(C, name='hpart_shares_compute') result(status)
      import
      integer(c_int64_t), value :: processors
      integer(c_int64_t), intent(in) :: x(*)
      real(c_double), intent(inout) :: shares(*)
      integer(c_int32_t) :: status
    end function

    function c_family_create(family) bind(C, name='hpart_family_create') result(status)
      import
      type(c_ptr), intent(inout) :: family
      integer(c_int32_t) :: status
    end function

    subroutine c_family_destroy(family) bind(C, name='hpart_family_destroy')
      import
      type(c_ptr), value :: family
    end subroutine

    function c_family_add(family, parameter, platform) bind(C, name='hpart_family_add') result(status)
      import
      type(c_ptr), value :: family, platform
      integer(c_int64_t), value :: parameter
      integer(c_int32_t) :: status
    end function

    function c_family_count(family) bind(C, name='hpart_family_count') result(number)
      import
      type(c_ptr), value :: family
      integer(c_int64_t) :: number
    end function

    function c_family_get_parameters(family, parameters, capacity, needed) &
        bind(C, name='hpart_family_get_parameters') result(status)
      import
      type(c_ptr), value :: family, parameters
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: needed
      integer(c_int32_t) :: status
    end function

    function c_family_slice(family, parameter, options, platform) bind(C, name='hpart_family_slice') result(status)
      import
      type(c_ptr), value :: family, options
      integer(c_int64_t), value :: parameter
      type(c_ptr), intent(inout) :: platform
      integer(c_int32_t) :: status
    end function

    function c_family_read(path, family) bind(C, name='hpart_family_read') result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(inout) :: family
      integer(c_int32_t) :: status
    end function

    function c_family_write(family, path) bind(C, name='hpart_family_write') result(status)
      import
      type(c_ptr), value :: family
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int32_t) :: status
    end function

    function c_matrix_partition(processors, areas, rows, columns, first_rows, first_columns, heights, widths, report) &
        bind(C, name='hpart_matrix_partition') result(status)
      import
      integer(c_int64_t), value :: processors, rows, columns
      real(c_double), intent(in) :: areas(*)
      integer(c_int64_t), intent(inout) :: first_rows(*), first_columns(*), heights(*), widths(*)
      type(c_ptr), value :: report
      integer(c_int32_t) :: status
    end function
  end interface

end module
