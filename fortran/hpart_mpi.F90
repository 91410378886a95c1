! hpart over MPI: use hpart_mpi beside use hpart, link with hpart_mpi_fortran (pkg-config hpart-mpi-fortran). The calls are those of
! hpart_mpi.h, with the differences of module hpart. comm is a type(MPI_Comm) of mpi_f08, or an integer of mpi or mpif.h. A rank without
! processors passes a variable that holds no platform or team.
!
! A wrong argument of one rank must not leave the others waiting: the rank makes the call with an argument that fails.
module hpart_mpi_calls
  use hpart_common
  implicit none
  public

  integer(int32), parameter :: HPART_MPI_IN_ORDER = 0, HPART_MPI_FEWEST = 1

  interface
    function c_ranks(comm) bind(C, name='hpart_mpi_fortran_ranks') result(answer)
      import
      integer, value :: comm
      integer(c_int64_t) :: answer
    end function

    function c_mpi_partition(comm, mine, objective, size, options, x, seconds, joules, report) &
        bind(C, name='hpart_mpi_fortran_partition') result(answer)
      import
      integer, value :: comm
      type(c_ptr), value :: mine, options, x, report
      integer(c_int32_t), value :: objective
      integer(c_int64_t), value :: size
      real(c_double), intent(inout) :: seconds, joules
      integer(c_int32_t) :: answer
    end function

    function c_mpi_front(comm, mine, size, energy, options, front) bind(C, name='hpart_mpi_fortran_front') result(answer)
      import
      integer, value :: comm
      type(c_ptr), value :: mine, options
      integer(c_int64_t), value :: size
      integer(c_int32_t), value :: energy
      type(c_ptr), intent(inout) :: front
      integer(c_int32_t) :: answer
    end function

    function c_mpi_profile(comm, mine, points, sizes, options, all) bind(C, name='hpart_mpi_fortran_profile') result(answer)
      import
      integer, value :: comm
      type(c_ptr), value :: mine, options
      integer(c_int64_t), value :: points
      integer(c_int64_t), intent(in) :: sizes(*)
      type(c_ptr), intent(inout) :: all
      integer(c_int32_t) :: answer
    end function

    function c_mpi_links(comm, options, all) bind(C, name='hpart_mpi_fortran_links') result(answer)
      import
      integer, value :: comm
      type(c_ptr), value :: options, all
      integer(c_int32_t) :: answer
    end function

    function c_mpi_redistribution(comm, order, old_rows, new_rows, send_counts, send_displacements, receive_counts, &
        receive_displacements) bind(C, name='hpart_mpi_fortran_redistribution') result(answer)
      import
      integer, value :: comm
      integer(c_int32_t), value :: order
      integer(c_int64_t), value :: old_rows, new_rows
      integer(c_int), intent(inout) :: send_counts(*), send_displacements(*), receive_counts(*), receive_displacements(*)
      integer(c_int32_t) :: answer
    end function

    function c_mpi_optimize(comm, mine, size, points, sizes, options, x, seconds, measured, report) &
        bind(C, name='hpart_mpi_fortran_optimize') result(answer)
      import
      integer, value :: comm
      type(c_ptr), value :: mine, options, x, measured, report
      integer(c_int64_t), value :: size, points
      integer(c_int64_t), intent(in) :: sizes(*)
      real(c_double), intent(inout) :: seconds
      integer(c_int32_t) :: answer
    end function
  end interface
end module

! Both kinds of communicators, and for each both kinds of integers.
#define PASTE(name) name
#define COMMUNICATOR integer
#define COMM comm
#define COMM_MODULE use hpart_mpi_calls
#define NAME(name) PASTE(hpart_mpi_)PASTE(name)PASTE(_number)
#include "hpart_mpi_kinds.inc"
#undef COMMUNICATOR
#undef COMM
#undef COMM_MODULE
#undef NAME
#define COMMUNICATOR type(MPI_Comm)
#define COMM comm%MPI_VAL
#define COMM_MODULE use hpart_mpi_calls; use mpi_f08, only: MPI_Comm
#define NAME(name) PASTE(hpart_mpi_)PASTE(name)PASTE(_f08)
#include "hpart_mpi_kinds.inc"

module hpart_mpi
  use hpart_mpi_calls, only: HPART_MPI_IN_ORDER, HPART_MPI_FEWEST
  use hpart_mpi_links_number
  use hpart_mpi_32_number
  use hpart_mpi_64_number
  use hpart_mpi_32_32_number
  use hpart_mpi_32_64_number
  use hpart_mpi_64_32_number
  use hpart_mpi_64_64_number
  use hpart_mpi_links_f08
  use hpart_mpi_32_f08
  use hpart_mpi_64_f08
  use hpart_mpi_32_32_f08
  use hpart_mpi_32_64_f08
  use hpart_mpi_64_32_f08
  use hpart_mpi_64_64_f08
  implicit none
  public
end module
