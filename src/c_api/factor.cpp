#include "c_api/open_device.hpp"
#include "c_api/operands.hpp"

#include <algorithm>

using namespace hpart;
using namespace hpart::c_api;

namespace
{

// A matrix that is written, checked, and its memory.
struct Checked {
    HostMatrix matrix;
    Footprint memory;
};

Checked checked_matrix(char name, Scalar type, std::int32_t layout, std::int64_t rows, std::int64_t columns, void *data,
                       std::int64_t ld, bool used)
{
    const bool row_major = row_major_of(layout);
    return {{type, row_major, rows, columns, data, ld},
            checked({name, type, row_major, rows, columns, data, ld}, used)};
}

void check_pivots(const std::int64_t *pivots, std::int64_t count, const Checked &a, bool used)
{
    check_apart(checked_array("pivots", count, sizeof *pivots, pivots, used), a.memory);
}

void check_sizes(std::initializer_list<std::pair<const char *, std::int64_t>> sizes)
{
    for (const auto &[name, size] : sizes) check_size(size, name);
}

template <typename Operation>
hpart_status run(hpart_device *device, const hpart_options *options, hpart_report **report, Operation &&operation)
{
    return operate(device, options, call_factor, report, std::forward<Operation>(operation));
}

hpart_status run_getrf(hpart_device *device, Scalar type, std::int32_t layout, std::int64_t m, std::int64_t n, void *a,
                       std::int64_t lda, std::int64_t *pivots, const hpart_options *options, hpart_report **report)
{
    return run(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        check_sizes({{"m", m}, {"n", n}});
        const auto matrix = checked_matrix('a', type, layout, m, n, a, lda, !is_dry(settings));
        check_pivots(pivots, std::min(m, n), matrix, !is_dry(settings));
        getrf(devices, matrix.matrix, pivots, settings, about);
    });
}

hpart_status run_potrf(hpart_device *device, Scalar type, std::int32_t layout, std::int32_t uplo, std::int64_t n,
                       void *a, std::int64_t lda, const hpart_options *options, hpart_report **report)
{
    return run(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        check_sizes({{"n", n}});
        const auto triangle = triangle_of(uplo);
        potrf(devices, triangle, checked_matrix('a', type, layout, n, n, a, lda, !is_dry(settings)).matrix, settings,
              about);
    });
}

hpart_status run_geqrf(hpart_device *device, Scalar type, std::int32_t layout, std::int64_t m, std::int64_t n, void *a,
                       std::int64_t lda, void *tau, const hpart_options *options, hpart_report **report)
{
    return run(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        check_sizes({{"m", m}, {"n", n}});
        const auto matrix = checked_matrix('a', type, layout, m, n, a, lda, !is_dry(settings));
        check_apart(checked_array("tau", std::min(m, n), bytes_of(type), tau, !is_dry(settings)), matrix.memory);
        geqrf(devices, matrix.matrix, tau, settings, about);
    });
}

hpart_status run_gesv(hpart_device *device, Scalar type, std::int32_t layout, std::int64_t n, std::int64_t nrhs,
                      void *a, std::int64_t lda, std::int64_t *pivots, void *b, std::int64_t ldb,
                      const hpart_options *options, hpart_report **report)
{
    return run(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        check_sizes({{"n", n}, {"nrhs", nrhs}});
        const auto matrix = checked_matrix('a', type, layout, n, n, a, lda, !is_dry(settings));
        const auto sides = checked_matrix('b', type, layout, n, nrhs, b, ldb, !is_dry(settings));
        check_pivots(pivots, n, matrix, !is_dry(settings));
        check_pivots(pivots, n, sides, !is_dry(settings));
        check_apart(sides.memory, matrix.memory);
        gesv(devices, matrix.matrix, pivots, sides.matrix, settings, about);
    });
}

hpart_status run_posv(hpart_device *device, Scalar type, std::int32_t layout, std::int32_t uplo, std::int64_t n,
                      std::int64_t nrhs, void *a, std::int64_t lda, void *b, std::int64_t ldb,
                      const hpart_options *options, hpart_report **report)
{
    return run(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        check_sizes({{"n", n}, {"nrhs", nrhs}});
        const auto triangle = triangle_of(uplo);
        const auto matrix = checked_matrix('a', type, layout, n, n, a, lda, !is_dry(settings));
        const auto sides = checked_matrix('b', type, layout, n, nrhs, b, ldb, !is_dry(settings));
        check_apart(sides.memory, matrix.memory);
        posv(devices, triangle, matrix.matrix, sides.matrix, settings, about);
    });
}

hpart_status run_gels(hpart_device *device, Scalar type, std::int32_t layout, std::int32_t trans, std::int64_t m,
                      std::int64_t n, std::int64_t nrhs, void *a, std::int64_t lda, void *b, std::int64_t ldb,
                      const hpart_options *options, hpart_report **report)
{
    return run(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        check_sizes({{"m", m}, {"n", n}, {"nrhs", nrhs}});
        const auto transpose = transpose_of(trans, "trans", type, Transpose::conjugate);
        const auto matrix = checked_matrix('a', type, layout, m, n, a, lda, !is_dry(settings));
        const auto sides = checked_matrix('b', type, layout, std::max(m, n), nrhs, b, ldb, !is_dry(settings));
        check_apart(sides.memory, matrix.memory);
        gels(devices, transpose, matrix.matrix, sides.matrix, settings, about);
    });
}

} // namespace

extern "C" {

hpart_status hpart_sgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, float *a, int64_t lda,
                          int64_t *pivots, const hpart_options *options, hpart_report **report)
{
    return run_getrf(device, Scalar::s, layout, m, n, a, lda, pivots, options, report);
}

hpart_status hpart_dgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, double *a, int64_t lda,
                          int64_t *pivots, const hpart_options *options, hpart_report **report)
{
    return run_getrf(device, Scalar::d, layout, m, n, a, lda, pivots, options, report);
}

hpart_status hpart_cgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda,
                          int64_t *pivots, const hpart_options *options, hpart_report **report)
{
    return run_getrf(device, Scalar::c, layout, m, n, a, lda, pivots, options, report);
}

hpart_status hpart_zgetrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda,
                          int64_t *pivots, const hpart_options *options, hpart_report **report)
{
    return run_getrf(device, Scalar::z, layout, m, n, a, lda, pivots, options, report);
}

hpart_status hpart_spotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, float *a, int64_t lda,
                          const hpart_options *options, hpart_report **report)
{
    return run_potrf(device, Scalar::s, layout, uplo, n, a, lda, options, report);
}

hpart_status hpart_dpotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, double *a, int64_t lda,
                          const hpart_options *options, hpart_report **report)
{
    return run_potrf(device, Scalar::d, layout, uplo, n, a, lda, options, report);
}

hpart_status hpart_cpotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, void *a, int64_t lda,
                          const hpart_options *options, hpart_report **report)
{
    return run_potrf(device, Scalar::c, layout, uplo, n, a, lda, options, report);
}

hpart_status hpart_zpotrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, void *a, int64_t lda,
                          const hpart_options *options, hpart_report **report)
{
    return run_potrf(device, Scalar::z, layout, uplo, n, a, lda, options, report);
}

hpart_status hpart_sgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, float *a, int64_t lda, float *tau,
                          const hpart_options *options, hpart_report **report)
{
    return run_geqrf(device, Scalar::s, layout, m, n, a, lda, tau, options, report);
}

hpart_status hpart_dgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, double *a, int64_t lda,
                          double *tau, const hpart_options *options, hpart_report **report)
{
    return run_geqrf(device, Scalar::d, layout, m, n, a, lda, tau, options, report);
}

hpart_status hpart_cgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda, void *tau,
                          const hpart_options *options, hpart_report **report)
{
    return run_geqrf(device, Scalar::c, layout, m, n, a, lda, tau, options, report);
}

hpart_status hpart_zgeqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, void *a, int64_t lda, void *tau,
                          const hpart_options *options, hpart_report **report)
{
    return run_geqrf(device, Scalar::z, layout, m, n, a, lda, tau, options, report);
}

hpart_status hpart_sgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, float *a, int64_t lda,
                         int64_t *pivots, float *b, int64_t ldb, const hpart_options *options, hpart_report **report)
{
    return run_gesv(device, Scalar::s, layout, n, nrhs, a, lda, pivots, b, ldb, options, report);
}

hpart_status hpart_dgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, double *a, int64_t lda,
                         int64_t *pivots, double *b, int64_t ldb, const hpart_options *options, hpart_report **report)
{
    return run_gesv(device, Scalar::d, layout, n, nrhs, a, lda, pivots, b, ldb, options, report);
}

hpart_status hpart_cgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, void *a, int64_t lda,
                         int64_t *pivots, void *b, int64_t ldb, const hpart_options *options, hpart_report **report)
{
    return run_gesv(device, Scalar::c, layout, n, nrhs, a, lda, pivots, b, ldb, options, report);
}

hpart_status hpart_zgesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, void *a, int64_t lda,
                         int64_t *pivots, void *b, int64_t ldb, const hpart_options *options, hpart_report **report)
{
    return run_gesv(device, Scalar::z, layout, n, nrhs, a, lda, pivots, b, ldb, options, report);
}

hpart_status hpart_sposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, float *a,
                         int64_t lda, float *b, int64_t ldb, const hpart_options *options, hpart_report **report)
{
    return run_posv(device, Scalar::s, layout, uplo, n, nrhs, a, lda, b, ldb, options, report);
}

hpart_status hpart_dposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, double *a,
                         int64_t lda, double *b, int64_t ldb, const hpart_options *options, hpart_report **report)
{
    return run_posv(device, Scalar::d, layout, uplo, n, nrhs, a, lda, b, ldb, options, report);
}

hpart_status hpart_cposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, void *a,
                         int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report)
{
    return run_posv(device, Scalar::c, layout, uplo, n, nrhs, a, lda, b, ldb, options, report);
}

hpart_status hpart_zposv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs, void *a,
                         int64_t lda, void *b, int64_t ldb, const hpart_options *options, hpart_report **report)
{
    return run_posv(device, Scalar::z, layout, uplo, n, nrhs, a, lda, b, ldb, options, report);
}

hpart_status hpart_sgels(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, int64_t nrhs,
                         float *a, int64_t lda, float *b, int64_t ldb, const hpart_options *options,
                         hpart_report **report)
{
    return run_gels(device, Scalar::s, layout, trans, m, n, nrhs, a, lda, b, ldb, options, report);
}

hpart_status hpart_dgels(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, int64_t nrhs,
                         double *a, int64_t lda, double *b, int64_t ldb, const hpart_options *options,
                         hpart_report **report)
{
    return run_gels(device, Scalar::d, layout, trans, m, n, nrhs, a, lda, b, ldb, options, report);
}

hpart_status hpart_cgels(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, int64_t nrhs,
                         void *a, int64_t lda, void *b, int64_t ldb, const hpart_options *options,
                         hpart_report **report)
{
    return run_gels(device, Scalar::c, layout, trans, m, n, nrhs, a, lda, b, ldb, options, report);
}

hpart_status hpart_zgels(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n, int64_t nrhs,
                         void *a, int64_t lda, void *b, int64_t ldb, const hpart_options *options,
                         hpart_report **report)
{
    return run_gels(device, Scalar::z, layout, trans, m, n, nrhs, a, lda, b, ldb, options, report);
}

} // extern "C"
