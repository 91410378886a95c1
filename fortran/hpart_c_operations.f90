! hpart.h as it is, for the other modules: devices and their operations. Arrays are plain c_ptr.
module hpart_c_operations
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_double_complex, c_float, c_float_complex, c_int32_t, c_int64_t, c_ptr
  implicit none
  public

  interface
    function c_device_open(spec, options, device) bind(C, name='hpart_device_open') result(status)
      import
      character(kind=c_char), intent(in) :: spec(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: device
      integer(c_int32_t) :: status
    end function

    subroutine c_device_close(device) bind(C, name='hpart_device_close')
      import
      type(c_ptr), value :: device
    end subroutine

    function c_alloc_pinned(device, bytes) bind(C, name='hpart_alloc_pinned') result(memory)
      import
      type(c_ptr), value :: device
      integer(c_int64_t), value :: bytes
      type(c_ptr) :: memory
    end function

    subroutine c_free_pinned(device, memory) bind(C, name='hpart_free_pinned')
      import
      type(c_ptr), value :: device, memory
    end subroutine
  end interface

  ! alpha and beta: numbers for real types, pointers to one for complex types.
  abstract interface
    function sgemm_call(device, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, b, c, options, report
      integer(c_int32_t), value :: layout, transa, transb
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc
      real(c_float), value :: alpha, beta
      integer(c_int32_t) :: status
    end function

    function dgemm_call(device, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, b, c, options, report
      integer(c_int32_t), value :: layout, transa, transb
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc
      real(c_double), value :: alpha, beta
      integer(c_int32_t) :: status
    end function

    function cgemm_call(device, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, b, c, options, report
      integer(c_int32_t), value :: layout, transa, transb
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc
      complex(c_float_complex), intent(in) :: alpha, beta
      integer(c_int32_t) :: status
    end function

    function zgemm_call(device, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, b, c, options, report
      integer(c_int32_t), value :: layout, transa, transb
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc
      complex(c_double_complex), intent(in) :: alpha, beta
      integer(c_int32_t) :: status
    end function

    function sgemv_call(device, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, x, y, options, report
      integer(c_int32_t), value :: layout, trans
      integer(c_int64_t), value :: m, n, lda, incx, incy
      real(c_float), value :: alpha, beta
      integer(c_int32_t) :: status
    end function

    function dgemv_call(device, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, x, y, options, report
      integer(c_int32_t), value :: layout, trans
      integer(c_int64_t), value :: m, n, lda, incx, incy
      real(c_double), value :: alpha, beta
      integer(c_int32_t) :: status
    end function

    function cgemv_call(device, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, x, y, options, report
      integer(c_int32_t), value :: layout, trans
      integer(c_int64_t), value :: m, n, lda, incx, incy
      complex(c_float_complex), intent(in) :: alpha, beta
      integer(c_int32_t) :: status
    end function

    function zgemv_call(device, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, x, y, options, report
      integer(c_int32_t), value :: layout, trans
      integer(c_int64_t), value :: m, n, lda, incx, incy
      complex(c_double_complex), intent(in) :: alpha, beta
      integer(c_int32_t) :: status
    end function

    function ssyrk_call(device, layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, c, options, report
      integer(c_int32_t), value :: layout, uplo, trans
      integer(c_int64_t), value :: n, k, lda, ldc
      real(c_float), value :: alpha, beta
      integer(c_int32_t) :: status
    end function

    function dsyrk_call(device, layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, c, options, report
      integer(c_int32_t), value :: layout, uplo, trans
      integer(c_int64_t), value :: n, k, lda, ldc
      real(c_double), value :: alpha, beta
      integer(c_int32_t) :: status
    end function

    function csyrk_call(device, layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, c, options, report
      integer(c_int32_t), value :: layout, uplo, trans
      integer(c_int64_t), value :: n, k, lda, ldc
      complex(c_float_complex), intent(in) :: alpha, beta
      integer(c_int32_t) :: status
    end function

    function zsyrk_call(device, layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, c, options, report
      integer(c_int32_t), value :: layout, uplo, trans
      integer(c_int64_t), value :: n, k, lda, ldc
      complex(c_double_complex), intent(in) :: alpha, beta
      integer(c_int32_t) :: status
    end function

    function strsm_call(device, layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, b, options, report
      integer(c_int32_t), value :: layout, side, uplo, transa, diag
      integer(c_int64_t), value :: m, n, lda, ldb
      real(c_float), value :: alpha
      integer(c_int32_t) :: status
    end function

    function dtrsm_call(device, layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, b, options, report
      integer(c_int32_t), value :: layout, side, uplo, transa, diag
      integer(c_int64_t), value :: m, n, lda, ldb
      real(c_double), value :: alpha
      integer(c_int32_t) :: status
    end function

    function ctrsm_call(device, layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, b, options, report
      integer(c_int32_t), value :: layout, side, uplo, transa, diag
      integer(c_int64_t), value :: m, n, lda, ldb
      complex(c_float_complex), intent(in) :: alpha
      integer(c_int32_t) :: status
    end function

    function ztrsm_call(device, layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb, options, &
        report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, b, options, report
      integer(c_int32_t), value :: layout, side, uplo, transa, diag
      integer(c_int64_t), value :: m, n, lda, ldb
      complex(c_double_complex), intent(in) :: alpha
      integer(c_int32_t) :: status
    end function

    function getrf_call(device, layout, m, n, a, lda, pivots, options, report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, options, report
      integer(c_int32_t), value :: layout
      integer(c_int64_t), value :: m, n, lda
      integer(c_int64_t), intent(inout) :: pivots(*)
      integer(c_int32_t) :: status
    end function

    function potrf_call(device, layout, uplo, n, a, lda, options, report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, options, report
      integer(c_int32_t), value :: layout, uplo
      integer(c_int64_t), value :: n, lda
      integer(c_int32_t) :: status
    end function

    function geqrf_call(device, layout, m, n, a, lda, tau, options, report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, tau, options, report
      integer(c_int32_t), value :: layout
      integer(c_int64_t), value :: m, n, lda
      integer(c_int32_t) :: status
    end function

    function gesv_call(device, layout, n, nrhs, a, lda, pivots, b, ldb, options, report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, b, options, report
      integer(c_int32_t), value :: layout
      integer(c_int64_t), value :: n, nrhs, lda, ldb
      integer(c_int64_t), intent(inout) :: pivots(*)
      integer(c_int32_t) :: status
    end function

    function posv_call(device, layout, uplo, n, nrhs, a, lda, b, ldb, options, report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, b, options, report
      integer(c_int32_t), value :: layout, uplo
      integer(c_int64_t), value :: n, nrhs, lda, ldb
      integer(c_int32_t) :: status
    end function

    function gels_call(device, layout, trans, m, n, nrhs, a, lda, b, ldb, options, report) bind(C) result(status)
      import
      type(c_ptr), value :: device, a, b, options, report
      integer(c_int32_t), value :: layout, trans
      integer(c_int64_t), value :: m, n, nrhs, lda, ldb
      integer(c_int32_t) :: status
    end function

    function fft_call(device, rank, dims, batch, sign, in, out, options, report) bind(C) result(status)
      import
      type(c_ptr), value :: device, in, out, options, report
      integer(c_int32_t), value :: sign
      integer(c_int64_t), value :: rank, batch
      integer(c_int64_t), intent(in) :: dims(*)
      integer(c_int32_t) :: status
    end function

    function real_fft_call(device, rank, dims, batch, in, out, options, report) bind(C) result(status)
      import
      type(c_ptr), value :: device, in, out, options, report
      integer(c_int64_t), value :: rank, batch
      integer(c_int64_t), intent(in) :: dims(*)
      integer(c_int32_t) :: status
    end function
  end interface

  procedure(sgemm_call), bind(C, name='hpart_sgemm') :: c_sgemm
  procedure(dgemm_call), bind(C, name='hpart_dgemm') :: c_dgemm
  procedure(cgemm_call), bind(C, name='hpart_cgemm') :: c_cgemm
  procedure(zgemm_call), bind(C, name='hpart_zgemm') :: c_zgemm
  procedure(sgemv_call), bind(C, name='hpart_sgemv') :: c_sgemv
  procedure(dgemv_call), bind(C, name='hpart_dgemv') :: c_dgemv
  procedure(cgemv_call), bind(C, name='hpart_cgemv') :: c_cgemv
  procedure(zgemv_call), bind(C, name='hpart_zgemv') :: c_zgemv
  procedure(ssyrk_call), bind(C, name='hpart_ssyrk') :: c_ssyrk
  procedure(dsyrk_call), bind(C, name='hpart_dsyrk') :: c_dsyrk
  procedure(csyrk_call), bind(C, name='hpart_csyrk') :: c_csyrk
  procedure(zsyrk_call), bind(C, name='hpart_zsyrk') :: c_zsyrk
  procedure(strsm_call), bind(C, name='hpart_strsm') :: c_strsm
  procedure(dtrsm_call), bind(C, name='hpart_dtrsm') :: c_dtrsm
  procedure(ctrsm_call), bind(C, name='hpart_ctrsm') :: c_ctrsm
  procedure(ztrsm_call), bind(C, name='hpart_ztrsm') :: c_ztrsm
  procedure(getrf_call), bind(C, name='hpart_sgetrf') :: c_sgetrf
  procedure(getrf_call), bind(C, name='hpart_dgetrf') :: c_dgetrf
  procedure(getrf_call), bind(C, name='hpart_cgetrf') :: c_cgetrf
  procedure(getrf_call), bind(C, name='hpart_zgetrf') :: c_zgetrf
  procedure(potrf_call), bind(C, name='hpart_spotrf') :: c_spotrf
  procedure(potrf_call), bind(C, name='hpart_dpotrf') :: c_dpotrf
  procedure(potrf_call), bind(C, name='hpart_cpotrf') :: c_cpotrf
  procedure(potrf_call), bind(C, name='hpart_zpotrf') :: c_zpotrf
  procedure(geqrf_call), bind(C, name='hpart_sgeqrf') :: c_sgeqrf
  procedure(geqrf_call), bind(C, name='hpart_dgeqrf') :: c_dgeqrf
  procedure(geqrf_call), bind(C, name='hpart_cgeqrf') :: c_cgeqrf
  procedure(geqrf_call), bind(C, name='hpart_zgeqrf') :: c_zgeqrf
  procedure(gesv_call), bind(C, name='hpart_sgesv') :: c_sgesv
  procedure(gesv_call), bind(C, name='hpart_dgesv') :: c_dgesv
  procedure(gesv_call), bind(C, name='hpart_cgesv') :: c_cgesv
  procedure(gesv_call), bind(C, name='hpart_zgesv') :: c_zgesv
  procedure(posv_call), bind(C, name='hpart_sposv') :: c_sposv
  procedure(posv_call), bind(C, name='hpart_dposv') :: c_dposv
  procedure(posv_call), bind(C, name='hpart_cposv') :: c_cposv
  procedure(posv_call), bind(C, name='hpart_zposv') :: c_zposv
  procedure(gels_call), bind(C, name='hpart_sgels') :: c_sgels
  procedure(gels_call), bind(C, name='hpart_dgels') :: c_dgels
  procedure(gels_call), bind(C, name='hpart_cgels') :: c_cgels
  procedure(gels_call), bind(C, name='hpart_zgels') :: c_zgels
  ! Their alpha and beta are real.
  procedure(ssyrk_call), bind(C, name='hpart_cherk') :: c_cherk
  procedure(dsyrk_call), bind(C, name='hpart_zherk') :: c_zherk
  procedure(fft_call), bind(C, name='hpart_cfft') :: c_cfft
  procedure(fft_call), bind(C, name='hpart_zfft') :: c_zfft
  procedure(real_fft_call), bind(C, name='hpart_sfft_r2c') :: c_sfft_r2c
  procedure(real_fft_call), bind(C, name='hpart_sfft_c2r') :: c_sfft_c2r
  procedure(real_fft_call), bind(C, name='hpart_dfft_r2c') :: c_dfft_r2c
  procedure(real_fft_call), bind(C, name='hpart_dfft_c2r') :: c_dfft_c2r

end module
