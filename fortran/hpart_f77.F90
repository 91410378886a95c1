! For FORTRAN 77 programs: external procedures, once for INTEGER*4 and, with names that end in _64, once for INTEGER*8.
! docs/reference/fortran.md has the list.
!
! Names are put together by macros: gfortran's preprocessor has no ##, but macros without blanks between them do. gfortran takes
! dummy procedures for global ones, so that a kernel has another name for each kind of integer.
#define PASTE(name) name
#define F77(name) PASTE(hpart_f77_)PASTE(name)TAIL
#define KIND_MODULE use PASTE(hpart_f77_kind)KIND; implicit none
#define KERNEL PASTE(kernel)KIND
#define KERNEL_SHAPE PASTE(f77_kernel)KIND

#define KIND _32
#define TAIL
module hpart_f77_kind_32
  use, intrinsic :: iso_fortran_env, only: ik => int32
  use hpart_f77_handles
#include "hpart_f77_kind.inc"
end module
#include "hpart_f77_all.inc"
#undef KIND
#undef TAIL

#define KIND _64
#define TAIL _64
module hpart_f77_kind_64
  use, intrinsic :: iso_fortran_env, only: ik => int64
  use hpart_f77_handles
#include "hpart_f77_kind.inc"
end module
#include "hpart_f77_all.inc"
