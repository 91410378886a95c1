! Reference counting, told by the options' free_user: it runs once, when the last variable that shares them goes.
program handles
  use hpart
  use check
  use counting
  implicit none

  call one_variable(); call expect_freed(1, 'a variable that goes')
  call two_variables(); call expect_freed(1, 'two variables of one handle')
  call overwritten(); call expect_freed(2, 'a variable that gets another handle')
  call itself(); call expect_freed(1, 'assignment to itself')
  call exchanged(); call expect_freed(2, 'two variables exchanged')
  call destroyed(); call expect_freed(1, 'destroyed by hand')
  call in_an_array(); call expect_freed(3, 'arrays')
  call allocated_variables(); call expect_freed(2, 'allocatable variables')
  call passed_on(); call expect_freed(1, 'an argument')
  call reordered()
  call shifted(); call expect_freed(5, 'an array of its own elements')
  call on_threads(); call expect_freed(64, 'arrays of threads')
  call finish_checks()

contains

  subroutine expect_freed(count, what)
    integer, intent(in) :: count
    character(len=*), intent(in) :: what
    character(len=12) :: found
    write (found, '(i0)') freed
    call expect(freed == count, what//': freed '//trim(found))
    freed = 0
  end subroutine

  subroutine one_variable()
    type(hpart_options) :: a
    call make(a)
  end subroutine

  subroutine two_variables()
    type(hpart_options) :: a, b
    call make(a)
    b = a
    call hpart_options_destroy(a)
    call expect(freed == 0, 'the other variable holds it')
    call use_it(b)
  end subroutine

  subroutine overwritten()
    type(hpart_options) :: a
    call make(a)
    call make(a)
    call expect(freed == 1, 'the first one goes at once')
    call use_it(a)
  end subroutine

  subroutine itself()
    type(hpart_options) :: a
    call make(a)
    a = a
    a = (a)
    call use_it(a)
  end subroutine

  subroutine exchanged()
    type(hpart_options) :: a, b, c
    call make(a)
    call make(b)
    c = a
    a = b
    b = c
    call use_it(a)
    call use_it(b)
  end subroutine

  subroutine destroyed()
    type(hpart_options) :: a, b
    call make(a)
    call hpart_options_destroy(a)
    call expect(freed == 1, 'destroyed at once')
    call hpart_options_destroy(a)
    call hpart_options_destroy(b)
    b = a
  end subroutine

  subroutine in_an_array()
    type(hpart_options) :: a(3), b(3)
    integer :: k
    do k = 1, 3
      call make(a(k))
    end do
    b = a
    call expect(freed == 0, 'arrays share')
    do k = 1, 3
      call use_it(b(k))
    end do
    b(1) = b(2)
    a = b(3)
    call use_it(a(1))
  end subroutine

  subroutine allocated_variables()
    type(hpart_options), allocatable :: a(:), b
    allocate (a(2), b)
    call make(a(1))
    call make(a(2))
    b = a(2)
    deallocate (a)
    call expect(freed == 1, 'deallocated')
    call use_it(b)
  end subroutine

  subroutine passed_on()
    type(hpart_options) :: a
    call make(a)
    call use_it(a)
    call use_it((a))
    call use_it(a)
  end subroutine

  subroutine reordered()
    type(hpart_platform) :: p(3)
    type(hpart_platform), allocatable :: q(:)
    integer :: k
    do k = 1, 3
      call hpart_platform_create(k, p(k))
    end do
    p = [p(2), p(3), p(1)]
    call expect_processors(p, [2, 3, 1])
    p(1:2) = p(2:3)
    call expect_processors(p, [3, 1, 1])
    allocate (q(2))
    q = [p(2), p(1)]
    q = [q(2), q(1)]
    call expect_processors(q, [3, 1])
  end subroutine

  subroutine expect_processors(p, counts)
    type(hpart_platform), intent(in) :: p(:)
    integer, intent(in) :: counts(:)
    integer :: k
    do k = 1, size(p)
      call expect(hpart_platform_processors(p(k)) == counts(k), 'the handles in their new order')
    end do
  end subroutine

  ! A handle that assignment leaves without a variable goes when the next one is made or released.
  subroutine shifted()
    type(hpart_options) :: a(4), b
    integer :: k
    do k = 1, 4
      call make(a(k))
    end do
    a = [a(2:4), a(1)]
    call make(b)
    call expect(freed == 0, 'each has a variable')
    a(1:3) = a(2:4)
    call hpart_options_destroy(b)
    call expect(freed == 2, 'the one that was replaced, and the one that was released')
    do k = 1, 4
      call use_it(a(k))
    end do
  end subroutine

  subroutine on_threads()
    integer :: k
    !$omp parallel do num_threads(4)
    do k = 1, 32
      call exchanged_in_an_array()
    end do
  end subroutine

  subroutine exchanged_in_an_array()
    type(hpart_options) :: a(2)
    integer :: k
    call make(a(1))
    call make(a(2))
    do k = 1, 100
      a = [a(2), a(1)]
    end do
    call use_it(a(1))
    call use_it(a(2))
  end subroutine

end program
