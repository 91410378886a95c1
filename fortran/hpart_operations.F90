! Products, factorisations and solvers, once a type; the module hpart gives them their names.
module hpart_operations_s
  use hpart_c, only: c_gemm => c_sgemm, c_gemv => c_sgemv, c_syrk => c_ssyrk, c_trmm => c_strmm, c_symm => c_ssymm, &
      c_syr2k => c_ssyr2k, c_gemmt => c_sgemmt, c_gemm_strided_batched => c_sgemm_strided_batched, c_trsm => c_strsm, &
      c_getrf => c_sgetrf, c_potrf => c_spotrf, c_geqrf => c_sgeqrf, c_getrs => c_sgetrs, c_potrs => c_spotrs, &
      c_getri => c_sgetri, c_potri => c_spotri, c_ormqr => c_sormqr, c_orgqr => c_sorgqr, c_gesv => c_sgesv, &
      c_posv => c_sposv, c_gels => c_sgels
#define VALUE real(real32)
#include "hpart_operations.inc"
#undef VALUE
end module

module hpart_operations_d
  use hpart_c, only: c_gemm => c_dgemm, c_gemv => c_dgemv, c_syrk => c_dsyrk, c_trmm => c_dtrmm, c_symm => c_dsymm, &
      c_syr2k => c_dsyr2k, c_gemmt => c_dgemmt, c_gemm_strided_batched => c_dgemm_strided_batched, c_trsm => c_dtrsm, &
      c_getrf => c_dgetrf, c_potrf => c_dpotrf, c_geqrf => c_dgeqrf, c_getrs => c_dgetrs, c_potrs => c_dpotrs, &
      c_getri => c_dgetri, c_potri => c_dpotri, c_ormqr => c_dormqr, c_orgqr => c_dorgqr, c_gesv => c_dgesv, &
      c_posv => c_dposv, c_gels => c_dgels
#define VALUE real(real64)
#include "hpart_operations.inc"
#undef VALUE
end module

#define HPART_COMPLEX
module hpart_operations_c
  use hpart_c, only: c_gemm => c_cgemm, c_gemv => c_cgemv, c_syrk => c_csyrk, c_herk => c_cherk, c_trmm => c_ctrmm, &
      c_symm => c_csymm, c_syr2k => c_csyr2k, c_gemmt => c_cgemmt, c_gemm_strided_batched => c_cgemm_strided_batched, &
      c_hemm => c_chemm, c_her2k => c_cher2k, c_trsm => c_ctrsm, c_getrf => c_cgetrf, c_potrf => c_cpotrf, &
      c_geqrf => c_cgeqrf, c_getrs => c_cgetrs, c_potrs => c_cpotrs, c_getri => c_cgetri, c_potri => c_cpotri, &
      c_ormqr => c_cunmqr, c_orgqr => c_cungqr, c_gesv => c_cgesv, c_posv => c_cposv, c_gels => c_cgels
#define VALUE complex(real32)
#define PART real(real32)
#include "hpart_operations.inc"
#undef VALUE
#undef PART
end module

module hpart_operations_z
  use hpart_c, only: c_gemm => c_zgemm, c_gemv => c_zgemv, c_syrk => c_zsyrk, c_herk => c_zherk, c_trmm => c_ztrmm, &
      c_symm => c_zsymm, c_syr2k => c_zsyr2k, c_gemmt => c_zgemmt, c_gemm_strided_batched => c_zgemm_strided_batched, &
      c_hemm => c_zhemm, c_her2k => c_zher2k, c_trsm => c_ztrsm, c_getrf => c_zgetrf, c_potrf => c_zpotrf, &
      c_geqrf => c_zgeqrf, c_getrs => c_zgetrs, c_potrs => c_zpotrs, c_getri => c_zgetri, c_potri => c_zpotri, &
      c_ormqr => c_zunmqr, c_orgqr => c_zungqr, c_gesv => c_zgesv, c_posv => c_zposv, c_gels => c_zgels
#define VALUE complex(real64)
#define PART real(real64)
#include "hpart_operations.inc"
end module
