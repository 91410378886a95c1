// FFTW's functions and plans, in both precisions.
#pragma once

#include "core/error.hpp"
#include "core/file.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>

#include <fftw3.h>

#ifndef HPART_FFTW_FILES
#define HPART_FFTW_FILES nullptr, nullptr
#endif
#define HPART_FFTW(function) own_function(fftw_file<Real>(), function, #function)

namespace hpart
{

// FFTW makes and destroys plans for one thread of the process at a time, whatever their precision.
std::mutex &fftw_planner_mutex();

template <typename Real> constexpr const char *fftw_file()
{
    constexpr const char *files[] = {HPART_FFTW_FILES};
    return files[std::is_same_v<Real, float> ? 1 : 0];
}

// FFTW's functions by precision.
template <typename Real> struct Fftw;

template <> struct Fftw<double> {
    using Real = double;
    using Complex = fftw_complex;
    using Plan = fftw_plan;
    static inline const auto destroy = HPART_FFTW(fftw_destroy_plan);
    static inline const auto plan_complex = HPART_FFTW(fftw_plan_guru64_dft);
    static inline const auto plan_real_to_complex = HPART_FFTW(fftw_plan_guru64_dft_r2c);
    static inline const auto plan_complex_to_real = HPART_FFTW(fftw_plan_guru64_dft_c2r);
    static inline const auto run_complex = HPART_FFTW(fftw_execute_dft);
    static inline const auto run_real_to_complex = HPART_FFTW(fftw_execute_dft_r2c);
    static inline const auto run_complex_to_real = HPART_FFTW(fftw_execute_dft_c2r);
};

template <> struct Fftw<float> {
    using Real = float;
    using Complex = fftwf_complex;
    using Plan = fftwf_plan;
    static inline const auto destroy = HPART_FFTW(fftwf_destroy_plan);
    static inline const auto plan_complex = HPART_FFTW(fftwf_plan_guru64_dft);
    static inline const auto plan_real_to_complex = HPART_FFTW(fftwf_plan_guru64_dft_r2c);
    static inline const auto plan_complex_to_real = HPART_FFTW(fftwf_plan_guru64_dft_c2r);
    static inline const auto run_complex = HPART_FFTW(fftwf_execute_dft);
    static inline const auto run_real_to_complex = HPART_FFTW(fftwf_execute_dft_r2c);
    static inline const auto run_complex_to_real = HPART_FFTW(fftwf_execute_dft_c2r);
};

// The right to plan: the planner's mutex, with one thread a plan. A program's fftw_plan_with_nthreads holds for the whole process; hpart
// divides transforms among its own threads. FFTW before 3.3.9 has no way to read that number, which then stays.
class FftwPlanning
{
  public:
    explicit FftwPlanning(bool is_double);
    FftwPlanning(const FftwPlanning &) = delete;
    FftwPlanning &operator=(const FftwPlanning &) = delete;
    ~FftwPlanning();

  private:
    std::lock_guard<std::mutex> lock_;
    void (*set_threads_)(int) = nullptr;
    int threads_before_ = 1;
};

template <typename Real> struct DestroyFftwPlan {
    void operator()(typename Fftw<Real>::Plan plan) const
    {
        const std::lock_guard lock(fftw_planner_mutex());
        Fftw<Real>::destroy(plan);
    }
};
template <typename Real>
using FftwPlanOf = std::unique_ptr<std::remove_pointer_t<typename Fftw<Real>::Plan>, DestroyFftwPlan<Real>>;

// Transforms of lines, as one thread makes them.
template <typename Real> class FftwLines
{
  public:
    struct Shape {
        std::int64_t count, length;
        std::int64_t stride, distance; // between a line's points, and between lines, in complex numbers
    };
    // FFTW measures alternatives when it plans, which overwrites the arrays. It remembers the result for equal plans.
    FftwLines(const Shape &shape, Real *in, Real *out)
        : in_(reinterpret_cast<Complex *>(in)), out_(reinterpret_cast<Complex *>(out))
    {
        if (shape.count == 0) return;
        const fftw_iodim64 line = {shape.length, shape.stride, shape.stride},
                           lines = {shape.count, shape.distance, shape.distance};
        const FftwPlanning planning(std::is_same_v<Real, double>);
        plan_.reset(Fftw<Real>::plan_complex(1, &line, 1, &lines, in_, out_, FFTW_FORWARD, FFTW_MEASURE));
        if (!plan_)
            fail(Status::unsupported, "FFTW has no plan for ", shape.count, " transforms of ", shape.length, " points");
    }
    void run() const
    {
        if (plan_) Fftw<Real>::run_complex(plan_.get(), in_, out_);
    }

  private:
    using Complex = typename Fftw<Real>::Complex;
    Complex *in_, *out_;
    FftwPlanOf<Real> plan_;
};

} // namespace hpart
