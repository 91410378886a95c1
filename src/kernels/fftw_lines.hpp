// Transforms of lines by FFTW, as one worker makes them.
#pragma once

#include "host/fftw_plan.hpp"

#include <cstdint>
#include <type_traits>

namespace hpart
{

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
