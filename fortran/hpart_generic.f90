! The generic procedures, once for every kind of integer, or pair of kinds, that a program may use: those that are generated,
! and those that are written by hand.
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

module hpart_one_kind_32
  use, intrinsic :: iso_fortran_env, only: ik => int32
  use hpart_common
  include 'hpart_one_kind.inc'
end module

module hpart_one_kind_64
  use, intrinsic :: iso_fortran_env, only: ik => int64
  use hpart_common
  include 'hpart_one_kind.inc'
end module

module hpart_special_one_kind_32
  use, intrinsic :: iso_fortran_env, only: ik => int32
  use hpart_common
  include 'hpart_special_one_kind.inc'
end module

module hpart_special_one_kind_64
  use, intrinsic :: iso_fortran_env, only: ik => int64
  use hpart_common
  include 'hpart_special_one_kind.inc'
end module

module hpart_two_kinds_32_32
  use, intrinsic :: iso_fortran_env, only: ik => int32, sk => int32
  use hpart_common
  include 'hpart_two_kinds.inc'
end module

module hpart_two_kinds_32_64
  use, intrinsic :: iso_fortran_env, only: ik => int32, sk => int64
  use hpart_common
  include 'hpart_two_kinds.inc'
end module

module hpart_two_kinds_64_32
  use, intrinsic :: iso_fortran_env, only: ik => int64, sk => int32
  use hpart_common
  include 'hpart_two_kinds.inc'
end module

module hpart_two_kinds_64_64
  use, intrinsic :: iso_fortran_env, only: ik => int64, sk => int64
  use hpart_common
  include 'hpart_two_kinds.inc'
end module

module hpart_special_two_kinds_32_32
  use, intrinsic :: iso_fortran_env, only: ik => int32, sk => int32
  use hpart_common
  include 'hpart_special_two_kinds.inc'
end module

module hpart_special_two_kinds_32_64
  use, intrinsic :: iso_fortran_env, only: ik => int32, sk => int64
  use hpart_common
  include 'hpart_special_two_kinds.inc'
end module

module hpart_special_two_kinds_64_32
  use, intrinsic :: iso_fortran_env, only: ik => int64, sk => int32
  use hpart_common
  include 'hpart_special_two_kinds.inc'
end module

module hpart_special_two_kinds_64_64
  use, intrinsic :: iso_fortran_env, only: ik => int64, sk => int64
  use hpart_common
  include 'hpart_special_two_kinds.inc'
end module
