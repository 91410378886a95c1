! The calls of transforms, by the sizes of Fortran's arrays. Each C function is called in this module alone: gfortran 12 forgets
! that its arguments go by value when several modules of one file call it.
module hpart_transforms
  use, intrinsic :: iso_c_binding, only: c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use hpart_c, only: c_cfft, c_zfft, c_sfft_r2c, c_dfft_r2c, c_sfft_c2r, c_dfft_c2r
  implicit none
  private
  public :: cfft, zfft, sfft_r2c, dfft_r2c, sfft_c2r, dfft_c2r

contains

  ! dims: how many of the sizes, from the first one on, are dimensions of the transform; the rest are batches.
  function cfft(device, dims, sizes, sign, in, out, options, report) result(status)
    type(c_ptr), intent(in) :: device, in, out, options, report
    integer(int32), intent(in) :: dims, sign
    integer(int64), intent(in) :: sizes(:)
    integer(int32) :: status
    status = c_cfft(device, int(dims, int64), sizes(dims:1:-1), product(sizes(dims + 1:)), sign, in, out, options, report)
  end function

  function zfft(device, dims, sizes, sign, in, out, options, report) result(status)
    type(c_ptr), intent(in) :: device, in, out, options, report
    integer(int32), intent(in) :: dims, sign
    integer(int64), intent(in) :: sizes(:)
    integer(int32) :: status
    status = c_zfft(device, int(dims, int64), sizes(dims:1:-1), product(sizes(dims + 1:)), sign, in, out, options, report)
  end function

  function sfft_r2c(device, dims, sizes, in, out, options, report) result(status)
    type(c_ptr), intent(in) :: device, in, out, options, report
    integer(int32), intent(in) :: dims
    integer(int64), intent(in) :: sizes(:)
    integer(int32) :: status
    status = c_sfft_r2c(device, int(dims, int64), sizes(dims:1:-1), product(sizes(dims + 1:)), in, out, options, report)
  end function

  function dfft_r2c(device, dims, sizes, in, out, options, report) result(status)
    type(c_ptr), intent(in) :: device, in, out, options, report
    integer(int32), intent(in) :: dims
    integer(int64), intent(in) :: sizes(:)
    integer(int32) :: status
    status = c_dfft_r2c(device, int(dims, int64), sizes(dims:1:-1), product(sizes(dims + 1:)), in, out, options, report)
  end function

  function sfft_c2r(device, dims, sizes, in, out, options, report) result(status)
    type(c_ptr), intent(in) :: device, in, out, options, report
    integer(int32), intent(in) :: dims
    integer(int64), intent(in) :: sizes(:)
    integer(int32) :: status
    status = c_sfft_c2r(device, int(dims, int64), sizes(dims:1:-1), product(sizes(dims + 1:)), in, out, options, report)
  end function

  function dfft_c2r(device, dims, sizes, in, out, options, report) result(status)
    type(c_ptr), intent(in) :: device, in, out, options, report
    integer(int32), intent(in) :: dims
    integer(int64), intent(in) :: sizes(:)
    integer(int32) :: status
    status = c_dfft_c2r(device, int(dims, int64), sizes(dims:1:-1), product(sizes(dims + 1:)), in, out, options, report)
  end function

end module
