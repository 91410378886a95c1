// Plans of FFTW, in both precisions.
#pragma once

#include "core/error.hpp"

#include <cstdint>
#include <memory>
#include <mutex>

#include <fftw3.h>

namespace hpart
{

// FFTW makes and destroys plans for one thread of the process at a time, whatever their precision.
std::mutex &fftw_planner_mutex();

// FFTW's functions by precision.
template <typename Real> struct Fftw;

template <> struct Fftw<double> {
    using Complex = fftw_complex;
    using Plan = fftw_plan;
    static constexpr auto destroy = fftw_destroy_plan;
    static constexpr auto plan_complex = fftw_plan_guru64_dft;
    static constexpr auto plan_real_to_complex = fftw_plan_guru64_dft_r2c;
    static constexpr auto plan_complex_to_real = fftw_plan_guru64_dft_c2r;
    static constexpr auto run_complex = fftw_execute_dft;
    static constexpr auto run_real_to_complex = fftw_execute_dft_r2c;
    static constexpr auto run_complex_to_real = fftw_execute_dft_c2r;
};

template <> struct Fftw<float> {
    using Complex = fftwf_complex;
    using Plan = fftwf_plan;
    static constexpr auto destroy = fftwf_destroy_plan;
    static constexpr auto plan_complex = fftwf_plan_guru64_dft;
    static constexpr auto plan_real_to_complex = fftwf_plan_guru64_dft_r2c;
    static constexpr auto plan_complex_to_real = fftwf_plan_guru64_dft_c2r;
    static constexpr auto run_complex = fftwf_execute_dft;
    static constexpr auto run_real_to_complex = fftwf_execute_dft_r2c;
    static constexpr auto run_complex_to_real = fftwf_execute_dft_c2r;
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

} // namespace hpart
