! Threads create, use and destroy FORTRAN 77's handles at the same time: nobody gets another's.
program legacy_threads
  implicit none
  integer, parameter :: many = 100
  integer :: turn, k, ierr, found, held(many), was, wrong
  wrong = 0
!$omp parallel do num_threads(8) schedule(dynamic) private(k, ierr, found, held, was) reduction(+:wrong)
  do turn = 1, 1000
    do k = 1, many
      call hpart_f77_platform_create(mod(turn*k, 13) + 1, held(k), ierr)
      if (ierr /= 0) wrong = wrong + 1
    end do
    do k = 1, many
      call hpart_f77_platform_processors(held(k), found, ierr)
      if (ierr /= 0 .or. found /= mod(turn*k, 13) + 1) wrong = wrong + 1
      was = held(k)
      call hpart_f77_destroy(held(k), ierr)
      if (ierr /= 0) wrong = wrong + 1
      call hpart_f77_platform_processors(was, found, ierr)
      if (ierr /= -1) wrong = wrong + 1
    end do
  end do
!$omp end parallel do
  if (wrong > 0) error stop 1
end program
