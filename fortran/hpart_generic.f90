! The generic procedures, once for every kind of integer, or pair of kinds, that a program may use.
module hpart_common
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use hpart_c
  use hpart_callbacks
  use hpart_checks
  use hpart_constants
  use hpart_failures
  use hpart_handles
  implicit none
  public
end module

module hpart_indexed_32
  use, intrinsic :: iso_fortran_env, only: ik => int32
  use hpart_common
  include 'hpart_indexed.inc'
end module

module hpart_indexed_64
  use, intrinsic :: iso_fortran_env, only: ik => int64
  use hpart_common
  include 'hpart_indexed.inc'
end module

module hpart_sized_32
  use, intrinsic :: iso_fortran_env, only: sk => int32
  use hpart_common
  include 'hpart_sized.inc'
end module

module hpart_sized_64
  use, intrinsic :: iso_fortran_env, only: sk => int64
  use hpart_common
  include 'hpart_sized.inc'
end module

module hpart_both_32_32
  use, intrinsic :: iso_fortran_env, only: ik => int32, sk => int32
  use hpart_common
  include 'hpart_both.inc'
end module

module hpart_both_32_64
  use, intrinsic :: iso_fortran_env, only: ik => int32, sk => int64
  use hpart_common
  include 'hpart_both.inc'
end module

module hpart_both_64_32
  use, intrinsic :: iso_fortran_env, only: ik => int64, sk => int32
  use hpart_common
  include 'hpart_both.inc'
end module

module hpart_both_64_64
  use, intrinsic :: iso_fortran_env, only: ik => int64, sk => int64
  use hpart_common
  include 'hpart_both.inc'
end module
