/* hpart: devices, operations on host data, and pipelines. A part of hpart.h.
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HPART_H
#include "../hpart.h" /* which includes this part */
#endif
#ifndef HPART_OPERATIONS_H
#define HPART_OPERATIONS_H

/* ---- devices ------------------------------ */

/* Returns the number of accelerators on this machine; 0 if there are none, or no drivers. */
HPART_API int64_t hpart_device_count(void);
/* Describes device k: "opencl:0:0 NAME, N compute units, B bytes, ...". The first word is its spec. */
HPART_API hpart_status hpart_device_describe(int64_t k, char *buffer, int64_t capacity, int64_t *needed);

/* Opens a device, or several that share each operation.
 * spec: "host" (the cores of this machine), "opencl:P:D" (device D of platform P), "opencl:P:D:S" (only its S-th compute unit), "cuda:N",
 * or a list of different ones with commas, "opencl:0:0,host". Two OpenCL devices of a list must not be the same cores.
 * Option memory_limit belongs to the device; the others are defaults of its operations. A device runs one operation at a time: calls
 * from other threads wait, and a callback of an operation cannot start another one on the device. An accelerator does not work in a fork
 * of a process that opened one. Do not fork while host runs an operation or pins memory, or both processes may wait for ever;
 * posix_spawn is safe.
 * With OpenMP's OpenBLAS, operations of host may wait for ever in a fork of a process that has used OpenBLAS on several threads.
 * Close devices before the program calls fftw_cleanup: an open device keeps plans of FFTW.
 * hpart_device_close destroys the device and its remaining pinned memory.
 * HPART_ERR_DEVICE: no such device, or it fails. HPART_ERR_UNSUPPORTED: this build or machine has no such kind of device. */
HPART_API hpart_status hpart_device_open(const char *spec, const hpart_options *options, hpart_device **device);
HPART_API void hpart_device_close(hpart_device *device);

/* Allocates and frees host memory for the device's fastest transfers: arrays in it need no staging. bytes >= 0. Returns NULL on failure
 * and sets hpart_last_error. The memory is valid until hpart_free_pinned or hpart_device_close. hpart_free_pinned(NULL) has no
 * effect; it ignores pointers that are not this device's and sets hpart_last_error. If an OpenCL driver cannot pin so much at once, the
 * memory is plain. */
HPART_API void *hpart_alloc_pinned(hpart_device *device, int64_t bytes);
HPART_API void hpart_free_pinned(hpart_device *device, void *memory);

/* Pins `bytes` >= 1 of your own memory for a device, until hpart_unpin or hpart_device_close: CUDA devices then copy them without staging,
 * as they copy memory of hpart_alloc_pinned. Pin once what several operations use: the call itself takes time for each page. If the memory
 * is mapped read-only, the operations must not write it, and the driver may refuse it.
 * Unpin memory before you free it, and not while an operation uses it.
 * Other kinds of devices have no such call: the memory stays plain, and the call succeeds.
 * hpart_unpin(NULL) has no effect; it ignores pointers that hpart_pin did not get and sets hpart_last_error.
 * HPART_ERR_INVALID_ARGUMENT: some of the memory is pinned already, for this device or with CUDA, or is none of this process.
 * HPART_ERR_OUT_OF_MEMORY, HPART_ERR_DEVICE: the driver refuses. */
HPART_API hpart_status hpart_pin(hpart_device *device, void *memory, int64_t bytes);
HPART_API void hpart_unpin(hpart_device *device, void *memory);

/* Returns the native handle of a device, for building kernels. what: "cl_context" or "cl_device_id" (OpenCL), "CUcontext" (CUDA).
 * k: number in a list of devices, from 0. The device keeps owning the handle. HPART_ERR_UNSUPPORTED: that kind of device has none. */
HPART_API hpart_status hpart_device_native(const hpart_device *device, int64_t k, const char *what, void **handle);

/* A product of row-major matrices on a device, C = alpha op(A) op(B) + beta C. op(A) is m x k, op(B) k x n, C m x n; all positive. If
 * beta is 0, C may hold anything and must not be read. Later versions may add members at the end. */
typedef struct hpart_product {
    int32_t type;           /* 's', 'd', 'c' or 'z' */
    int32_t device;         /* number in a list of devices, from 0 */
    int32_t transa, transb; /* HPART_NO_TRANSPOSE, HPART_TRANSPOSE or HPART_CONJUGATE_TRANSPOSE */
    int64_t m, n, k;
    const void *alpha, *beta;             /* numbers of the type on the host, valid during the call */
    void *a, *b, *c;                      /* cl_mem (OpenCL), CUdeviceptr (CUDA), or address (host) */
    int64_t offset_a, offset_b, offset_c; /* elements before the first one */
    int64_t lda, ldb, ldc;                /* elements from row to row */
    void *scratch;                        /* scratch_bytes on the device; NULL if they are 0 */
} hpart_product;

/* Adds a product to the queue, a cl_command_queue or CUstream, without waiting for it. On the host queue is NULL, and the function
 * computes the product. hpart calls it on any thread, for several devices of a list at once. A non-zero return value ends the
 * operation with HPART_ERR_CALLBACK. */
typedef int (*hpart_gemm_enqueue)(void *queue, const hpart_product *product, void *user);

/* Sets your own product of one type on a device, or on each of a list: gemm, the other products and the factorisations use it from now
 * on (option kernel: auto or user). enqueue NULL: hpart's own again. hpart compares it with the host on small products first.
 * type: 's', 'd', 'c' or 'z'. row_multiple, column_multiple: 1 to 65536, the rows and columns of C that it computes at full rate.
 * largest_side: of m, n, k and the leading dimensions, at least 1024; 0: any. scratch_bytes >= 0: on the device, counted in its memory.
 * On success the device owns `user`: it calls free_user (may be NULL) when it is closed, or has another product of the type.
 * HPART_ERR_INVALID_ARGUMENT: also a function that computes another product; the message has the element. HPART_ERR_OUT_OF_MEMORY:
 * scratch_bytes. HPART_ERR_CALLBACK. HPART_ERR_UNSUPPORTED: the device lacks the type. After an error the device has the product that it
 * had. */
HPART_API hpart_status hpart_device_set_gemm(hpart_device *device, int32_t type, int64_t row_multiple, int64_t column_multiple,
                                             int64_t largest_side, int64_t scratch_bytes, hpart_gemm_enqueue enqueue, void *user,
                                             hpart_free free_user);

/* ---- operations on host data, which may be larger than the device's memory ------------------------------
 *
 * Data moves to the device and back in tiles, overlapped with the kernels (docs/background/out-of-card.md). Calls and arguments follow CBLAS,
 * LAPACK and FFTW. Types: s float, d double, c and z complex float and double. Complex numbers are two reals, real part first;
 * their arrays are void pointers, and their alpha and beta point to one number.
 *
 *   layout         HPART_ROW_MAJOR, HPART_COLUMN_MAJOR
 *   trans          HPART_NO_TRANSPOSE, HPART_TRANSPOSE, HPART_CONJUGATE_TRANSPOSE (for real types the transpose)
 *   uplo           HPART_UPPER, HPART_LOWER: the other triangle is neither read nor changed
 *   diag           HPART_NON_UNIT; HPART_UNIT: the diagonal is 1 and not read
 *   side           HPART_LEFT, HPART_RIGHT
 *   m, n, k, ...   >= 0; an array without elements may be NULL
 *   lda, ldb, ldc  leading dimension: distance of rows (row-major) or columns (column-major) in elements, >= their length and >= 1
 *
 * Option dry_run=1 plans the operation as a run would, and computes nothing: the report has the predictions, seconds and bytes
 * transferred are 0, and the arrays may be NULL. NULL counts as memory that is not pinned; FFT: as in place if both are NULL.
 *
 * Outputs must not overlap inputs. Only device memory is limited. options and report may be NULL. On success, with
 * HPART_ERR_NUMERICAL, and with HPART_ERR_IO after a complete result whose trace_file cannot be written, the call returns a new report,
 * which the caller destroys.
 *
 * Report keys, of all operations; with several devices, sums over the devices:
 *   method             place of the operation: host, zero-copy (a device in the host's memory), out-of-card, devices (several), pipeline
 *   plan               products: model, hclooc, tile; transforms: in-card, slabs; factorisations: recursive, left-looking;
 *                      several devices: shares; else the method
 *   tiles              tile sizes, human-readable; empty if nothing was split
 *   seconds            of the operation itself
 *   setup_seconds      of work done once for this device and shape: measuring, compiling kernels, planning
 *   gflops             rate; complex operations count as their real ones. Not of pipelines
 *   bytes_to_device, bytes_from_device   bytes transferred
 *   staged_bytes       the part of them that went through the library's pinned buffers
 *   kernel_seconds, transfer_seconds     time with a kernel, with a transfer running; 0 if the driver has no times
 *   overlap            the part of transfer_seconds, 0 to 1, that kernels hid
 *   memory_retries     retries with smaller tiles, since a device had less memory than it reported
 * of some:
 *   kernel             products, transforms, factorisations with a part on a device: name of the kernel; empty if none ran
 *   bytes_planned      products, transforms with a plan, pipelines: planned bytes, both ways
 *   lower_bound_bytes  the same, factorisations and solvers out of card: least bytes, both ways, of any plan in this memory; plan
 *                      recursive: the sum over its products
 *   predicted_seconds  products, transforms with a plan: prediction of the model of the device; with dry_run all
 *                      operations with a part on a device
 *   bound_by           products with a plan on one device: the resource that limits the predicted time
 *   device_bytes       products with a plan, pipelines: device memory used
 *   least_memory       with dry_run, one device with its own memory or a limit: the smallest memory_limit, within 2 per cent, with
 *                      which there is a plan; of transforms by VkFFT and cuFFT an estimate
 *   advised_memory     the same, if the present limit leaves room to measure the device: about the smallest memory_limit with which
 *                      predicted_seconds is within 1.2 of its value with the device's whole memory
 *   in_card_gflops     gemm out of card on one device, with the option in_card_rate
 *   on_host            transforms: the part done on the host, and the reason
 *   panel_width        factorisations, solvers: columns of a panel
 *   resident_width, last_width   plan left-looking: columns that stay on the device; columns of the last panel
 *   panel_seconds      factorisations, solvers: of the host's panels
 *   info               the same: LAPACK's info
 *   devices, device_shares, device_seconds   several devices, but not gemv: their specs (gemm: also their parts of C), shares of the
 *                      work, and times
 *
 * Statuses besides HPART_ERR_INVALID_ARGUMENT, which changes nothing:
 *   HPART_ERR_OUT_OF_MEMORY  the smallest tiles do not fit in the device's memory, or host memory is full; nothing was changed
 *   HPART_ERR_DEVICE         the device failed, or host memory ran out during the operation; outputs may be partly changed
 *   HPART_ERR_CANCELLED      the progress callback stopped the call; outputs may be partly changed
 *   HPART_ERR_UNSUPPORTED    this build lacks a library (the message names it), or a size is too large for it
 *   HPART_ERR_NUMERICAL      factorisations and solvers: a singular or indefinite matrix; report key info
 * After an error all other resources are free, and the device can be used again, unless the message says that the process can
 * no longer use it: after a fault in a kernel, CUDA refuses all later calls of the process. */

/* CBLAS's values. */
enum {
    HPART_ROW_MAJOR = 101,
    HPART_COLUMN_MAJOR = 102,
    HPART_NO_TRANSPOSE = 111,
    HPART_TRANSPOSE = 112,
    HPART_CONJUGATE_TRANSPOSE = 113,
    HPART_UPPER = 121,
    HPART_LOWER = 122,
    HPART_NON_UNIT = 131,
    HPART_UNIT = 132,
    HPART_LEFT = 141,
    HPART_RIGHT = 142
};

/* C = alpha op(A) op(B) + beta C: op(A) is m x k, op(B) k x n, C m x n. If beta is 0, C is not read; if alpha is 0, A and B are not.
 * 2 m n k operations; transfers and tiles: docs/background/out-of-card.md. Sources: BLAS (Dongarra et al. 1990); plan=hclooc: HCLOOC
 * (Khaleghzadeh et al. 2018). */
HPART_API hpart_status hpart_sgemm(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m, int64_t n,
                                   int64_t k, float alpha, const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                                   float *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgemm(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m, int64_t n,
                                   int64_t k, double alpha, const double *a, int64_t lda, const double *b, int64_t ldb, double beta,
                                   double *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgemm(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m, int64_t n,
                                   int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                                   const void *beta, void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgemm(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m, int64_t n,
                                   int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                                   const void *beta, void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
/* y = alpha op(A) x + beta y, A is m x n; beta y if op(A) has no columns. incx and incy != 0; a negative one counts from the array's end, as in the BLAS. */
HPART_API hpart_status hpart_sgemv(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, float alpha,
                                   const float *a, int64_t lda, const float *x, int64_t incx, float beta, float *y, int64_t incy,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgemv(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, double alpha,
                                   const double *a, int64_t lda, const double *x, int64_t incx, double beta, double *y,
                                   int64_t incy, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgemv(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, const void *alpha,
                                   const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y, int64_t incy,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgemv(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, const void *alpha,
                                   const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y, int64_t incy,
                                   const hpart_options *options, hpart_report **report);
/* C = alpha op(A) op(A)^T + beta C in the triangle uplo of the n x n matrix C; op(A) is n x k. Complex types: trans is
 * HPART_NO_TRANSPOSE or HPART_TRANSPOSE. */
HPART_API hpart_status hpart_ssyrk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   float alpha, const float *a, int64_t lda, float beta, float *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dsyrk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   double alpha, const double *a, int64_t lda, double beta, double *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_csyrk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   const void *alpha, const void *a, int64_t lda, const void *beta, void *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zsyrk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   const void *alpha, const void *a, int64_t lda, const void *beta, void *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
/* C = alpha op(A) op(A)^H + beta C with real alpha and beta, C Hermitian; trans is HPART_NO_TRANSPOSE or HPART_CONJUGATE_TRANSPOSE.
 * The diagonal becomes real, unless alpha or k is 0 and beta is 1, which leave C as it is. */
HPART_API hpart_status hpart_cherk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   float alpha, const void *a, int64_t lda, float beta, void *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zherk(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                   double alpha, const void *a, int64_t lda, double beta, void *c, int64_t ldc,
                                   const hpart_options *options, hpart_report **report);
/* B = alpha op(A)^-1 B (left) or alpha B op(A)^-1 (right); B is m x n, A triangular of order m or n. As in the BLAS,
 * there is no test for singularity. */
HPART_API hpart_status hpart_strsm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, float alpha, const float *a, int64_t lda, float *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dtrsm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, double alpha, const double *a, int64_t lda, double *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_ctrsm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_ztrsm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
/* C = alpha A B + beta C (left) or alpha B A + beta C (right); B and C are m x n, A is symmetric of order m or n: its triangle uplo is read.
 * If beta is 0, C is not read; if alpha is 0, A and B are not. 2 m n times the order of A operations. */
HPART_API hpart_status hpart_ssymm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int64_t m, int64_t n,
                                   float alpha, const float *a, int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                                   int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dsymm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int64_t m, int64_t n,
                                   double alpha, const double *a, int64_t lda, const double *b, int64_t ldb, double beta, double *c,
                                   int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_csymm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int64_t m, int64_t n,
                                   const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                                   void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zsymm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int64_t m, int64_t n,
                                   const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                                   void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
/* The same with a Hermitian A; the imaginary parts of its diagonal are not read. */
HPART_API hpart_status hpart_chemm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int64_t m, int64_t n,
                                   const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                                   void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zhemm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int64_t m, int64_t n,
                                   const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                                   void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
/* B = alpha op(A) B (left) or alpha B op(A) (right); B is m x n, A triangular of order m or n. */
HPART_API hpart_status hpart_strmm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, float alpha, const float *a, int64_t lda, float *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dtrmm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, double alpha, const double *a, int64_t lda, double *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_ctrmm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_ztrmm(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa, int32_t diag,
                                   int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb,
                                   const hpart_options *options, hpart_report **report);
/* C = alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C in the triangle uplo of the n x n matrix C; op(A) and op(B) are n x k. Complex
 * types: trans is HPART_NO_TRANSPOSE or HPART_TRANSPOSE. 2 n^2 k operations. */
HPART_API hpart_status hpart_ssyr2k(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                    float alpha, const float *a, int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                                    int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dsyr2k(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                    double alpha, const double *a, int64_t lda, const double *b, int64_t ldb, double beta,
                                    double *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_csyr2k(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                                    void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zsyr2k(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                                    void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
/* C = alpha op(A) op(B)^H + conj(alpha) op(B) op(A)^H + beta C with real beta, C Hermitian; trans is HPART_NO_TRANSPOSE or
 * HPART_CONJUGATE_TRANSPOSE. The diagonal becomes real, unless alpha or k is 0 and beta is 1, which leave C as it is. */
HPART_API hpart_status hpart_cher2k(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, float beta, void *c,
                                    int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zher2k(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n, int64_t k,
                                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, double beta, void *c,
                                    int64_t ldc, const hpart_options *options, hpart_report **report);
/* C = alpha op(A) op(B) + beta C in the triangle uplo of the n x n matrix C; op(A) is n x k, op(B) k x n. n^2 k operations. */
HPART_API hpart_status hpart_sgemmt(hpart_device *device, int32_t layout, int32_t uplo, int32_t transa, int32_t transb, int64_t n,
                                    int64_t k, float alpha, const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                                    float *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgemmt(hpart_device *device, int32_t layout, int32_t uplo, int32_t transa, int32_t transb, int64_t n,
                                    int64_t k, double alpha, const double *a, int64_t lda, const double *b, int64_t ldb,
                                    double beta, double *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgemmt(hpart_device *device, int32_t layout, int32_t uplo, int32_t transa, int32_t transb, int64_t n,
                                    int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                                    const void *beta, void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgemmt(hpart_device *device, int32_t layout, int32_t uplo, int32_t transa, int32_t transb, int64_t n,
                                    int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                                    const void *beta, void *c, int64_t ldc, const hpart_options *options, hpart_report **report);
/* The product of hpart_?gemm `batch` times, one after another: the matrices of each operand are stridea, strideb and stridec elements apart.
 * stridea and strideb >= 0, where 0 takes the same matrix each time; stridec is at least the span of one
 * result, from its first element to its last, if batch > 1. */
HPART_API hpart_status hpart_sgemm_strided_batched(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m,
                                                   int64_t n, int64_t k, float alpha, const float *a, int64_t lda, int64_t stridea,
                                                   const float *b, int64_t ldb, int64_t strideb, float beta, float *c, int64_t ldc,
                                                   int64_t stridec, int64_t batch, const hpart_options *options,
                                                   hpart_report **report);
HPART_API hpart_status hpart_dgemm_strided_batched(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m,
                                                   int64_t n, int64_t k, double alpha, const double *a, int64_t lda,
                                                   int64_t stridea, const double *b, int64_t ldb, int64_t strideb, double beta,
                                                   double *c, int64_t ldc, int64_t stridec, int64_t batch,
                                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgemm_strided_batched(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m,
                                                   int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda,
                                                   int64_t stridea, const void *b, int64_t ldb, int64_t strideb, const void *beta,
                                                   void *c, int64_t ldc, int64_t stridec, int64_t batch,
                                                   const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgemm_strided_batched(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m,
                                                   int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda,
                                                   int64_t stridea, const void *b, int64_t ldb, int64_t strideb, const void *beta,
                                                   void *c, int64_t ldc, int64_t stridec, int64_t batch,
                                                   const hpart_options *options, hpart_report **report);
/* P A = L U with partial pivoting, of an m x n matrix, in LAPACK's storage. pivots[min(m, n)]: row k was exchanged with row pivots[k],
 * counted from 1 (also with row-major layout).
 * HPART_ERR_NUMERICAL: info is the first zero (the factors are complete), subnormal or NaN of U's diagonal, counted from 1.
 * 2/3 n^3 operations. Source: LAPACK's getrf. */
HPART_API hpart_status hpart_sgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, float *a, int64_t lda,
                                    int64_t *pivots, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, double *a, int64_t lda,
                                    int64_t *pivots, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda,
                                    int64_t *pivots, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda,
                                    int64_t *pivots, const hpart_options *options, hpart_report **report);
/* A = L L^H (lower) or U^H U (upper), A Hermitian positive definite of order n. HPART_ERR_NUMERICAL: the leading minor of order
 * info is not positive; the factor of the ones before it is written. n^3/3 operations. */
HPART_API hpart_status hpart_spotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, float *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dpotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, double *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cpotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, void *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zpotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, void *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
/* A = Q R in LAPACK's storage: R in the upper triangle, the reflectors below it, their factors in tau[min(m, n)]. */
HPART_API hpart_status hpart_sgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, float *a, int64_t lda, float *tau,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, double *a, int64_t lda, double *tau,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda, void *tau,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda, void *tau,
                                    const hpart_options *options, hpart_report **report);
/* Solves op(A) X = B by the factors of hpart_?getrf in a and pivots[n]; A of order n, B of n x nrhs. B becomes X.
 * HPART_ERR_NUMERICAL: A is singular; B is not changed. 2 n^2 nrhs operations. Source: LAPACK's getrs. */
HPART_API hpart_status hpart_sgetrs(hpart_device *device, int32_t layout, int32_t trans, int64_t n, int64_t nrhs, const float *a,
                                    int64_t lda, const int64_t *pivots, float *b, int64_t ldb, const hpart_options *options,
                                    hpart_report **report);
HPART_API hpart_status hpart_dgetrs(hpart_device *device, int32_t layout, int32_t trans, int64_t n, int64_t nrhs, const double *a,
                                    int64_t lda, const int64_t *pivots, double *b, int64_t ldb, const hpart_options *options,
                                    hpart_report **report);
HPART_API hpart_status hpart_cgetrs(hpart_device *device, int32_t layout, int32_t trans, int64_t n, int64_t nrhs, const void *a,
                                    int64_t lda, const int64_t *pivots, void *b, int64_t ldb, const hpart_options *options,
                                    hpart_report **report);
HPART_API hpart_status hpart_zgetrs(hpart_device *device, int32_t layout, int32_t trans, int64_t n, int64_t nrhs, const void *a,
                                    int64_t lda, const int64_t *pivots, void *b, int64_t ldb, const hpart_options *options,
                                    hpart_report **report);
/* Solves A X = B by the factor of hpart_?potrf in the triangle of a. HPART_ERR_NUMERICAL: the factor has a zero, a
 * subnormal number or NaN on its diagonal; B is not changed. */
HPART_API hpart_status hpart_spotrs(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, const float *a,
                                    int64_t lda, float *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dpotrs(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, const double *a,
                                    int64_t lda, double *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cpotrs(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, const void *a,
                                    int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zpotrs(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, const void *a,
                                    int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
/* A becomes its inverse, from the factors of hpart_?getrf in a and pivots[n]. HPART_ERR_NUMERICAL: A is singular, and is not changed.
 * 4/3 n^3 operations; n^2/2 numbers of host memory. Source: LAPACK's getri. */
HPART_API hpart_status hpart_sgetri(hpart_device *device, int32_t layout, int64_t n, float *a, int64_t lda, const int64_t *pivots,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgetri(hpart_device *device, int32_t layout, int64_t n, double *a, int64_t lda, const int64_t *pivots,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgetri(hpart_device *device, int32_t layout, int64_t n, void *a, int64_t lda, const int64_t *pivots,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgetri(hpart_device *device, int32_t layout, int64_t n, void *a, int64_t lda, const int64_t *pivots,
                                    const hpart_options *options, hpart_report **report);
/* A becomes its inverse, from the factor of hpart_?potrf in the triangle of a; the other triangle is not used. HPART_ERR_NUMERICAL: the
 * factor has a zero, a subnormal number or NaN on its diagonal; A is not changed. 2/3 n^3 operations. */
HPART_API hpart_status hpart_spotri(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, float *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dpotri(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, double *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cpotri(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, void *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zpotri(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, void *a, int64_t lda,
                                    const hpart_options *options, hpart_report **report);
/* C = op(Q) C (left) or C op(Q) (right), C of m x n; Q is the product of the k reflectors of hpart_?geqrf in the columns of a and in
 * tau[k]. A has m rows (left) or n (right), k is at most as many. trans: HPART_NO_TRANSPOSE, or HPART_TRANSPOSE (real types) or
 * HPART_CONJUGATE_TRANSPOSE. 4 m n k operations at most. Source: LAPACK's ormqr and unmqr. */
HPART_API hpart_status hpart_sormqr(hpart_device *device, int32_t layout, int32_t side, int32_t trans, int64_t m, int64_t n,
                                    int64_t k, const float *a, int64_t lda, const float *tau, float *c, int64_t ldc,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dormqr(hpart_device *device, int32_t layout, int32_t side, int32_t trans, int64_t m, int64_t n,
                                    int64_t k, const double *a, int64_t lda, const double *tau, double *c, int64_t ldc,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cunmqr(hpart_device *device, int32_t layout, int32_t side, int32_t trans, int64_t m, int64_t n,
                                    int64_t k, const void *a, int64_t lda, const void *tau, void *c, int64_t ldc,
                                    const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zunmqr(hpart_device *device, int32_t layout, int32_t side, int32_t trans, int64_t m, int64_t n,
                                    int64_t k, const void *a, int64_t lda, const void *tau, void *c, int64_t ldc,
                                    const hpart_options *options, hpart_report **report);
/* A, m x n, becomes the first n columns of Q, from the k reflectors of hpart_?geqrf in its first columns and in tau[k]; m >= n >= k.
 * Source: LAPACK's orgqr and ungqr. */
HPART_API hpart_status hpart_sorgqr(hpart_device *device, int32_t layout, int64_t m, int64_t n, int64_t k, float *a, int64_t lda,
                                    const float *tau, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dorgqr(hpart_device *device, int32_t layout, int64_t m, int64_t n, int64_t k, double *a, int64_t lda,
                                    const double *tau, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cungqr(hpart_device *device, int32_t layout, int64_t m, int64_t n, int64_t k, void *a, int64_t lda,
                                    const void *tau, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zungqr(hpart_device *device, int32_t layout, int64_t m, int64_t n, int64_t k, void *a, int64_t lda,
                                    const void *tau, const hpart_options *options, hpart_report **report);
/* Solves A X = B, A of order n, B of n x nrhs. B becomes X, A its factors of hpart_?getrf. HPART_ERR_NUMERICAL: A is singular; B is not
 * changed. */
HPART_API hpart_status hpart_sgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, float *a, int64_t lda,
                                   int64_t *pivots, float *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, double *a, int64_t lda,
                                   int64_t *pivots, double *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, void *a, int64_t lda,
                                   int64_t *pivots, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, void *a, int64_t lda,
                                   int64_t *pivots, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
/* The same for a Hermitian positive definite A. A becomes its factor of hpart_?potrf. */
HPART_API hpart_status hpart_sposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, float *a,
                                   int64_t lda, float *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, double *a,
                                   int64_t lda, double *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_cposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, void *a,
                                   int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, void *a,
                                   int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
/* Solves op(A) X = B, A m x n of full rank, by QR or LQ: least squares, or the solution of least norm if op(A) has more columns than
 * rows. Complex types: trans is HPART_NO_TRANSPOSE or HPART_CONJUGATE_TRANSPOSE.
 * B has max(m, n) rows: the right-hand sides on top become the solutions; below them, as in LAPACK, numbers whose squares sum to the
 * residual's. A becomes its factors. HPART_ERR_NUMERICAL: A is not of full rank. */
HPART_API hpart_status hpart_sgels(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, int64_t nrhs,
                                   float *a, int64_t lda, float *b, int64_t ldb, const hpart_options *options,
                                   hpart_report **report);
HPART_API hpart_status hpart_dgels(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, int64_t nrhs,
                                   double *a, int64_t lda, double *b, int64_t ldb, const hpart_options *options,
                                   hpart_report **report);
HPART_API hpart_status hpart_cgels(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, int64_t nrhs, void *a,
                                   int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zgels(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, int64_t nrhs, void *a,
                                   int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report);
/* Computes discrete Fourier transforms of `batch` consecutive arrays of dims[rank] points of any length, the last dimension contiguous:
 * out[k] = sum in[j] exp(sign 2 pi i jk/n), not normalised, as FFTW. sign: -1 forward, +1 backward; backward after forward returns the
 * input times its number of points. cfft: float, zfft: double. in == out is allowed, any other overlap is not. 5 n log2 n operations.
 * dims >= 1; batch >= 0, and a batch of 0 does nothing. */
HPART_API hpart_status hpart_cfft(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, int32_t sign,
                                  const float *in, float *out, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_zfft(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, int32_t sign,
                                  const double *in, double *out, const hpart_options *options, hpart_report **report);
/* Forward transform of real numbers. out has dims[rank-1]/2 + 1 complex numbers in the last dimension; the others follow by symmetry.
 * In place (in == out) a row of reals is padded to the size of a row of the spectrum, as in FFTW. */
HPART_API hpart_status hpart_sfft_r2c(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, const float *in,
                                      float *out, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dfft_r2c(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, const double *in,
                                      double *out, const hpart_options *options, hpart_report **report);
/* Backward transform from that half of the spectrum to real numbers. dims: of the real array. in is not changed unless in == out. */
HPART_API hpart_status hpart_sfft_c2r(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, const float *in,
                                      float *out, const hpart_options *options, hpart_report **report);
HPART_API hpart_status hpart_dfft_c2r(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, const double *in,
                                      double *out, const hpart_options *options, hpart_report **report);

/* ---- pipeline: your own kernel on data larger than the device's memory ------------------------------
 *
 * You write a list of steps. Each step reads, writes or updates blocks of host arrays; a block is rows of bytes at equal distances.
 * When the list runs, hpart keeps blocks on the device in a ring of buffers per array. It brings each block in before the first step
 * that needs it, and back after the last one that writes it. Transfers overlap with kernels. Your kernel is called once per step
 * with the blocks' memory on the device. The result is as if the steps ran one after another on the host's memory.
 * hpart plans the whole list before it runs. If it must evict a block, it takes the one whose next use is farthest (Belady 1966). It
 * does not move a block that is used again before then.
 *
 * examples/own_kernel.c multiplies matrices with an OpenCL kernel of its own. */

/* device: one device, which must stay open until the pipeline is destroyed. */
HPART_API hpart_status hpart_pipeline_create(hpart_device *device, hpart_pipeline **pipeline);
HPART_API void hpart_pipeline_destroy(hpart_pipeline *pipeline);

/* Adds a host array with blocks of at most block_bytes. slots: its buffers on the device; 0: as many as the fullest step needs, and more
 * if memory suffices. *array: the array's number, from 0. A run returns HPART_ERR_INVALID_ARGUMENT if a step uses more blocks of it than
 * slots. */
HPART_API hpart_status hpart_pipeline_add_array(hpart_pipeline *pipeline, int64_t block_bytes, int64_t slots, int64_t *array);

/* Adds the step's next block: `rows` rows of row_bytes, pitch_bytes apart on the host, contiguous on the device. read: the kernel only
 * reads it; write: it writes all of it and reads nothing; update: it reads and writes. hpart_pipeline_end_step ends the step; steps run
 * in that order, and none after a kernel that failed. A step has at least one block. It may read a block more than once.
 * The memory must stay valid until the pipeline has run. Blocks are the same if address, rows, row_bytes and pitch_bytes are.
 * HPART_ERR_INVALID_ARGUMENT, from hpart_pipeline_end_step: blocks of the step overlap and are not all read. The step remains
 * unended; destroy the pipeline. */
HPART_API hpart_status hpart_pipeline_read(hpart_pipeline *pipeline, int64_t array, const void *memory, int64_t rows,
                                           int64_t row_bytes, int64_t pitch_bytes);
HPART_API hpart_status hpart_pipeline_write(hpart_pipeline *pipeline, int64_t array, void *memory, int64_t rows, int64_t row_bytes,
                                            int64_t pitch_bytes);
HPART_API hpart_status hpart_pipeline_update(hpart_pipeline *pipeline, int64_t array, void *memory, int64_t rows, int64_t row_bytes,
                                             int64_t pitch_bytes);
HPART_API hpart_status hpart_pipeline_end_step(hpart_pipeline *pipeline);

/* Describe a step to its kernel; valid during the kernel's call.
 * hpart_step_memory: memory of the step's k-th block, in the order of adding: a cl_mem (OpenCL), CUdeviceptr (CUDA), or address (host).
 * hpart_step_queue: the cl_command_queue or CUstream to which the kernel adds its commands, without waiting for them. NULL on the
 * host: there the kernel does the work itself, on a thread of hpart's. */
HPART_API int64_t hpart_step_index(const hpart_step *step);
HPART_API void *hpart_step_queue(const hpart_step *step);
HPART_API void *hpart_step_memory(const hpart_step *step, int64_t k);

/* A non-zero return value stops the pipeline with HPART_ERR_CALLBACK. */
typedef int (*hpart_pipeline_kernel)(const hpart_step *step, void *user);

/* Runs the list; it may run again. Options: queues, staging, trace_file, the progress callback. Report: as for the operations above;
 * lower_bound_bytes counts one transfer in for each block that is read first, and one out for each written block.
 * HPART_ERR_OUT_OF_MEMORY: the buffers do not fit in the device's memory. HPART_ERR_DEVICE: a command failed. HPART_ERR_CALLBACK.
 * HPART_ERR_CANCELLED, within two steps. After an error the blocks that steps write are undefined on the host. */
HPART_API hpart_status hpart_pipeline_run(hpart_pipeline *pipeline, hpart_pipeline_kernel kernel, void *user,
                                          const hpart_options *options, hpart_report **report);

#endif
