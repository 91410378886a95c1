! Shared by the operations of all types: letters of the BLAS, arrays for C, checks of shapes.
module hpart_operands
  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use hpart_constants
  use hpart_failures
  implicit none
  private
  public :: operand, matrix_at, vector_at, trans_of, uplo_of, side_of, diag_of, check_matrix, check_vector, check_length, &
      check_transform, keep_pivots, is_plain

  ! A vector has one column, and ld is its increment.
  type :: operand
    type(c_ptr) :: address = c_null_ptr
    integer(int64) :: rows = 0, columns = 1, ld = 1
    logical :: has_gaps = .false.   ! within a column
  end type

contains

  ! From the addresses of its first element, the one below and the one to the right (the first again where there is none).
  pure function matrix_at(first, below, right, rows, columns, element_bytes) result(found)
    type(c_ptr), intent(in) :: first, below, right
    integer(int64), intent(in) :: rows, columns, element_bytes
    type(operand) :: found
    integer(int64) :: pitch
    found%rows = rows
    found%columns = columns
    found%ld = max(rows, 1_int64)
    found%address = first
    if (rows > 1) found%has_gaps = distance(first, below) /= element_bytes
    if (columns > 1) then
      pitch = distance(first, right)
      found%has_gaps = found%has_gaps .or. pitch < 0 .or. mod(pitch, element_bytes) /= 0
      found%ld = pitch / element_bytes
    end if
  end function

  ! From the addresses of its first and second element (the first again where there is none), and of its last one.
  pure function vector_at(first, second, last, length, element_bytes) result(found)
    type(c_ptr), intent(in) :: first, second, last
    integer(int64), intent(in) :: length, element_bytes
    type(operand) :: found
    found%rows = length
    found%address = first
    if (length < 2) return
    found%ld = distance(first, second) / element_bytes
    found%has_gaps = found%ld == 0 .or. mod(distance(first, second), element_bytes) /= 0
    if (found%ld < 0) found%address = last   ! as the BLAS: the lowest address
  end function

  pure integer(int64) function distance(from, to)
    type(c_ptr), intent(in) :: from, to
    integer(c_intptr_t) :: place
    distance = transfer(to, place) - transfer(from, place)
  end function

  pure logical function is_plain(trans)
    integer(int32), intent(in) :: trans
    is_plain = trans == HPART_NO_TRANSPOSE
  end function

  ! The value that belongs to a letter, of either case.
  function chosen(text, argument, letters, values, value) result(status)
    character(len=*), intent(in) :: text, argument, letters
    integer(int32), intent(in) :: values(:)
    integer(int32), intent(out) :: value
    integer(int32) :: status
    character(len=:), allocatable :: list
    integer :: k
    value = 0
    status = HPART_SUCCESS
    do k = 1, len(letters)
      if (text == letters(k:k) .or. text == achar(iachar(letters(k:k)) + 32)) then
        value = values(k)
        return
      end if
    end do
    list = "'"//letters(1:1)//"'"
    do k = 2, len(letters) - 1
      list = list//", '"//letters(k:k)//"'"
    end do
    k = len(letters)
    status = refuse(argument//" is '"//text//"'; it must be "//list//" or '"//letters(k:k)//"'")
  end function

  function trans_of(text, argument, value) result(status)
    character(len=*), intent(in) :: text, argument
    integer(int32), intent(out) :: value
    integer(int32) :: status
    status = chosen(text, argument, 'NTC', [HPART_NO_TRANSPOSE, HPART_TRANSPOSE, HPART_CONJUGATE_TRANSPOSE], value)
  end function

  function uplo_of(text, value) result(status)
    character(len=*), intent(in) :: text
    integer(int32), intent(out) :: value
    integer(int32) :: status
    status = chosen(text, 'uplo', 'UL', [HPART_UPPER, HPART_LOWER], value)
  end function

  function side_of(text, value) result(status)
    character(len=*), intent(in) :: text
    integer(int32), intent(out) :: value
    integer(int32) :: status
    status = chosen(text, 'side', 'LR', [HPART_LEFT, HPART_RIGHT], value)
  end function

  function diag_of(text, value) result(status)
    character(len=*), intent(in) :: text
    integer(int32), intent(out) :: value
    integer(int32) :: status
    status = chosen(text, 'diag', 'NU', [HPART_NON_UNIT, HPART_UNIT], value)
  end function

  ! rows and columns are those that it must have.
  function check_matrix(matrix, argument, rows, columns) result(status)
    type(operand), intent(in) :: matrix
    character(len=*), intent(in) :: argument
    integer(int64), intent(in) :: rows, columns
    integer(int32) :: status
    status = HPART_SUCCESS
    if (matrix%has_gaps) then
      status = refuse(argument//' has columns that are not contiguous; the elements of a column must follow each other')
    else if (matrix%rows /= rows .or. matrix%columns /= columns) then
      status = refuse(argument//' is '//by(matrix%rows, matrix%columns)//'; it must be '//by(rows, columns))
    end if
  end function

  function check_vector(vector, argument, length) result(status)
    type(operand), intent(in) :: vector
    character(len=*), intent(in) :: argument
    integer(int64), intent(in) :: length
    integer(int32) :: status
    status = HPART_SUCCESS
    if (vector%has_gaps) then
      status = refuse(argument//' has elements at distances that are no multiple of their size')
    else
      status = check_length(vector%rows, argument, length)
    end if
  end function

  function check_length(found, argument, length) result(status)
    integer(int64), intent(in) :: found, length
    character(len=*), intent(in) :: argument
    integer(int32) :: status
    status = HPART_SUCCESS
    if (found /= length) &
        status = refuse(argument//' has '//digits_of(found)//' elements; it must have '//digits_of(length))
  end function

  ! Arrays of a transform in the first `rank` dimensions, all of them when it is absent; the rest are batches.
  function check_transform(sizes, out_sizes, expected, rank, used) result(status)
    integer(int64), intent(in) :: sizes(:), out_sizes(:), expected(:)
    integer(int32), intent(in), optional :: rank
    integer(int32), intent(out) :: used
    integer(int32) :: status
    integer :: k
    used = int(size(sizes), int32)
    if (present(rank)) used = rank
    status = HPART_SUCCESS
    if (used < 1 .or. used > size(sizes)) then
      status = refuse('rank is '//digits_of(int(used, int64))//'; it must be from 1 to '//digits_of(size(sizes, kind=int64)))
      return
    end if
    do k = 1, size(sizes)
      if (out_sizes(k) /= expected(k)) then
        status = refuse('dimension '//digits_of(int(k, int64))//' of out has '//digits_of(out_sizes(k))// &
            ' elements; it must have '//digits_of(expected(k)))
        return
      end if
    end do
  end function

  ! Pivots are written where the factors are.
  subroutine keep_pivots(status, wide, pivots)
    integer(int32), intent(in) :: status
    integer(int64), intent(in) :: wide(:)
    integer(int32), intent(inout) :: pivots(:)
    if (status == HPART_SUCCESS .or. status == HPART_ERR_NUMERICAL) pivots = int(wide, int32)
  end subroutine

  function by(rows, columns) result(text)
    integer(int64), intent(in) :: rows, columns
    character(len=:), allocatable :: text
    text = digits_of(rows)//' x '//digits_of(columns)
  end function

end module
