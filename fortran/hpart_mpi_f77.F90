! hpart_mpi.h for FORTRAN 77 programs: external procedures, once for INTEGER*4 and, with names that end in _64, once for INTEGER*8. A wrong
! argument of one rank must not leave the others waiting: the rank makes the call with an argument that fails.
#define PASTE(name) name
#define F77(name) PASTE(hpart_f77_mpi_)PASTE(name)TAIL
#define KIND_MODULE use hpart_mpi_calls; use PASTE(hpart_f77_kind)KIND; implicit none

#define KIND _32
#define TAIL
#include "hpart_mpi_f77.inc"
#undef KIND
#undef TAIL

#define KIND _64
#define TAIL _64
#include "hpart_mpi_f77.inc"
