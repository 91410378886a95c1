#include "c_api/device.hpp"
#include "c_api/handles.hpp"
#include "c_api/operands.hpp"
#include "out_of_card/pipeline/device_team.hpp"

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

// A matrix of order n, which is read or written, and right-hand sides.
struct CheckedSystem {
    Checked matrix, sides;
};

CheckedSystem checked_system(Scalar type, std::int32_t layout, std::int64_t n, std::int64_t nrhs, const void *a,
                             std::int64_t lda, void *b, std::int64_t ldb, bool used)
{
    const auto matrix = checked_matrix('a', type, layout, n, n, const_cast<void *>(a), lda, used);
    const auto sides = checked_matrix('b', type, layout, n, nrhs, b, ldb, used);
    check_apart(sides.memory, matrix.memory);
    return {matrix, sides};
}

void check_pivots(const std::int64_t *pivots, std::int64_t count, const Checked &a, bool used)
{
    check_apart(checked_array("pivots", count, sizeof *pivots, pivots, used), a.memory);
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

hpart_status run_getrs(hpart_device *device, Scalar type, std::int32_t layout, std::int32_t trans, std::int64_t n,
                       std::int64_t nrhs, const void *a, std::int64_t lda, const std::int64_t *pivots, void *b,
                       std::int64_t ldb, const hpart_options *options, hpart_report **report)
{
    return run(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        check_sizes({{"n", n}, {"nrhs", nrhs}});
        const auto transpose = transpose_of(trans, "trans");
        const auto [matrix, sides] = checked_system(type, layout, n, nrhs, a, lda, b, ldb, !is_dry(settings));
        check_pivots(pivots, n, sides, !is_dry(settings));
        const auto count = pivots == nullptr ? 0 : static_cast<std::size_t>(n);
        getrs(devices, transpose, matrix.matrix, {pivots, count}, sides.matrix, settings, about);
    });
}

hpart_status run_potrs(hpart_device *device, Scalar type, std::int32_t layout, std::int32_t uplo, std::int64_t n,
                       std::int64_t nrhs, const void *a, std::int64_t lda, void *b, std::int64_t ldb,
                       const hpart_options *options, hpart_report **report)
{
    return run(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        check_sizes({{"n", n}, {"nrhs", nrhs}});
        const auto triangle = triangle_of(uplo);
        const auto [matrix, sides] = checked_system(type, layout, n, nrhs, a, lda, b, ldb, !is_dry(settings));
        potrs(devices, triangle, matrix.matrix, sides.matrix, settings, about);
    });
}

hpart_status run_getri(hpart_device *device, Scalar type, std::int32_t layout, std::int64_t n, void *a,
                       std::int64_t lda, const std::int64_t *pivots, const hpart_options *options,
                       hpart_report **report)
{
    return run(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        check_sizes({{"n", n}});
        const auto matrix = checked_matrix('a', type, layout, n, n, a, lda, !is_dry(settings));
        check_pivots(pivots, n, matrix, !is_dry(settings));
        const auto count = pivots == nullptr ? 0 : static_cast<std::size_t>(n);
        getri(devices, matrix.matrix, {pivots, count}, settings, about);
    });
}

hpart_status run_potri(hpart_device *device, Scalar type, std::int32_t layout, std::int32_t uplo, std::int64_t n,
                       void *a, std::int64_t lda, const hpart_options *options, hpart_report **report)
{
    return run(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        check_sizes({{"n", n}});
        const auto triangle = triangle_of(uplo);
        potri(devices, triangle, checked_matrix('a', type, layout, n, n, a, lda, !is_dry(settings)).matrix, settings,
              about);
    });
}

void check_reflectors(std::int64_t k, const char *most_name, std::int64_t most)
{
    if (k > most) fail_argument("k is ", k, "; it must be at most ", most_name, ", which is ", most);
}

hpart_status run_ormqr(hpart_device *device, Scalar type, std::int32_t layout, std::int32_t side, std::int32_t trans,
                       std::int64_t m, std::int64_t n, std::int64_t k, const void *a, std::int64_t lda, const void *tau,
                       void *c, std::int64_t ldc, const hpart_options *options, hpart_report **report)
{
    return run(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        const auto where = side_of(side);
        const auto transpose = transpose_of(trans, "trans", type, Transpose::conjugate);
        check_sizes({{"m", m}, {"n", n}, {"k", k}});
        const bool left = where == Side::left;
        check_reflectors(k, left ? "m" : "n", left ? m : n);
        const bool used = !is_dry(settings) && m > 0 && n > 0;
        const auto factors = checked_matrix('a', type, layout, left ? m : n, k, const_cast<void *>(a), lda, used);
        const auto matrix = checked_matrix('c', type, layout, m, n, c, ldc, used);
        check_apart(matrix.memory, factors.memory);
        check_apart(matrix.memory, checked_array("tau", k, bytes_of(type), tau, used));
        ormqr(devices, where, transpose, factors.matrix, tau, matrix.matrix, settings, about);
    });
}

hpart_status run_orgqr(hpart_device *device, Scalar type, std::int32_t layout, std::int64_t m, std::int64_t n,
                       std::int64_t k, void *a, std::int64_t lda, const void *tau, const hpart_options *options,
                       hpart_report **report)
{
    return run(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        check_sizes({{"m", m}, {"n", n}, {"k", k}});
        if (n > m) fail_argument("n is ", n, "; it must be at most m, which is ", m);
        check_reflectors(k, "n", n);
        const auto matrix = checked_matrix('a', type, layout, m, n, a, lda, !is_dry(settings));
        check_apart(matrix.memory, checked_array("tau", k, bytes_of(type), tau, !is_dry(settings)));
        orgqr(devices, k, matrix.matrix, tau, settings, about);
    });
}

hpart_status run_gesv(hpart_device *device, Scalar type, std::int32_t layout, std::int64_t n, std::int64_t nrhs,
                      void *a, std::int64_t lda, std::int64_t *pivots, void *b, std::int64_t ldb,
                      const hpart_options *options, hpart_report **report)
{
    return run(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        check_sizes({{"n", n}, {"nrhs", nrhs}});
        const auto [matrix, sides] = checked_system(type, layout, n, nrhs, a, lda, b, ldb, !is_dry(settings));
        check_pivots(pivots, n, matrix, !is_dry(settings));
        check_pivots(pivots, n, sides, !is_dry(settings));
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
        const auto [matrix, sides] = checked_system(type, layout, n, nrhs, a, lda, b, ldb, !is_dry(settings));
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

#define HPART_DEFINE(T, Value, Number)                                                                                 \
    hpart_status hpart_##T##getrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, Value *a, int64_t lda,   \
                                  int64_t *pivots, const hpart_options *options, hpart_report **report)                \
    {                                                                                                                  \
        return run_getrf(device, Scalar::T, layout, m, n, a, lda, pivots, options, report);                            \
    }                                                                                                                  \
    hpart_status hpart_##T##potrf(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, Value *a,             \
                                  int64_t lda, const hpart_options *options, hpart_report **report)                    \
    {                                                                                                                  \
        return run_potrf(device, Scalar::T, layout, uplo, n, a, lda, options, report);                                 \
    }                                                                                                                  \
    hpart_status hpart_##T##geqrf(hpart_device *device, int32_t layout, int64_t m, int64_t n, Value *a, int64_t lda,   \
                                  Value *tau, const hpart_options *options, hpart_report **report)                     \
    {                                                                                                                  \
        return run_geqrf(device, Scalar::T, layout, m, n, a, lda, tau, options, report);                               \
    }                                                                                                                  \
    hpart_status hpart_##T##getrs(hpart_device *device, int32_t layout, int32_t trans, int64_t n, int64_t nrhs,        \
                                  const Value *a, int64_t lda, const int64_t *pivots, Value *b, int64_t ldb,           \
                                  const hpart_options *options, hpart_report **report)                                 \
    {                                                                                                                  \
        return run_getrs(device, Scalar::T, layout, trans, n, nrhs, a, lda, pivots, b, ldb, options, report);          \
    }                                                                                                                  \
    hpart_status hpart_##T##potrs(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs,         \
                                  const Value *a, int64_t lda, Value *b, int64_t ldb, const hpart_options *options,    \
                                  hpart_report **report)                                                               \
    {                                                                                                                  \
        return run_potrs(device, Scalar::T, layout, uplo, n, nrhs, a, lda, b, ldb, options, report);                   \
    }                                                                                                                  \
    hpart_status hpart_##T##gesv(hpart_device *device, int32_t layout, int64_t n, int64_t nrhs, Value *a, int64_t lda, \
                                 int64_t *pivots, Value *b, int64_t ldb, const hpart_options *options,                 \
                                 hpart_report **report)                                                                \
    {                                                                                                                  \
        return run_gesv(device, Scalar::T, layout, n, nrhs, a, lda, pivots, b, ldb, options, report);                  \
    }                                                                                                                  \
    hpart_status hpart_##T##posv(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, int64_t nrhs,          \
                                 Value *a, int64_t lda, Value *b, int64_t ldb, const hpart_options *options,           \
                                 hpart_report **report)                                                                \
    {                                                                                                                  \
        return run_posv(device, Scalar::T, layout, uplo, n, nrhs, a, lda, b, ldb, options, report);                    \
    }                                                                                                                  \
    hpart_status hpart_##T##gels(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n,            \
                                 int64_t nrhs, Value *a, int64_t lda, Value *b, int64_t ldb,                           \
                                 const hpart_options *options, hpart_report **report)                                  \
    {                                                                                                                  \
        return run_gels(device, Scalar::T, layout, trans, m, n, nrhs, a, lda, b, ldb, options, report);                \
    }
HPART_ALL_TYPES(HPART_DEFINE)
#undef HPART_DEFINE

#define HPART_INVERSES(T, Value, Number)                                                                               \
    hpart_status hpart_##T##getri(hpart_device *device, int32_t layout, int64_t n, Value *a, int64_t lda,              \
                                  const int64_t *pivots, const hpart_options *options, hpart_report **report)          \
    {                                                                                                                  \
        return run_getri(device, Scalar::T, layout, n, a, lda, pivots, options, report);                               \
    }                                                                                                                  \
    hpart_status hpart_##T##potri(hpart_device *device, int32_t layout, int32_t uplo, int64_t n, Value *a,             \
                                  int64_t lda, const hpart_options *options, hpart_report **report)                    \
    {                                                                                                                  \
        return run_potri(device, Scalar::T, layout, uplo, n, a, lda, options, report);                                 \
    }
HPART_ALL_TYPES(HPART_INVERSES)
#undef HPART_INVERSES

// LAPACK's names begin with or for real types, un for complex ones.
#define HPART_OF_Q(T, kind, Value)                                                                                     \
    hpart_status hpart_##T##kind##mqr(hpart_device *device, int32_t layout, int32_t side, int32_t trans, int64_t m,    \
                                      int64_t n, int64_t k, const Value *a, int64_t lda, const Value *tau, Value *c,   \
                                      int64_t ldc, const hpart_options *options, hpart_report **report)                \
    {                                                                                                                  \
        return run_ormqr(device, Scalar::T, layout, side, trans, m, n, k, a, lda, tau, c, ldc, options, report);       \
    }                                                                                                                  \
    hpart_status hpart_##T##kind##gqr(hpart_device *device, int32_t layout, int64_t m, int64_t n, int64_t k, Value *a, \
                                      int64_t lda, const Value *tau, const hpart_options *options,                     \
                                      hpart_report **report)                                                           \
    {                                                                                                                  \
        return run_orgqr(device, Scalar::T, layout, m, n, k, a, lda, tau, options, report);                            \
    }
HPART_OF_Q(s, or, float)
HPART_OF_Q(d, or, double)
HPART_OF_Q(c, un, void)
HPART_OF_Q(z, un, void)
#undef HPART_OF_Q

} // extern "C"

struct hpart_pipeline {
    hpart_device *device = nullptr;
    StepList steps;
};

struct hpart_step {
    const StepView &view;
};

namespace
{

hpart_status use(hpart_pipeline *pipeline, std::int64_t array, Access access, const void *memory, std::int64_t rows,
                 std::int64_t row_bytes, std::int64_t pitch_bytes)
{
    return guarded([&] {
        require(pipeline, "pipeline");
        require(memory, "memory");
        pipeline->steps.use(array, access, {reinterpret_cast<std::uintptr_t>(memory), rows, row_bytes, pitch_bytes});
    });
}

DeviceSession &only_device(hpart_device &device)
{
    const auto count = device.devices.sessions.size();
    if (count != 1) fail_argument("device is a list of ", count, "; a pipeline runs on one: open that one alone");
    return *device.devices.sessions.front();
}

} // namespace

extern "C" {

hpart_status hpart_pipeline_create(hpart_device *device, hpart_pipeline **pipeline)
{
    return guarded([&] {
        require(device, "device");
        require(pipeline, "pipeline");
        only_device(*device);
        *pipeline = new hpart_pipeline{device, {}};
    });
}

void hpart_pipeline_destroy(hpart_pipeline *pipeline) { delete pipeline; }

hpart_status hpart_pipeline_add_array(hpart_pipeline *pipeline, int64_t block_bytes, int64_t slots, int64_t *array)
{
    return guarded([&] {
        require(pipeline, "pipeline");
        require(array, "array");
        *array = pipeline->steps.add_array(slots, block_bytes);
    });
}

hpart_status hpart_pipeline_read(hpart_pipeline *pipeline, int64_t array, const void *memory, int64_t rows,
                                 int64_t row_bytes, int64_t pitch_bytes)
{
    return use(pipeline, array, Access::in, memory, rows, row_bytes, pitch_bytes);
}

hpart_status hpart_pipeline_write(hpart_pipeline *pipeline, int64_t array, void *memory, int64_t rows,
                                  int64_t row_bytes, int64_t pitch_bytes)
{
    return use(pipeline, array, Access::out, memory, rows, row_bytes, pitch_bytes);
}

hpart_status hpart_pipeline_update(hpart_pipeline *pipeline, int64_t array, void *memory, int64_t rows,
                                   int64_t row_bytes, int64_t pitch_bytes)
{
    return use(pipeline, array, Access::inout, memory, rows, row_bytes, pitch_bytes);
}

hpart_status hpart_pipeline_end_step(hpart_pipeline *pipeline)
{
    return guarded([&] {
        require(pipeline, "pipeline");
        pipeline->steps.end_step();
    });
}

hpart_status hpart_pipeline_run(hpart_pipeline *pipeline, hpart_pipeline_kernel kernel, void *user,
                                const hpart_options *options, hpart_report **report)
{
    if (pipeline == nullptr) return guarded([&] { require(pipeline, "pipeline"); });
    return operate(pipeline->device, options, call_pipeline, report,
                   [&](DeviceGroup &, const Options &settings, Report &about) {
                       require(reinterpret_cast<const void *>(kernel), "kernel");
                       if (pipeline->steps.has_open_step())
                           fail_argument("the last step has no end; call hpart_pipeline_end_step");
                       auto control = Control::from(settings);
                       const auto flow = FlowOptions::from(settings);
                       const StepKernel call_kernel = [&, call = Callback()](const StepView &view) {
                           const hpart_step step{view};
                           return call("the kernel", [&] { return kernel(&step, user); });
                       };
                       run_steps(only_device(*pipeline->device), pipeline->steps, call_kernel, flow, control, about);
                   });
}

int64_t hpart_step_index(const hpart_step *step) { return step == nullptr ? -1 : step->view.index; }

void *hpart_step_queue(const hpart_step *step) { return step == nullptr ? nullptr : step->view.queue; }

void *hpart_step_memory(const hpart_step *step, int64_t k)
{
    if (step == nullptr || k < 0 || k >= static_cast<std::int64_t>(step->view.memory.size())) return nullptr;
    return step->view.memory[static_cast<std::size_t>(k)];
}

} // extern "C"
