! hpart for Fortran: use hpart, link with hpart_fortran (pkg-config hpart-fortran). The calls are those of hpart.h under their own
! names, with these differences:
!   - handles are types; assignment shares one, and the last variable to go destroys it;
!   - ierr (integer(int32)) follows the outputs and is optional: without it a failure stops the program with the library's message;
!     options= and report= come after it, by keyword;
!   - processors, points, tasks, report keys, devices, meters and groupings count from 1;
!   - matrices and vectors of operations are arrays or sections of them, column-major, and know their sizes; op, triangles and
!     sides are the letters of the BLAS; hpart_gemm and its like take any type;
!   - integers are int32 or int64, arrays know their lengths, texts that come back are allocatable.
module hpart
  use hpart_callbacks
  use hpart_constants
  use hpart_failures, only: hpart_strerror, hpart_last_error, hpart_last_error_option
  use hpart_handles, only: hpart_options, hpart_report, hpart_platform, hpart_front, hpart_schedule, &
      hpart_team, hpart_device, hpart_pipeline, hpart_meter, hpart_adaptive, hpart_options_destroy, hpart_report_destroy, &
      hpart_platform_destroy, hpart_front_destroy, hpart_schedule_destroy, hpart_team_destroy, hpart_device_close, &
      hpart_pipeline_destroy, hpart_meter_close, hpart_adaptive_destroy
  use hpart_plain
  use hpart_special
  use hpart_one_kind_32
  use hpart_one_kind_64
  use hpart_special_one_kind_32
  use hpart_special_one_kind_64
  use hpart_two_kinds_32_32
  use hpart_two_kinds_32_64
  use hpart_two_kinds_64_32
  use hpart_two_kinds_64_64
  use hpart_special_two_kinds_32_32
  use hpart_special_two_kinds_32_64
  use hpart_special_two_kinds_64_32
  use hpart_special_two_kinds_64_64
  ! Each under the name of its type and under the one of all types.
  use hpart_operations_s, only: hpart_gemm, hpart_sgemm => hpart_gemm, hpart_gemv, hpart_sgemv => hpart_gemv, hpart_syrk, &
      hpart_ssyrk => hpart_syrk, hpart_trmm, hpart_strmm => hpart_trmm, hpart_symm, hpart_ssymm => hpart_symm, hpart_syr2k, &
      hpart_ssyr2k => hpart_syr2k, hpart_gemmt, hpart_sgemmt => hpart_gemmt, hpart_gemm_strided_batched, &
      hpart_sgemm_strided_batched => hpart_gemm_strided_batched, hpart_trsm, hpart_strsm => hpart_trsm, hpart_getrf, &
      hpart_sgetrf => hpart_getrf, hpart_potrf, hpart_spotrf => hpart_potrf, hpart_geqrf, hpart_sgeqrf => hpart_geqrf, &
      hpart_getrs, hpart_sgetrs => hpart_getrs, hpart_potrs, hpart_spotrs => hpart_potrs, hpart_getri, &
      hpart_sgetri => hpart_getri, hpart_potri, hpart_spotri => hpart_potri, hpart_ormqr, hpart_sormqr => hpart_ormqr, &
      hpart_orgqr, hpart_sorgqr => hpart_orgqr, hpart_gesv, hpart_sgesv => hpart_gesv, hpart_posv, hpart_sposv => hpart_posv, &
      hpart_gels, hpart_sgels => hpart_gels
  use hpart_operations_d, only: hpart_gemm, hpart_dgemm => hpart_gemm, hpart_gemv, hpart_dgemv => hpart_gemv, hpart_syrk, &
      hpart_dsyrk => hpart_syrk, hpart_trmm, hpart_dtrmm => hpart_trmm, hpart_symm, hpart_dsymm => hpart_symm, hpart_syr2k, &
      hpart_dsyr2k => hpart_syr2k, hpart_gemmt, hpart_dgemmt => hpart_gemmt, hpart_gemm_strided_batched, &
      hpart_dgemm_strided_batched => hpart_gemm_strided_batched, hpart_trsm, hpart_dtrsm => hpart_trsm, hpart_getrf, &
      hpart_dgetrf => hpart_getrf, hpart_potrf, hpart_dpotrf => hpart_potrf, hpart_geqrf, hpart_dgeqrf => hpart_geqrf, &
      hpart_getrs, hpart_dgetrs => hpart_getrs, hpart_potrs, hpart_dpotrs => hpart_potrs, hpart_getri, &
      hpart_dgetri => hpart_getri, hpart_potri, hpart_dpotri => hpart_potri, hpart_ormqr, hpart_dormqr => hpart_ormqr, &
      hpart_orgqr, hpart_dorgqr => hpart_orgqr, hpart_gesv, hpart_dgesv => hpart_gesv, hpart_posv, hpart_dposv => hpart_posv, &
      hpart_gels, hpart_dgels => hpart_gels
  use hpart_operations_c, only: hpart_gemm, hpart_cgemm => hpart_gemm, hpart_gemv, hpart_cgemv => hpart_gemv, hpart_syrk, &
      hpart_csyrk => hpart_syrk, hpart_trmm, hpart_ctrmm => hpart_trmm, hpart_symm, hpart_csymm => hpart_symm, hpart_syr2k, &
      hpart_csyr2k => hpart_syr2k, hpart_gemmt, hpart_cgemmt => hpart_gemmt, hpart_gemm_strided_batched, &
      hpart_cgemm_strided_batched => hpart_gemm_strided_batched, hpart_hemm, hpart_chemm => hpart_hemm, hpart_her2k, &
      hpart_cher2k => hpart_her2k, hpart_trsm, hpart_ctrsm => hpart_trsm, hpart_getrf, hpart_cgetrf => hpart_getrf, &
      hpart_potrf, hpart_cpotrf => hpart_potrf, hpart_geqrf, hpart_cgeqrf => hpart_geqrf, hpart_getrs, &
      hpart_cgetrs => hpart_getrs, hpart_potrs, hpart_cpotrs => hpart_potrs, hpart_getri, hpart_cgetri => hpart_getri, &
      hpart_potri, hpart_cpotri => hpart_potri, hpart_ormqr, hpart_cunmqr => hpart_ormqr, hpart_orgqr, &
      hpart_cungqr => hpart_orgqr, hpart_gesv, hpart_cgesv => hpart_gesv, hpart_posv, hpart_cposv => hpart_posv, hpart_gels, &
      hpart_cgels => hpart_gels, hpart_herk, hpart_cherk => hpart_herk
  use hpart_operations_z, only: hpart_gemm, hpart_zgemm => hpart_gemm, hpart_gemv, hpart_zgemv => hpart_gemv, hpart_syrk, &
      hpart_zsyrk => hpart_syrk, hpart_trmm, hpart_ztrmm => hpart_trmm, hpart_symm, hpart_zsymm => hpart_symm, hpart_syr2k, &
      hpart_zsyr2k => hpart_syr2k, hpart_gemmt, hpart_zgemmt => hpart_gemmt, hpart_gemm_strided_batched, &
      hpart_zgemm_strided_batched => hpart_gemm_strided_batched, hpart_hemm, hpart_zhemm => hpart_hemm, hpart_her2k, &
      hpart_zher2k => hpart_her2k, hpart_trsm, hpart_ztrsm => hpart_trsm, hpart_getrf, hpart_zgetrf => hpart_getrf, &
      hpart_potrf, hpart_zpotrf => hpart_potrf, hpart_geqrf, hpart_zgeqrf => hpart_geqrf, hpart_getrs, &
      hpart_zgetrs => hpart_getrs, hpart_potrs, hpart_zpotrs => hpart_potrs, hpart_getri, hpart_zgetri => hpart_getri, &
      hpart_potri, hpart_zpotri => hpart_potri, hpart_ormqr, hpart_zunmqr => hpart_ormqr, hpart_orgqr, &
      hpart_zungqr => hpart_orgqr, hpart_gesv, hpart_zgesv => hpart_gesv, hpart_posv, hpart_zposv => hpart_posv, hpart_gels, &
      hpart_zgels => hpart_gels, hpart_herk, hpart_zherk => hpart_herk
  use hpart_fft_c1, only: hpart_fft, hpart_cfft => hpart_fft, hpart_fft_r2c, hpart_sfft_r2c => hpart_fft_r2c, hpart_fft_c2r, &
      hpart_sfft_c2r => hpart_fft_c2r
  use hpart_fft_c2, only: hpart_fft, hpart_cfft => hpart_fft, hpart_fft_r2c, hpart_sfft_r2c => hpart_fft_r2c, hpart_fft_c2r, &
      hpart_sfft_c2r => hpart_fft_c2r
  use hpart_fft_c3, only: hpart_fft, hpart_cfft => hpart_fft, hpart_fft_r2c, hpart_sfft_r2c => hpart_fft_r2c, hpart_fft_c2r, &
      hpart_sfft_c2r => hpart_fft_c2r
  use hpart_fft_c4, only: hpart_fft, hpart_cfft => hpart_fft, hpart_fft_r2c, hpart_sfft_r2c => hpart_fft_r2c, hpart_fft_c2r, &
      hpart_sfft_c2r => hpart_fft_c2r
  use hpart_fft_z1, only: hpart_fft, hpart_zfft => hpart_fft, hpart_fft_r2c, hpart_dfft_r2c => hpart_fft_r2c, hpart_fft_c2r, &
      hpart_dfft_c2r => hpart_fft_c2r
  use hpart_fft_z2, only: hpart_fft, hpart_zfft => hpart_fft, hpart_fft_r2c, hpart_dfft_r2c => hpart_fft_r2c, hpart_fft_c2r, &
      hpart_dfft_c2r => hpart_fft_c2r
  use hpart_fft_z3, only: hpart_fft, hpart_zfft => hpart_fft, hpart_fft_r2c, hpart_dfft_r2c => hpart_fft_r2c, hpart_fft_c2r, &
      hpart_dfft_c2r => hpart_fft_c2r
  use hpart_fft_z4, only: hpart_fft, hpart_zfft => hpart_fft, hpart_fft_r2c, hpart_dfft_r2c => hpart_fft_r2c, hpart_fft_c2r, &
      hpart_dfft_c2r => hpart_fft_c2r
  implicit none
  public
end module
