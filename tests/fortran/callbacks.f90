! Procedures that the library calls: operations of a size, kernels of a team, progress; and what becomes of user pointers.
module procedures
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use hpart, only: hpart_product, hpart_text, HPART_NO_TRANSPOSE
  implicit none
  integer :: freed = 0, told = 0, products = 0
  logical :: had_text = .false.
contains
  recursive function squares(size, operations, user) bind(C) result(failed)
    integer(c_int64_t), value :: size
    real(c_double), intent(out) :: operations
    type(c_ptr), value :: user
    integer(c_int) :: failed
    real(c_double), pointer :: factor
    call c_f_pointer(user, factor)
    operations = factor*real(size, c_double)**2
    failed = 0
  end function

  recursive function no_operations(size, operations, user) bind(C) result(failed)
    integer(c_int64_t), value :: size
    real(c_double), intent(out) :: operations
    type(c_ptr), value :: user
    integer(c_int) :: failed
    operations = 0
    failed = 1
  end function

  ! Adds the size to the caller's sum, after some work that takes time.
  recursive function add_up(size, user) bind(C) result(failed)
    integer(c_int64_t), value :: size
    type(c_ptr), value :: user
    integer(c_int) :: failed
    integer(int64), pointer :: sum
    integer(int64) :: k
    real(c_double), volatile :: work
    call c_f_pointer(user, sum)
    work = 0
    do k = 1, 1000*size
      work = work + k
    end do
    sum = sum + size
    failed = 0
  end function

  recursive function halves(processors, x, seconds, user) bind(C) result(failed)
    integer(c_int64_t), value :: processors
    integer(c_int64_t), intent(in) :: x(processors)
    real(c_double), intent(inout) :: seconds(processors)
    type(c_ptr), value :: user
    integer(c_int) :: failed
    seconds = 0.5_c_double*real(x, c_double)
    failed = 0
  end function

  recursive function broken(size, user) bind(C) result(failed)
    integer(c_int64_t), value :: size
    type(c_ptr), value :: user
    integer(c_int) :: failed
    failed = 1
  end function

  recursive subroutine count_free(user) bind(C)
    type(c_ptr), value :: user
    freed = freed + 1
  end subroutine

  ! On the host, of real(8): the rows of C stand in columns here.
  recursive function own_product(queue, product, user) bind(C) result(failed)
    type(c_ptr), value :: queue, user
    type(hpart_product), intent(in) :: product
    integer(c_int) :: failed
    real(c_double), pointer :: alpha, beta, a(:), b(:), c(:)
    real(c_double) :: row(product%k), column(product%k)
    integer(int64) :: i, j, k, at
    call c_f_pointer(product%alpha, alpha)
    call c_f_pointer(product%beta, beta)
    call c_f_pointer(product%a, a, [product%offset_a + max(product%m, product%k)*product%lda])
    call c_f_pointer(product%b, b, [product%offset_b + max(product%n, product%k)*product%ldb])
    call c_f_pointer(product%c, c, [product%offset_c + product%m*product%ldc])
    do i = 0, product%m - 1
      do j = 0, product%n - 1
        do k = 0, product%k - 1
          at = merge(i*product%lda + k, k*product%lda + i, product%transa == HPART_NO_TRANSPOSE)
          row(k + 1) = a(product%offset_a + at + 1)
          at = merge(k*product%ldb + j, j*product%ldb + k, product%transb == HPART_NO_TRANSPOSE)
          column(k + 1) = b(product%offset_b + at + 1)
        end do
        at = product%offset_c + i*product%ldc + j + 1
        if (beta == 0) c(at) = 0
        c(at) = alpha*dot_product(row, column) + beta*c(at)
      end do
    end do
    products = products + 1
    failed = 0
  end function

  recursive function stop_it(fraction, what, user) bind(C) result(stop_now)
    real(c_double), value :: fraction
    type(c_ptr), value :: what, user
    integer(c_int) :: stop_now
    told = told + 1
    had_text = len(hpart_text(what)) > 0
    stop_now = 1
  end function
end module

program callbacks
  use, intrinsic :: iso_c_binding, only: c_loc
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use hpart
  use check
  use procedures
  implicit none

  call complexity()
  call kernels()
  call applications()
  call failing_kernel()
  call progress()
  call own_gemm()
  call finish_checks()

contains

  subroutine own_gemm()
    type(hpart_device) :: device
    real(real64) :: a(2, 2), b(2, 2), c(2, 2)
    integer(int32) :: ierr
    integer :: of_check
    a = reshape([1, 2, 3, 4], [2, 2])
    b = reshape([5, 6, 7, 8], [2, 2])
    call hpart_device_open('host', device)
    call hpart_device_set_gemm(device, 'd', 1, 1, 0, 0, ierr, own_product, free_user=count_free)
    if (ierr == HPART_ERR_UNSUPPORTED) return ! a build without a BLAS
    call expect(ierr == HPART_SUCCESS, 'the own product is one')
    of_check = products
    call hpart_gemm(device, 'N', 'N', 1.0_real64, a, b, 0.0_real64, c)
    call expect(products == of_check + 1 .and. all(c == matmul(a, b)), 'gemm calls it')
    call hpart_device_set_gemm(device, 'q', 1, 1, 0, 0, ierr, own_product)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'type is 113', hpart_last_error())
    of_check = products
    call hpart_device_set_gemm(device, 'd', 1, 1, 0, 0)
    call hpart_gemm(device, 'N', 'N', 1.0_real64, a, b, 0.0_real64, c)
    call expect(products == of_check .and. all(c == matmul(a, b)), 'without a product gemm is the library''s again')
  end subroutine

  subroutine complexity()
    type(hpart_platform) :: platform
    real(real64), target :: factor
    real(real64) :: seconds
    integer(int32) :: ierr
    factor = 3
    call hpart_platform_create(1, platform)
    call hpart_platform_set_speed_function(platform, 1, [4], [2.0_real64], complexity=squares, user=c_loc(factor))
    call hpart_platform_evaluate(platform, [4], seconds)
    call expect(seconds == 24.0_real64, 'time from speed and operations')
    call hpart_platform_set_speed_function(platform, 1, [4], [2.0_real64], ierr, no_operations)
    call expect_status(ierr, HPART_ERR_CALLBACK, 'complexity', hpart_last_error())
  end subroutine

  subroutine kernels()
    type(hpart_front) :: front
    type(hpart_meter) :: meter
    type(hpart_options) :: of_front
    type(hpart_team) :: team, same
    type(hpart_schedule) :: schedule
    type(hpart_options) :: options
    type(hpart_platform) :: platform
    real(real64) :: makespan
    type(hpart_report) :: report
    integer(int64), target :: sums(2)
    real(real64) :: seconds(2)
    integer :: x(2)
    integer(int32) :: ierr
    real(real64), allocatable :: repetitions(:)
    character(len=:), allocatable :: name
    sums = 0
    call hpart_team_create(team)
    call hpart_team_add(team, 'one', add_up, user=c_loc(sums(1)), free_user=count_free, cores='0')
    call hpart_team_add(team, 'two', add_up, user=c_loc(sums(2)), free_user=count_free)
    call expect(hpart_team_processors(team) == 2, 'processors of the team')
    call hpart_options_create(options)
    call hpart_options_set(options, 'warmup', 0)
    call hpart_team_execute(team, [3, 5], seconds, options=options)
    call expect(all(sums == [3, 5]) .and. all(seconds >= 0), 'execute runs each kernel once')
    call hpart_team_execute(team, [0_int64, 2_int64], seconds, options=options)
    call expect(all(sums == [3, 7]) .and. seconds(1) == 0, 'an idle processor takes no time')

    call hpart_options_set(options, 'max_repetitions', 12)
    call hpart_platform_create(2, platform)
    call hpart_platform_set_time_function(platform, 1, [2, 4], [2.0_real64, 3.0_real64])
    call hpart_platform_set_time_function(platform, 2, [2, 4], [3.0_real64, 4.0_real64])
    call hpart_schedule_compute(platform, 16, schedule)
    call hpart_team_run_schedule(team, schedule, makespan, options=options, report=report)
    call expect(makespan > 0, 'a schedule runs')
    call hpart_team_self_schedule(team, 'guided', 16, makespan, platform=platform, options=options, report=report)
    call hpart_report_get(report, 'rows', repetitions)
    call expect(sum(repetitions) == 16, 'self-scheduling gives out all rows')
    call hpart_team_self_schedule(team, 'guide', 16_int64, makespan, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'did you mean', hpart_last_error())
    call hpart_team_compare(team, reshape([2, 4, 0, 6], [2, 2]), seconds, options=options, report=report)
    call expect(all(seconds > 0), 'compared distributions')
    call hpart_report_get(report, 'ratio_high', repetitions)
    call expect(size(repetitions) == 2 .and. repetitions(1) == 1, 'ratios to the first')
    call hpart_team_compare(team, reshape([2, 4], [2, 1]), seconds, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'mean_seconds has 2 elements', hpart_last_error())
    call hpart_team_optimize(team, HPART_OBJECTIVE_TIME, 6, [2, 4, 6], x, seconds(1), options=options, measured=platform, &
        report=report)
    call expect(sum(x) == 6 .and. hpart_platform_processors(platform) == 2, 'the certified optimum')
    call hpart_team_optimize_front(team, 6, HPART_ENERGY_DYNAMIC, [2, 4, 6], front, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'has no meter', hpart_last_error())
    call hpart_meter_open('estimate:10', meter)
    call hpart_team_set_meter(team, 0, meter)
    call hpart_options_create(of_front)
    call hpart_options_set(of_front, 'base_power', 0.0_real64)
    call hpart_options_set(of_front, 'max_total_seconds', 2.0_real64)
    call hpart_team_optimize_front(team, 6, HPART_ENERGY_TOTAL, [2, 4, 6], front, options=of_front, measured=platform, &
        report=report)
    call hpart_front_point(front, 1, seconds(1), seconds(2), x)
    call expect(sum(x) == 6 .and. hpart_front_processors(front) == 2, 'the certified front')
    call hpart_team_set_meter(team, 0)
    call hpart_team_measure(team, [2, 4], seconds, options=options, report=report)
    call expect(all(seconds > 0), 'measured times')
    call hpart_report_get(report, 'repetitions', repetitions)
    call expect(all(repetitions >= 10), 'repetitions')
    call reports(report)

    call hpart_options_set(options, 'precision', 0.5_real64)
    call hpart_team_set_kernel(team, 'heat 1.3')
    call hpart_team_profile(team, [1, 2, 3], platform, options=options)
    call hpart_platform_get_kernel(platform, name)
    call expect(name == 'heat 1.3', 'a profile has the kernel of the team')
    call hpart_platform_get_name(platform, 2, name)
    call expect(name == 'two', 'a profile has the names of the team')
    same = team
    call hpart_team_destroy(team)
    call expect(freed == 0, 'the other variable holds the team')
    call hpart_team_destroy(same)
    call expect(freed == 2, 'each user pointer is freed once')
  end subroutine

  subroutine applications()
    type(hpart_options) :: options
    type(hpart_team) :: team
    real(real64) :: seconds(2)
    integer(int32) :: ierr
    call hpart_team_create(team)
    call hpart_team_set_application_function(team, 'one,two', halves)
    call hpart_team_execute(team, [3, 4], seconds)
    call expect(all(seconds == [1.5_real64, 2.0_real64]), 'the times of an application')
    call hpart_team_destroy(team)
    call hpart_team_create(team)
    call hpart_team_set_application(team, 'one,two', 'echo', ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, '{x}', hpart_last_error())
    call hpart_options_create(options)
    call hpart_options_set(options, 'time_from', 'stdout')
    call hpart_team_set_application(team, 'one,two', 'echo {x1} {x2}', options=options)
    call hpart_team_execute(team, [3, 4], seconds)
    call expect(all(seconds == [3, 4]), 'the times that an application prints')
    call hpart_team_destroy(team)
  end subroutine

  subroutine reports(report)
    type(hpart_report), intent(in) :: report
    type(hpart_report) :: none
    character(len=:), allocatable :: text
    integer(int32) :: short, ierr
    integer(int64) :: long
    real(real64) :: real
    real(real64), allocatable :: values(:)
    integer(int64) :: k
    call expect(hpart_report_count(none) == -1, 'no report, no count')
    call expect(hpart_report_count(report) > 3, 'keys of a report')
    do k = 1, hpart_report_count(report)
      call hpart_report_get_string(report, hpart_report_key(report, k), text)
      call expect(len(text) > 0 .or. hpart_report_type(report, hpart_report_key(report, k)) == HPART_REPORT_STRING, &
          'any key as text: '//hpart_report_key(report, k))
    end do
    call expect(hpart_report_key(report, 0) == '', 'key 0')
    call hpart_report_get(report, 'precision_reached', short)
    call hpart_report_get(report, 'precision_reached', long)
    call hpart_report_get(report, 'precision_reached', real)
    call hpart_report_get(report, 'precision_reached', values)
    call expect(short == long .and. real == short .and. size(values) == 1, 'one number by the type of the variable')
    call hpart_report_get(report, 'stop_reason', values, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'stop_reason', hpart_last_error())
    call expect(size(values) == 1, 'values untouched')
  end subroutine

  subroutine failing_kernel()
    type(hpart_team) :: team
    real(real64) :: seconds(1)
    integer(int32) :: ierr
    call hpart_team_create(team)
    call hpart_team_add(team, 'lame', broken)
    seconds = 42
    call hpart_team_execute(team, [1], seconds, ierr)
    call expect_status(ierr, HPART_ERR_CALLBACK, 'lame', hpart_last_error())
    call expect(all(seconds == 42), 'seconds untouched')
    call hpart_team_execute(team, [1, 2], seconds, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'x has 2 elements', hpart_last_error())
    call hpart_team_add_builtin(team, ' ', 'no such kernel', 'cpu:0', ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'no such kernel', hpart_last_error())
  end subroutine

  subroutine progress()
    type(hpart_team) :: team
    type(hpart_options) :: options
    type(hpart_platform) :: platform
    integer(int64), target :: sum
    integer(int32) :: ierr
    sum = 0
    call hpart_team_create(team)
    call hpart_team_add(team, 'one', add_up, user=c_loc(sum))
    call hpart_options_create(options)
    call hpart_options_set_progress(options, stop_it)
    call hpart_team_profile(team, [1, 2, 3], platform, ierr, options)
    call expect_status(ierr, HPART_ERR_CANCELLED, 'progress', hpart_last_error())
    call expect(told == 1 .and. had_text, 'told once, with a text')
    call hpart_options_set_progress(options)
    call hpart_options_set(options, 'precision', 0.9_real64)
    call hpart_options_set(options, 'max_repetitions', 10)
    call hpart_team_profile(team, [1], platform, ierr, options)
    call expect(ierr == HPART_SUCCESS .and. told == 1, 'no progress callback any more')
  end subroutine

end program
