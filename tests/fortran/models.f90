! Shapes, slices, shares and matrices over both integer kinds.
module model_callbacks
  use, intrinsic :: iso_c_binding
  implicit none
contains
  recursive function cube(size, operations, user) bind(C) result(failed)
    integer(c_int64_t), value :: size
    real(c_double), intent(out) :: operations
    type(c_ptr), value :: user
    integer(c_int) :: failed
    operations = real(size, c_double)**3
    failed = merge(0, 1, .not. c_associated(user))
  end function
end module

program models
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use hpart
  use check
  use model_callbacks
  implicit none

  call shapes()
  call slices()
  call shares_and_matrices()
  call finish_checks()

contains

  subroutine make(platform)
    type(hpart_platform), intent(inout) :: platform
    call hpart_platform_create(1, platform)
    call hpart_platform_set_time_function(platform, 1, [1, 2, 3, 4], [1.0_real64, 4.0_real64, 2.0_real64, 8.0_real64])
  end subroutine

  subroutine shapes()
    type(hpart_platform) :: platform
    type(hpart_report) :: report
    integer :: falls
    real(real64) :: variation
    integer(int32) :: ierr
    call make(platform)
    call hpart_platform_report_shape(platform, 1, report)
    call hpart_report_get(report, 'time_falls', falls)
    call hpart_report_get(report, 'time_variation', variation)
    call expect(falls == 1 .and. variation == 100.0_real64, 'shape')
    call expect(hpart_report_type(report, 'time_variation') == HPART_REPORT_DOUBLE, 'type of a real')
    call expect(hpart_report_type(report, 'no such key') == -1, 'type of nothing')
    call hpart_platform_report_shape(platform, 1_int64, report, complexity=cube)
    call hpart_report_get(report, 'speed_falls', falls)
    call expect(falls == 1, 'shape with a complexity')
    call hpart_platform_report_shape(platform, 2, report, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'from 1 to 1', hpart_last_error())
  end subroutine

  subroutine slices()
    character(len=*), parameter :: path = 'fortran_models_test.csv'
    type(hpart_platform) :: slice
    type(hpart_options) :: options
    integer, allocatable :: sizes(:)
    real(real64), allocatable :: seconds(:)
    integer(int32) :: ierr
    open (10, file=path)
    write (10, '(a)') 'parameter,processor,size,time', '300,CPU,1,2', '300,CPU,2,8', '100,CPU,1,1', '100,CPU,2,4'
    close (10)
    call hpart_platform_read_slice(path, 200, slice, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, '100 below and 300 above', hpart_last_error())
    call hpart_options_create(options)
    call hpart_options_set(options, 'interpolate', 'linear')
    call hpart_platform_read_slice(path, 200_int64, slice, options=options)
    call hpart_platform_get_function(slice, 1, sizes, seconds)
    call expect(all(seconds == [1.5_real64, 6.0_real64]), 'between two slices')
    open (10, file=path)
    close (10, status='delete')
  end subroutine

  subroutine shares_and_matrices()
    real(real64) :: shares(4), ratio
    integer, dimension(4) :: first_rows, first_columns, heights, widths
    integer(int64), dimension(4) :: top, left, height, width
    type(hpart_report) :: report
    integer :: filled(10, 20), k
    integer(int32) :: ierr
    call hpart_shares_compute([2, 0, 4, 2], shares)
    call expect(all(shares == [0.25_real64, 0.0_real64, 0.5_real64, 0.25_real64]), 'shares')
    call hpart_shares_compute([2_int64, 6_int64], shares(:2))
    call expect(shares(1) == 0.25_real64, 'shares over int64')
    call hpart_shares_compute([1, 2], shares, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'as many as x: 2', hpart_last_error())
    call hpart_shares_compute([2, 0, 4, 2], shares)
    call hpart_matrix_partition(shares, 10, 20, first_rows, first_columns, heights, widths, report=report)
    filled = 0
    do k = 1, 4
      associate (rows => filled(first_rows(k):first_rows(k) + heights(k) - 1, &
          first_columns(k):first_columns(k) + widths(k) - 1))
        rows = rows + 1
      end associate
    end do
    call expect(all(filled == 1), 'rectangles tile')
    call hpart_report_get(report, 'ratio', ratio)
    call expect(ratio >= 1, 'ratio')
    call hpart_matrix_partition(shares, 10_int64, 20_int64, top, left, height, width)
    call expect(all(top == first_rows) .and. all(left == first_columns) .and. all(height == heights) &
        .and. all(width == widths), 'the same over int64')
    call hpart_matrix_partition(shares, 10, 20, first_rows(:3), first_columns, heights, widths, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'first_rows', hpart_last_error())
  end subroutine

end program
