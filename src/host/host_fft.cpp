#include "host/host_fft.hpp"

#include "core/containers.hpp"
#include "core/error.hpp"
#include "host/page_memory.hpp"

#include <span>
#include <type_traits>

#ifdef HPART_HAVE_FFTW
#include "host/fftw_plan.hpp"
#endif

namespace hpart
{

namespace
{

// FFTW 3.3.10 takes up to 1.2 lines if all factors of the length are small, else up to 4.5 in the plan and 2 in each run.
constexpr std::int64_t largest_small_factor = 13;
constexpr std::int64_t lines_of_small_factors = 2, lines_of_a_plan = 6, lines_of_a_run = 2;
// The planner takes some memory, and so do buffers of each run.
constexpr std::int64_t planner_bytes = std::int64_t{4} << 20, buffer_bytes = std::int64_t{1} << 20;

bool has_small_factors(std::int64_t length)
{
    for (std::int64_t factor = 2; factor <= largest_small_factor; ++factor)
        while (length > 1 && length % factor == 0) length /= factor;
    return length <= 1;
}

} // namespace

std::int64_t host_fft_work_bytes(const HostFftShape &shape)
{
    const auto complex_bytes = 2 * static_cast<std::int64_t>(shape.is_double ? sizeof(double) : sizeof(float));
    std::int64_t bytes = planner_bytes + buffer_bytes * shape.runs;
    for (const auto &dimension : shape.dimensions) {
        const auto lines = has_small_factors(dimension.length) ? lines_of_small_factors * shape.runs
                                                               : lines_of_a_plan + lines_of_a_run * shape.runs;
        bytes += lines * dimension.length * complex_bytes;
    }
    return bytes;
}

#ifdef HPART_HAVE_FFTW

struct HostFft::Plan {
    Plan() = default;
    Plan(const Plan &) = delete;
    Plan &operator=(const Plan &) = delete;
    virtual ~Plan() = default;
    virtual void run(const void *in, void *out) const = 0;
};

namespace
{

std::vector<fftw_iodim64> fftw_dimensions(std::span<const FftDimension> dimensions)
{
    std::vector<fftw_iodim64> out;
    for (const auto &[length, in_stride, out_stride] : dimensions)
        if (length != 1) out.push_back({length, in_stride, out_stride});
    return out;
}

// The last dimension of a real transform is one, however short.
std::vector<fftw_iodim64> transformed_dimensions(const HostFftShape &shape)
{
    if (shape.kind == FftKind::complex) return fftw_dimensions(shape.dimensions);
    const auto &last = shape.dimensions.back();
    auto out = fftw_dimensions(std::span(shape.dimensions).first(shape.dimensions.size() - 1));
    out.push_back({last.length, last.in_stride, last.out_stride});
    return out;
}

unsigned flags_of(const HostFftShape &shape)
{
    return (shape.measured ? FFTW_MEASURE : FFTW_ESTIMATE) | (shape.aligned ? 0U : FFTW_UNALIGNED) |
           (shape.destroys_in || shape.in_place ? FFTW_DESTROY_INPUT : FFTW_PRESERVE_INPUT);
}

std::int64_t extent_bytes(const HostFftShape &shape, std::int64_t FftDimension::*stride)
{
    std::int64_t last = 0;
    for (const auto *dimensions : {&shape.dimensions, &shape.loops})
        for (const auto &dimension : *dimensions) last += (dimension.length - 1) * (dimension.*stride);
    return (last + 1) * 2 * static_cast<std::int64_t>(shape.is_double ? sizeof(double) : sizeof(float));
}

// Arrays to plan with. For an estimated plan FFTW uses only their addresses.
class PlanningArrays
{
  public:
    explicit PlanningArrays(const HostFftShape &shape)
    {
        in_.resize(static_cast<std::size_t>(in_bytes(shape)));
        out_.resize(static_cast<std::size_t>(out_bytes(shape)));
    }
    unsigned char *in() { return in_.data(); }
    unsigned char *out() { return out_.empty() ? in_.data() : out_.data(); }
    static std::int64_t bytes(const HostFftShape &shape) { return in_bytes(shape) + out_bytes(shape); }

  private:
    static std::int64_t in_bytes(const HostFftShape &shape)
    {
        return shape.measured ? extent_bytes(shape, &FftDimension::in_stride) : host_fft_alignment;
    }
    static std::int64_t out_bytes(const HostFftShape &shape)
    {
        if (shape.in_place) return 0;
        return shape.measured ? extent_bytes(shape, &FftDimension::out_stride) : host_fft_alignment;
    }
    AlignedVector<unsigned char> in_, out_;
};

template <typename Real> FftwPlanOf<Real> make_plan(const HostFftShape &shape)
{
    using Library = Fftw<Real>;
    using Complex = typename Library::Complex;
    PlanningArrays arrays(shape);
    auto *const in = arrays.in(), *const out = arrays.out();
    const auto dimensions = transformed_dimensions(shape);
    const auto loops = fftw_dimensions(shape.loops);
    const auto rank = static_cast<int>(dimensions.size()), repeated = static_cast<int>(loops.size());
    const auto flags = flags_of(shape);
    const FftwPlanning planning(std::is_same_v<Real, double>);
    switch (shape.kind) {
    case FftKind::complex:
        return FftwPlanOf<Real>(Library::plan_complex(rank, dimensions.data(), repeated, loops.data(),
                                                      reinterpret_cast<Complex *>(in), reinterpret_cast<Complex *>(out),
                                                      shape.sign, flags));
    case FftKind::real_to_complex:
        return FftwPlanOf<Real>(Library::plan_real_to_complex(rank, dimensions.data(), repeated, loops.data(),
                                                              reinterpret_cast<Real *>(in),
                                                              reinterpret_cast<Complex *>(out), flags));
    case FftKind::complex_to_real:
        return FftwPlanOf<Real>(Library::plan_complex_to_real(rank, dimensions.data(), repeated, loops.data(),
                                                              reinterpret_cast<Complex *>(in),
                                                              reinterpret_cast<Real *>(out), flags));
    }
    return nullptr;
}

template <typename Real> class PlanOf final : public HostFft::Plan
{
  public:
    explicit PlanOf(const HostFftShape &shape) : kind_(shape.kind), plan_(make_plan<Real>(shape))
    {
        if (!plan_) fail(Status::unsupported, "FFTW has no plan for a transform of this shape");
    }

    void run(const void *in, void *out) const override
    {
        using Library = Fftw<Real>;
        using Complex = typename Library::Complex;
        auto *const from = const_cast<void *>(in); // FFTW leaves it alone, unless the shape allows otherwise
        switch (kind_) {
        case FftKind::complex:
            return Library::run_complex(plan_.get(), static_cast<Complex *>(from), static_cast<Complex *>(out));
        case FftKind::real_to_complex:
            return Library::run_real_to_complex(plan_.get(), static_cast<Real *>(from), static_cast<Complex *>(out));
        case FftKind::complex_to_real:
            return Library::run_complex_to_real(plan_.get(), static_cast<Complex *>(from), static_cast<Real *>(out));
        }
    }

  private:
    FftKind kind_;
    FftwPlanOf<Real> plan_;
};

} // namespace

HostFft::HostFft(HostFftShape shape)
{
    const auto work_bytes = host_fft_work_bytes(shape);
    require_usable_memory(work_bytes, "FFTW's work arrays for this transform");
    // A guess takes no arrays to plan with.
    shape.measured = shape.measured && is_usable_memory(work_bytes + PlanningArrays::bytes(shape));
    if (shape.is_double)
        plan_ = std::make_unique<PlanOf<double>>(shape);
    else
        plan_ = std::make_unique<PlanOf<float>>(shape);
}

void HostFft::run(const void *in, void *out) const { plan_->run(in, out); }

#else

struct HostFft::Plan {
};

HostFft::HostFft(HostFftShape)
{
    fail(Status::unsupported, "this build has no FFTW, which transforms on the host need");
}

void HostFft::run(const void *, void *) const {}

#endif

HostFft::~HostFft() = default;

} // namespace hpart
