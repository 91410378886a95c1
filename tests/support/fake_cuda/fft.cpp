// cuFFT's part, by FFTW.
#include "out_of_card/in_card/cufft.hpp"
#include "state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fftw3.h>

using namespace fake_cuda;
using hpart::CudaType;
using hpart::CufftStatus;

namespace
{

constexpr auto success = CufftStatus::success;
constexpr CufftStatus invalid_plan{1}, alloc_failed{2}, wrong_value{4}, internal_error{5}, invalid_size{8};

struct Side {
    CudaType type = CudaType::real_float;
    long long stride = 0, distance = 0;
    std::size_t bytes() const
    {
        switch (type) {
        case CudaType::real_float: return sizeof(float);
        case CudaType::real_double: return sizeof(double);
        case CudaType::complex_float: return 2 * sizeof(float);
        default: return 2 * sizeof(double);
        }
    }
    FakeRange range(const void *first, long long count, long long batch) const
    {
        const auto elements = static_cast<std::size_t>((count - 1) * stride + (batch - 1) * distance + 1);
        return {reinterpret_cast<std::uintptr_t>(first), elements * bytes()};
    }
};

struct Plan {
    bool allocates = true, made = false;
    long long length = 0, batch = 0;
    Side in, out;
    std::size_t work_bytes = 0;
    std::int64_t scratch_bytes = 0;
    FakeRange work_area;
    CudaStream stream = nullptr;
};

std::map<int, Plan> &plans()
{
    static std::map<int, Plan> all;
    return all;
}

CufftStatus library_status(int code)
{
    return code == 0 ? success : code == out_of_memory ? alloc_failed : internal_error;
}

// Null, and `status` to return, where it is none.
Plan *begin(Lock &lock, const char *name, int handle, CufftStatus &status)
{
    status = library_status(begin_call(lock, name));
    if (status != success) return nullptr;
    const auto found = state().fft_plans.find(handle);
    if (found == state().fft_plans.end()) {
        violation(lock, std::string(name) + " of what is no plan");
        status = invalid_plan;
        return nullptr;
    }
    if (check_context(lock, found->second, name) == 0) return &plans().at(handle);
    status = internal_error;
    return nullptr;
}

bool is_complex(CudaType type) { return type == CudaType::complex_float || type == CudaType::complex_double; }
bool is_double(CudaType type) { return type == CudaType::real_double || type == CudaType::complex_double; }

// Bytes of the library's code once it is loaded.
std::map<CudaContextHandle, std::int64_t> &code_bytes()
{
    static std::map<CudaContextHandle, std::int64_t> all;
    return all;
}

bool has_plan(CudaContextHandle context)
{
    return std::any_of(state().fft_plans.begin(), state().fft_plans.end(),
                       [&](const auto &entry) { return entry.second == context && plans().at(entry.first).made; });
}

// The chirp and its transform, where the length has a prime factor that no kernel has.
std::int64_t table_bytes(long long n, std::size_t complex_bytes)
{
    auto rest = n;
    for (long long prime = 2; prime <= 127; ++prime)
        while (rest % prime == 0) rest /= prime;
    if (rest == 1) return 0;
    long long padded = 1;
    while (padded < 2 * n - 1) padded *= 2;
    return (n + padded) * static_cast<std::int64_t>(complex_bytes);
}

bool take_hidden(Lock &lock, Plan &plan, long long n)
{
    auto *const context = current_context();
    const bool loads = !has_plan(context);
    const auto code = loads ? state().settings.hidden.fft_code : 0;
    now(lock) += simulated(loads ? &Speeds::first_plan : &Speeds::plan);
    const auto hidden = state().settings.hidden.fft_plan + table_bytes(n, 16);
    if (!take_memory(lock, context, hidden + code)) return false;
    plan.scratch_bytes = hidden;
    if (loads) code_bytes()[context] = code;
    return true;
}

std::mutex &planner()
{
    static std::mutex mutex;
    return mutex;
}

// One at a time, gathered: FFTW's plans want their own alignment.
void transform_double(const Plan &plan, const void *in, void *out, int sign)
{
    const auto n = static_cast<std::size_t>(plan.length), half = n / 2 + 1;
    auto *const a = fftw_alloc_complex(n), *const b = fftw_alloc_complex(n);
    auto *const real_a = reinterpret_cast<double *>(a), *const real_b = reinterpret_cast<double *>(b);
    const auto length = static_cast<int>(n);
    Lock lock(planner());
    auto *const made = !is_complex(plan.in.type)    ? fftw_plan_dft_r2c_1d(length, real_a, b, FFTW_ESTIMATE)
                       : !is_complex(plan.out.type) ? fftw_plan_dft_c2r_1d(length, a, real_b, FFTW_ESTIMATE)
                                                    : fftw_plan_dft_1d(length, a, b, sign, FFTW_ESTIMATE);
    lock.unlock();
    const auto count = [&](const Side &side) {
        return is_complex(side.type) && is_complex(plan.in.type) && is_complex(plan.out.type) ? n
               : is_complex(side.type)                                                        ? half
                                                                                              : n;
    };
    // All are read before one is written: in place the sides may lie differently.
    const auto parts = [](const Side &side) { return std::size_t{is_complex(side.type) ? 2U : 1U}; };
    const auto single = !is_double(plan.in.type);
    const auto get = [&](const void *from, std::size_t k) {
        return single ? static_cast<double>(static_cast<const float *>(from)[k]) : static_cast<const double *>(from)[k];
    };
    const auto put = [&](void *to, std::size_t k, double value) {
        if (single)
            static_cast<float *>(to)[k] = static_cast<float>(value);
        else
            static_cast<double *>(to)[k] = value;
    };
    for (long long t = 0; t < plan.batch; ++t) {
        const auto at = [&](const Side &side, std::size_t k, std::size_t part) {
            const auto element =
                static_cast<std::size_t>(t * side.distance) + k * static_cast<std::size_t>(side.stride);
            return element * parts(side) + part;
        };
        for (std::size_t k = 0; k < count(plan.in); ++k)
            for (std::size_t part = 0; part < parts(plan.in); ++part)
                real_a[k * parts(plan.in) + part] = get(in, at(plan.in, k, part));
        fftw_execute(made);
        for (std::size_t k = 0; k < count(plan.out); ++k)
            for (std::size_t part = 0; part < parts(plan.out); ++part)
                put(out, at(plan.out, k, part), real_b[k * parts(plan.out) + part]);
    }
    lock.lock();
    fftw_destroy_plan(made);
    fftw_free(a);
    fftw_free(b);
}

} // namespace

extern "C" {

int cufftGetProperty(int property, int *value)
{
    const Lock lock(state().mutex);
    if (property != 0) return static_cast<int>(wrong_value);
    *value = state().settings.library_cuda - 1;
    return 0;
}

CufftStatus cufftCreate(int *handle)
{
    Lock lock(state().mutex);
    if (const auto status = library_status(begin_call(lock, "cufftCreate")); status != success) return status;
    static int last = 0;
    *handle = ++last;
    state().fft_plans[*handle] = current_context();
    plans()[*handle] = {};
    return success;
}

CufftStatus cufftDestroy(int handle)
{
    Lock lock(state().mutex);
    if (const auto code = begin_return(lock, "cufftDestroy"); code != 0) return library_status(code);
    const auto found = state().fft_plans.find(handle);
    if (found == state().fft_plans.end()) {
        violation(lock, "cufftDestroy of what is no plan");
        return invalid_plan;
    }
    const auto context = found->second;
    if (check_context(lock, context, "cufftDestroy") != 0) return internal_error;
    give_memory(lock, context, plans().at(handle).scratch_bytes);
    plans().erase(handle);
    state().fft_plans.erase(found);
    if (!has_plan(context)) give_memory(lock, context, std::exchange(code_bytes()[context], 0));
    return library_status(state().sticky);
}

CufftStatus cufftSetAutoAllocation(int handle, int allocate)
{
    Lock lock(state().mutex);
    auto status = success;
    auto *const plan = begin(lock, "cufftSetAutoAllocation", handle, status);
    if (plan != nullptr) plan->allocates = allocate != 0;
    return status;
}

CufftStatus cufftXtMakePlanMany(int handle, int rank, long long *n, long long *in_size, long long in_stride,
                                long long in_distance, CudaType in_type, long long *out_size, long long out_stride,
                                long long out_distance, CudaType out_type, long long batch, std::size_t *work_bytes,
                                CudaType execution_type)
{
    Lock lock(state().mutex);
    auto status = success;
    auto *const plan = begin(lock, "cufftXtMakePlanMany", handle, status);
    if (plan == nullptr) return status;
    if (plan->made) violation(lock, "cufftXtMakePlanMany of a plan that is made");
    if (plan->allocates) violation(lock, "cufftXtMakePlanMany with a work area that nobody counted");
    if (rank != 1 || in_size == nullptr || out_size == nullptr || *n < 1 || batch < 1 || in_stride < 1 ||
        out_stride < 1 || execution_type != (is_double(in_type) ? CudaType::complex_double : CudaType::complex_float) ||
        is_double(in_type) != is_double(out_type) || (!is_complex(in_type) && !is_complex(out_type)))
        return wrong_value;
    if (*n == 1 || *n > state().settings.largest_fft) return invalid_size;     // whether it takes a point is not known
    if (!take_hidden(lock, *plan, *n)) return CufftStatus{either(lock, 2, 5)}; // out of memory, or an internal error
    ++state().fft_plans_made;
    plan->made = true;
    plan->length = *n;
    plan->batch = batch;
    plan->in = {in_type, in_stride, in_distance};
    plan->out = {out_type, out_stride, out_distance};
    // Like the real one's: none for powers of two, as much as the data for others.
    const bool is_power = (*n & (*n - 1)) == 0;
    plan->work_bytes = *work_bytes = is_power ? 0 : static_cast<std::size_t>(*n * batch) * 2 * sizeof(double);
    return success;
}

CufftStatus cufftSetStream(int handle, CudaStream stream)
{
    Lock lock(state().mutex);
    auto status = success;
    auto *const plan = begin(lock, "cufftSetStream", handle, status);
    if (plan != nullptr) plan->stream = stream;
    return status;
}

CufftStatus cufftSetWorkArea(int handle, void *work_area)
{
    Lock lock(state().mutex);
    auto status = success;
    auto *const plan = begin(lock, "cufftSetWorkArea", handle, status);
    if (plan == nullptr) return status;
    plan->work_area = {reinterpret_cast<std::uintptr_t>(work_area), plan->work_bytes};
    if (!is_on_device(lock, plan->work_area)) violation(lock, "cufftSetWorkArea beyond an array on the device");
    return success;
}

CufftStatus cufftXtExec(int handle, void *in, void *out, int direction)
{
    Lock lock(state().mutex);
    auto status = success;
    auto *const plan = begin(lock, "cufftXtExec", handle, status);
    if (plan == nullptr) return status;
    if (!plan->made) return invalid_plan;
    const auto half = plan->length / 2 + 1;
    const bool is_real = !is_complex(plan->in.type) || !is_complex(plan->out.type);
    auto command = std::make_shared<FakeCommand>();
    command->device_ranges = {
        plan->in.range(in, is_real && is_complex(plan->in.type) ? half : plan->length, plan->batch),
        plan->out.range(out, is_real && is_complex(plan->out.type) ? half : plan->length, plan->batch)};
    if (plan->work_bytes > 0) command->device_ranges.push_back(plan->work_area);
    for (const auto &used : command->device_ranges)
        if (!is_on_device(lock, used) || used.bytes == 0) violation(lock, "cufftXtExec beyond an array on the device");
    command->work = [plan = *plan, in, out, direction] { transform_double(plan, in, out, direction); };
    const auto points = static_cast<double>(plan->length) * static_cast<double>(plan->batch);
    command->seconds =
        simulated(&Speeds::launch) +
        simulated_work(5 * points * std::log2(std::max(2.0, static_cast<double>(plan->length))), &Speeds::fft);
    return push(lock, plan->stream, std::move(command), "cufftXtExec") == 0 ? success : internal_error;
}
}
