! Devices and operations: generic and specific names, all types, sections of arrays, what is refused.
program operations
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use hpart
  use check
  implicit none
  type(hpart_device) :: device
  type(hpart_options) :: options

  call hpart_options_create(options)
  call hpart_options_set(options, 'memory_limit', 65536)
  call hpart_device_open('host', device, options=options)
  call products()
  call sections()
  call triangles()
  call solvers()
  call transforms()
  call refusals()
  call pinned()
  call sharing()
  call finish_checks()

contains

  subroutine products()
    real(real64) :: a(40, 30), b(30, 50), c(40, 50), x(30), y(40), seconds
    complex(real64) :: za(30, 40), zb(50, 30), zc(40, 50)
    type(hpart_report) :: report
    call random_number(a)
    call random_number(b)
    call random_number(y)
    c = 1
    call hpart_gemm(device, 'N', 'N', 2.0_real64, a, b, 3.0_real64, c, report=report)
    call expect(maxval(abs(c - (2 * matmul(a, b) + 3))) < 1e-12_real64, 'gemm')
    call hpart_report_get(report, 'seconds', seconds)
    call expect(seconds > 0, 'report')
    call hpart_dgemm(device, 't', 'T', 1.0_real64, transpose(a), transpose(b), 0.0_real64, c)
    call expect(maxval(abs(c - matmul(a, b))) < 1e-12_real64, 'dgemm of transposes')
    za = cmplx(transpose(a), 1, real64)
    zb = cmplx(transpose(b), -2, real64)
    call hpart_gemm(device, 'C', 'T', (0.0_real64, 1.0_real64), za, zb, (0.0_real64, 0.0_real64), zc)
    call expect(maxval(abs(zc - (0, 1) * matmul(conjg(transpose(za)), transpose(zb)))) < 1e-11_real64, 'zgemm')
    x = 1
    call hpart_dgemv(device, 'T', 1.0_real64, a, y(40:1:-1), -1.0_real64, x)
    call expect(maxval(abs(x - (matmul(transpose(a), y(40:1:-1)) - 1))) < 1e-11_real64, 'gemv of a vector backwards')
  end subroutine

  ! Parts of one array, by their own leading dimension: nothing else changes.
  subroutine sections()
    real(real64) :: whole(60, 90), before(60, 90), every_other(20)
    call random_number(whole)
    before = whole
    call hpart_gemm(device, 'N', 'N', 1.0_real64, whole(1:20, 1:30), whole(21:50, 31:55), 0.0_real64, whole(31:50, 61:85))
    call expect(maxval(abs(whole(31:50, 61:85) - matmul(before(1:20, 1:30), before(21:50, 31:55)))) < 1e-12_real64, 'sections')
    whole(31:50, 61:85) = before(31:50, 61:85)
    call expect(all(whole == before), 'the rest of the array')
    call hpart_gemm(device, 'N', 'N', 1.0_real64, before(1:40:2, 1:30), before(21:50, 31:55), 0.0_real64, whole(31:50, 61:85))
    call expect(maxval(abs(whole(31:50, 61:85) - matmul(before(1:40:2, 1:30), before(21:50, 31:55)))) < 1e-12_real64, 'gaps')
    every_other = 0
    call hpart_gemv(device, 'N', 1.0_real64, whole(1:10, 1:45), whole(5, 1:90:2), 0.0_real64, every_other(1:20:2))
    call expect(maxval(abs(every_other(1:20:2) - matmul(before(1:10, 1:45), before(5, 1:90:2)))) < 1e-12_real64, 'strides')
    call expect(all(every_other(2:20:2) == 0), 'between the strides')
  end subroutine

  subroutine triangles()
    real(real64) :: a(30, 20), c(30, 30), full(30, 30), t(30, 30), b(30, 4), kept(30, 4)
    complex(real64) :: za(30, 20), zc(30, 30), zfull(30, 30)
    real(real64) :: stack(30, 20, 2), products(30, 30, 2)
    integer :: i, j
    integer(int32) :: ierr
    call random_number(a)
    call random_number(b)
    c = 7
    call hpart_syrk(device, 'L', 'N', 1.0_real64, a, 0.0_real64, c)
    full = matmul(a, transpose(a))
    call expect(all([((abs(c(i, j) - merge(full(i, j), 7.0_real64, i >= j)) < 1e-12_real64, i=1, 30), j=1, 30)]), 'syrk')
    za = cmplx(a, 1, real64)
    zc = 0
    call hpart_zherk(device, 'U', 'N', 1.0_real64, za, 0.0_real64, zc)
    zfull = matmul(za, conjg(transpose(za)))
    call expect(all([((abs(zc(i, j) - merge(zfull(i, j), (0.0_real64, 0.0_real64), i <= j)) < 1e-12_real64, i=1, 30), &
        j=1, 30)]), 'herk')
    t = 0
    do i = 1, 30
      t(i, i) = 2
      t(i, :i - 1) = 0.01_real64
    end do
    kept = b
    call hpart_trsm(device, 'L', 'L', 'N', 'N', 2.0_real64, t, b)
    call expect(maxval(abs(matmul(t, b) - 2 * kept)) < 1e-12_real64, 'trsm')
    call hpart_trmm(device, 'L', 'L', 'N', 'N', 0.5_real64, t, b)
    call expect(maxval(abs(b - kept)) < 1e-12_real64, 'trmm')
    c = 1
    call hpart_symm(device, 'R', 'L', 2.0_real64, full, transpose(kept), -1.0_real64, c(:4, :))
    call expect(maxval(abs(c(:4, :) + 1 - 2 * matmul(transpose(kept), full))) < 1e-11_real64, 'symm')
    call expect(all(c(5:, :) == 1), 'below')
    c = 7
    call hpart_dsyr2k(device, 'U', 'N', 1.0_real64, a, 2 * a, 0.0_real64, c)
    call expect(all([((abs(c(i, j) - merge(4 * full(i, j), 7.0_real64, i <= j)) < 1e-11_real64, i=1, 30), j=1, 30)]), 'syr2k')
    call hpart_gemmt(device, 'L', 'N', 'T', 1.0_real64, a, a, 0.0_real64, c)
    call expect(all([((abs(c(i, j) - merge(1, 4, i >= j) * full(i, j)) < 1e-11_real64, i=1, 30), j=1, 30)]), 'gemmt')
    call hpart_gemmt(device, 'L', 'N', 'x', 1.0_real64, a, a, 0.0_real64, c, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, "transb is 'x'", hpart_last_error())
    zc = 0
    call hpart_zher2k(device, 'U', 'N', (0.5_real64, 0.0_real64), za, za, 0.0_real64, zc)
    call expect(all([((abs(zc(i, j) - merge(zfull(i, j), (0.0_real64, 0.0_real64), i <= j)) < 1e-12_real64, i=1, 30), &
        j=1, 30)]), 'her2k')
    call hpart_zhemm(device, 'L', 'U', (1.0_real64, 0.0_real64), zfull, za, (0.0_real64, 0.0_real64), zc(:, :20))
    call expect(maxval(abs(zc(:, :20) - matmul(zfull, za))) < 1e-10_real64, 'hemm')
    stack(:, :, 1) = a
    stack(:, :, 2) = 3 * a
    call hpart_gemm_strided_batched(device, 'N', 'T', 1.0_real64, stack, reshape(a, [30, 20, 1]), 0.0_real64, products)
    call expect(maxval(abs(products(:, :, 1) - full)) < 1e-12_real64 .and. &
        maxval(abs(products(:, :, 2) - 3 * full)) < 1e-11_real64, 'gemm_strided_batched')
  end subroutine

  subroutine solvers()
    real(real64) :: a(40, 40), factors(40, 40), b(40, 3), x(40, 3), tall(50, 20), sides(50, 1), tau(40)
    complex(real32) :: ca(30, 30), cb(30, 2), cx(30, 2)
    real(real32) :: positive(20, 20), pb(20, 1), px(20, 1)
    integer :: pivots(40), k, info
    integer(int64) :: wide(40)
    integer(int32) :: ierr
    type(hpart_report) :: report
    call random_number(a)
    call random_number(b)
    do k = 1, 40
      a(k, k) = a(k, k) + 8
    end do
    factors = a
    x = b
    call hpart_gesv(device, factors, pivots, x)
    call expect(maxval(abs(matmul(a, x) - b)) < 1e-12_real64, 'gesv')
    x = b
    call hpart_getrs(device, 'N', factors, pivots, x)
    call expect(maxval(abs(matmul(a, x) - b)) < 1e-12_real64, 'getrs')
    call hpart_getri(device, factors, pivots)
    call expect(maxval(abs(matmul(factors, b) - x)) < 1e-12_real64, 'getri')
    factors = a
    call hpart_dgetrf(device, factors, wide)
    call expect(all(wide == pivots), 'pivots of both kinds')
    factors = a
    call hpart_geqrf(device, factors, tau)
    call expect(abs(abs(factors(1, 1)) - sqrt(sum(a(:, 1)**2))) < 1e-12_real64, 'geqrf')
    x = b
    call hpart_ormqr(device, 'L', 'T', factors, tau, x)
    call hpart_dorgqr(device, factors, tau)
    call expect(maxval(abs(matmul(factors, x) - b)) < 1e-12_real64, 'ormqr and orgqr')
    call hpart_ormqr(device, 'R', 'T', factors, tau, x, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'a is 40 x 40; it must be 3 x 40', hpart_last_error())
    call random_number(tall)
    sides(:, 1) = matmul(tall, [(real(k, real64), k=1, 20)])
    call hpart_gels(device, 'N', tall, sides)
    call expect(maxval(abs(sides(:20, 1) - [(real(k, real64), k=1, 20)])) < 1e-11_real64, 'gels')
    ca = cmplx(a(:30, :30), 0.5, real32)
    cb = cmplx(b(:30, :2), 1, real32)
    cx = cb
    call hpart_cgesv(device, ca, pivots(:30), cx)
    call expect(maxval(abs(matmul(cmplx(a(:30, :30), 0.5, real32), cx) - cb)) < 1e-4_real32, 'cgesv')
    positive = 0.1
    do k = 1, 20
      positive(k, k) = 5
    end do
    pb = 1
    px = pb
    call hpart_posv(device, 'U', positive, px)
    call expect(maxval(abs((5 + 19 * 0.1_real32) * px - pb)) < 1e-5_real32, 'sposv')
    px = pb
    call hpart_potrs(device, 'U', positive, px)
    call expect(maxval(abs((5 + 19 * 0.1_real32) * px - pb)) < 1e-5_real32, 'spotrs')
    call hpart_spotri(device, 'U', positive)
    call expect(abs(positive(1, 1) + sum(positive(1, 2:)) - px(1, 1)) < 1e-5_real32, 'spotri')
    positive = 0
    do k = 1, 20
      positive(k, k) = 5
    end do
    positive(7, 7) = -1
    call hpart_potrf(device, 'L', positive, ierr, report=report)
    call expect_status(ierr, HPART_ERR_NUMERICAL, '7', hpart_last_error())
    call hpart_report_get(report, 'info', info)
    call expect(info == 7, 'info')
  end subroutine

  subroutine transforms()
    complex(real64) :: x(12, 10), spectrum(12, 10), back(12, 10), lines(16, 3), other(16, 3)
    real(real64) :: reals(9, 4), again(9, 4)
    complex(real64) :: half(5, 4), point
    real(real32) :: cube(4, 3, 2), cube_again(4, 3, 2)
    complex(real32) :: cube_half(3, 3, 2)
    real(real64), parameter :: two_pi = 6.28318530717958647692_real64
    integer :: i, j
    call random_number(reals)
    do j = 1, 10
      x(:, j) = [(cmplx(i, i * j, real64) / (i + j), i=1, 12)]
    end do
    call hpart_zfft(device, -1, x, spectrum)
    point = 0
    do j = 1, 10
      do i = 1, 12
        point = point + x(i, j) * exp(cmplx(0, -two_pi * (2 * (i - 1) / 12.0_real64 + 3 * (j - 1) / 10.0_real64), real64))
      end do
    end do
    call expect(abs(spectrum(3, 4) - point) < 1e-11_real64, 'a point by the definition')
    back = spectrum
    call hpart_fft(device, 1, back)
    call expect(maxval(abs(back / 120 - x)) < 1e-13_real64, 'back, in place')
    ! Columns alone.
    lines = x(1, 1)
    lines(2, 2) = 5
    call hpart_fft(device, -1, lines, other, rank=1)
    call expect(abs(other(1, 1) - 16 * x(1, 1)) < 1e-12_real64 .and. abs(other(2, 1)) < 1e-12_real64, 'a batch')
    call hpart_dfft_r2c(device, reals, half)
    call expect(abs(half(1, 1) - sum(reals)) < 1e-12_real64, 'sum of real numbers')
    call hpart_dfft_c2r(device, half, again)
    call expect(maxval(abs(again / 36 - reals)) < 1e-13_real64, 'an odd number of real numbers')
    call random_number(cube)
    call hpart_fft_r2c(device, cube, cube_half)
    call hpart_fft_c2r(device, cube_half, cube_again)
    call expect(maxval(abs(cube_again / 24 - cube)) < 1e-5_real32, 'three dimensions, float')
  end subroutine

  subroutine refusals()
    real(real64) :: a(3, 4), b(4, 5), c(3, 5), whole(8, 8)
    complex(real64) :: x(4), y(5)
    integer :: pivots(2)
    integer(int32) :: ierr
    type(hpart_device) :: none
    a = 1
    b = 1
    c = 77
    whole = 1
    call hpart_gemm(device, 'X', 'N', 1.0_real64, a, b, 0.0_real64, c, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, "transa is 'X'; it must be 'N', 'T' or 'C'", hpart_last_error())
    call hpart_gemm(device, 'T', 'N', 1.0_real64, a, b, 0.0_real64, c, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'a is 3 x 4; it must be 3 x 3', hpart_last_error())
    call hpart_gemm(device, 'N', 'N', 1.0_real64, a, b, 0.0_real64, c(:, :4), ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'b is 4 x 5; it must be 4 x 4', hpart_last_error())
    call hpart_gemm(device, 'N', 'N', 1.0_real64, a, b, 0.0_real64, whole(1:6:2, 1:5), ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'c has columns that are not contiguous', hpart_last_error())
    call expect(all(whole == 1), 'nothing was written between gaps')
    call hpart_getrf(device, a, pivots, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'pivots has 2 elements; it must have 3', hpart_last_error())
    call hpart_fft(device, -1, x, y, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'dimension 1 of out has 5 elements; it must have 4', hpart_last_error())
    call hpart_fft(device, -1, x, ierr, rank=2)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'rank is 2; it must be from 1 to 1', hpart_last_error())
    call hpart_gemm(none, 'N', 'N', 1.0_real64, a, b, 0.0_real64, c, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'device is NULL', hpart_last_error())
    call hpart_device_open('gpu', none, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'gpu', hpart_last_error())
    call expect(all(c == 77), 'nothing was written')
  end subroutine

  subroutine pinned()
    type(c_ptr) :: memory
    real(c_double), pointer :: a(:, :)
    real(real64) :: c(20, 20)
    real(real64), target :: mine(20, 20)
    integer(int32) :: ierr
    memory = hpart_alloc_pinned(device, 20 * 20 * 8)
    call expect(c_associated(memory), 'pinned memory')
    call c_f_pointer(memory, a, [20, 20])
    a = 2
    call hpart_gemm(device, 'N', 'N', 1.0_real64, a, a, 0.0_real64, c)
    call expect(all(c == 80), 'product of pinned memory')
    call hpart_free_pinned(device, memory)
    call hpart_pin(device, c_loc(mine), 8 * size(mine), ierr)
    call expect(ierr == HPART_SUCCESS, 'pins an array')
    call hpart_pin(device, c_loc(mine), 8, ierr)
    call expect_status(ierr, HPART_ERR_INVALID_ARGUMENT, 'pinned for this device already', hpart_last_error())
    mine = 2
    call hpart_gemm(device, 'N', 'N', 1.0_real64, mine, mine, 0.0_real64, c)
    call expect(all(c == 80), 'product of an array that is pinned')
    call hpart_unpin(device, c_loc(mine))
    memory = hpart_alloc_pinned(device, -1_int64)
    call expect(.not. c_associated(memory), 'no pinned memory')
  end subroutine

  subroutine sharing()
    type(hpart_device) :: copy
    real(real64) :: a(2, 2), c(2, 2)
    a = 1
    copy = device
    call hpart_device_close(device)
    call hpart_gemm(copy, 'N', 'N', 1.0_real64, a, a, 0.0_real64, c)
    call expect(all(c == 2), 'the copy is still open')
    call hpart_device_close(copy)
  end subroutine

end program
