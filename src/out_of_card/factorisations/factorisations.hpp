// Triangular operations, factorisations and solvers of matrices on the host that may be larger than the device: LAPACK's
// panels on the host, updates on the device. Results are in the BLAS's and LAPACK's own storage.
#pragma once

#include "core/options.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/factorisations/host_matrix.hpp"
#include "out_of_card/gemm/gemm.hpp"

#include <cstdint>

namespace hpart
{

enum class Triangle : std::uint8_t { upper, lower };
enum class Side : std::uint8_t { left, right };

// C = alpha op(A) op(A)^T + beta C, of one triangle of C; c.rows = n, op(A) is n x k. Plain transposes for complex types,
// as the BLAS's xSYRK; with `hermitian`, xHERK (alpha and beta are then real).
struct SyrkCall {
    Triangle triangle = Triangle::lower;
    Transpose transpose_a = Transpose::none;
    std::int64_t k = 0;
    bool hermitian = false;
    Coefficient alpha = 1;
    const void *a = nullptr;
    std::int64_t lda = 0;
    Coefficient beta = 0;
    HostMatrix c;
};
void syrk(DeviceGroup &devices, const SyrkCall &call, const Options &options, Report &report);

// B = alpha op(A)^-1 B or alpha B op(A)^-1, A triangular.
struct TrsmCall {
    Side side = Side::left;
    Triangle triangle = Triangle::lower;
    Transpose transpose_a = Transpose::none;
    bool unit_diagonal = false;
    Coefficient alpha = 1;
    const void *a = nullptr;
    std::int64_t lda = 0;
    HostMatrix b;
};
void trsm(DeviceGroup &devices, const TrsmCall &call, const Options &options, Report &report);
// B = alpha op(A) B or alpha B op(A).
void trmm(DeviceGroup &devices, const TrsmCall &call, const Options &options, Report &report);

// C = alpha A B + beta C or alpha B A + beta C, A symmetric or Hermitian; one triangle of it is read.
struct SymmCall {
    Side side = Side::left;
    Triangle triangle = Triangle::lower;
    bool hermitian = false;
    Coefficient alpha = 1;
    const void *a = nullptr;
    std::int64_t lda = 0;
    const void *b = nullptr;
    std::int64_t ldb = 0;
    Coefficient beta = 0;
    HostMatrix c;
};
void symm(DeviceGroup &devices, const SymmCall &call, const Options &options, Report &report);

// C = alpha op(A) op(B) + beta C, of one triangle of C.
struct GemmtCall {
    Triangle triangle = Triangle::lower;
    Transpose transpose_a = Transpose::none, transpose_b = Transpose::none;
    std::int64_t k = 0;
    Coefficient alpha = 1;
    const void *a = nullptr;
    std::int64_t lda = 0;
    const void *b = nullptr;
    std::int64_t ldb = 0;
    Coefficient beta = 0;
    HostMatrix c;
};
void gemmt(DeviceGroup &devices, const GemmtCall &call, const Options &options, Report &report);

// C = alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C; with `hermitian`, xHER2K: conjugate transposes and the conjugate of alpha in the second
// product, beta real. The call has B's transpose as A's; op(A) and op(B) are n x k.
void syr2k(DeviceGroup &devices, const GemmtCall &call, bool hermitian, const Options &options, Report &report);

// C_i = alpha op(A_i) op(B_i) + beta C_i; the matrices of each operand are so many elements apart.
struct GemmBatch {
    GemmCall first;
    std::int64_t stride_a = 0, stride_b = 0, stride_c = 0, count = 0;
};
void gemm_strided_batched(DeviceGroup &devices, const GemmBatch &batch, const Options &options, Report &report);

// LAPACK's getrf, potrf, geqrf. Status::numerical, with the report's key info as LAPACK's, for a singular or indefinite
// matrix; the factors up to there are written. pivots: min(rows, columns), 1-based. tau: min(rows, columns) elements.
void getrf(DeviceGroup &devices, const HostMatrix &a, std::int64_t *pivots, const Options &options, Report &report);
void potrf(DeviceGroup &devices, Triangle triangle, const HostMatrix &a, const Options &options, Report &report);
void geqrf(DeviceGroup &devices, const HostMatrix &a, void *tau, const Options &options, Report &report);

// LAPACK's getrs and potrs: op(A) X = B by the factors; B is overwritten by X. Status::numerical, B unchanged: an element of the diagonal
// is 0. Status::invalid_argument: a pivot is no row.
void getrs(DeviceGroup &devices, Transpose transpose_a, const HostMatrix &a, std::span<const std::int64_t> pivots,
           const HostMatrix &b, const Options &options, Report &report);
void potrs(DeviceGroup &devices, Triangle triangle, const HostMatrix &a, const HostMatrix &b, const Options &options,
           Report &report);

// LAPACK's getri and potri: the inverse by the factors, which it replaces; of Cholesky's, the same triangle. Statuses as above.
void getri(DeviceGroup &devices, const HostMatrix &a, std::span<const std::int64_t> pivots, const Options &options,
           Report &report);
void potri(DeviceGroup &devices, Triangle triangle, const HostMatrix &a, const Options &options, Report &report);

// C = op(Q) C or C op(Q), Q of a.columns reflectors in geqrf's storage. LAPACK's ormqr and unmqr.
void ormqr(DeviceGroup &devices, Side side, Transpose transpose_q, const HostMatrix &a, const void *tau,
           const HostMatrix &c, const Options &options, Report &report);
// The first a.columns columns of Q replace its reflectors in A. LAPACK's orgqr and ungqr.
void orgqr(DeviceGroup &devices, std::int64_t reflectors, const HostMatrix &a, const void *tau, const Options &options,
           Report &report);

// Factor and solve; B is overwritten by X. gels: op(A) X = B, A of full rank, B of max(rows, columns) rows.
void gesv(DeviceGroup &devices, const HostMatrix &a, std::int64_t *pivots, const HostMatrix &b, const Options &options,
          Report &report);
void posv(DeviceGroup &devices, Triangle triangle, const HostMatrix &a, const HostMatrix &b, const Options &options,
          Report &report);
void gels(DeviceGroup &devices, Transpose transpose_a, const HostMatrix &a, const HostMatrix &b, const Options &options,
          Report &report);

} // namespace hpart
