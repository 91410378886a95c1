// Fourier transforms by cuFFT, and the twist by a kernel of our own.
#include "core/error.hpp"
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/in_card/cuda_module.hpp"
#include "out_of_card/in_card/cufft.hpp"
#include "out_of_card/in_card/fft_kinds.hpp"

#include <map>

namespace hpart
{

namespace
{

// cuFFT takes one stride and one distance: of arrays and columns one is its batch, the other a loop over runs.
struct Runs {
    CufftLayout layout;
    std::int64_t count, distance_bytes;
};

Runs complex_runs(const CardFftShape &shape)
{
    const auto type = shape.is_double ? CudaType::complex_double : CudaType::complex_float;
    const bool by_columns = shape.inner < shape.outer;
    const CufftLayout::Side side{type, shape.pitch, by_columns ? shape.distance() : 1};
    const auto batch = by_columns ? shape.outer : shape.inner;
    const auto apart = by_columns ? 1 : shape.distance();
    return {
        {shape.length, batch, side, side, type}, by_columns ? shape.inner : shape.outer, apart * shape.complex_bytes()};
}

Runs real_runs(const CardFftShape &shape)
{
    const auto type = shape.is_double ? CudaType::complex_double : CudaType::complex_float;
    const CufftLayout::Side spectrum{type, 1, shape.distance()};
    const CufftLayout::Side numbers{shape.is_double ? CudaType::real_double : CudaType::real_float, 1,
                                    2 * shape.distance()};
    const bool forward = shape.kind == FftKind::real_to_complex;
    return {{shape.length, shape.outer, forward ? numbers : spectrum, forward ? spectrum : numbers, type}, 1, 0};
}

Runs runs_of(const CardFftShape &shape)
{
    return shape.kind == FftKind::complex ? complex_runs(shape) : real_runs(shape);
}

// In place, all kinds.
int sign_of(const CardFftShape &shape)
{
    if (shape.kind == FftKind::complex) return shape.sign;
    return shape.kind == FftKind::real_to_complex ? -1 : 1;
}

unsigned char *address(const CardPlace &place)
{
    return static_cast<unsigned char *>(place.buffer->native()) + place.offset_bytes;
}

class Twister
{
  public:
    explicit Twister(std::shared_ptr<CudaContext> context)
        : module_(std::move(context), cuda_twist_ptx), double_(module_.function("twist_double")),
          float_(module_.function("twist_float"))
    {
    }

    void launch(const CardTwist &what, CudaStream stream) const
    {
        void *from = address(what.from), *to = address(what.to), *roots = address(what.roots);
        auto rows = as_unsigned(what.rows), columns = as_unsigned(what.columns), first = as_unsigned(what.first),
             fine = as_unsigned(fine_twist_roots(what.n));
        void *parameters[] = {&from, &to, &roots, &rows, &columns, &first, &fine};
        const auto squares = divided_up(what.rows) * divided_up(what.columns);
        module_.launch(what.is_double ? double_ : float_, squares, side * side, stream, parameters);
    }

  private:
    static constexpr int side = 16; // of the squares in cuda_twist.cu
    static std::int64_t divided_up(std::int64_t size) { return (size + side - 1) / side; }
    static unsigned long long as_unsigned(std::int64_t size) { return static_cast<unsigned long long>(size); }

    CudaModule module_;
    CudaFunction double_, float_;
};

class FftByCufft final : public InCardFft
{
  public:
    explicit FftByCufft(const std::shared_ptr<CudaContext> &context)
        : context_(context), library_(std::make_shared<CufftLibrary>(context->driver()))
    {
    }

    std::string_view name() const override { return "cufft"; }
    bool supports(const CardFftShape &) const override { return true; }
    bool supports_pitch() const override { return true; }
    // Those of cuFFT are small, and out of what the device keeps back from its memory.
    std::int64_t table_bytes(const CardFftShape &) const override { return 0; }

    // Only a plan knows. Those that are not run are many, and go again.
    std::int64_t scratch_bytes(const CardFftShape &shape) const override
    {
        const auto found = scratch_bytes_.find(shape);
        if (found != scratch_bytes_.end()) return found->second;
        const CufftPlan plan(context_, library_, runs_of(shape).layout);
        return scratch_bytes_[shape] = plan.work_bytes();
    }

    void prepare(const CardFftShape &shape) override { plan_of(shape); }

    Launch transform(const CardFftShape &shape, const CardPlace &data, DeviceBuffer *scratch) override
    {
        return [plan = plan_of(shape), runs = runs_of(shape), sign = sign_of(shape), data,
                scratch](LaunchContext &context) {
            plan->use(static_cast<CudaStream>(context.queue), scratch == nullptr ? nullptr : scratch->native());
            for (std::int64_t run = 0; run < runs.count; ++run) {
                auto *const first = address(data) + run * runs.distance_bytes;
                plan->run(first, first, sign);
            }
        };
    }

    Launch twist(const CardTwist &what) override
    {
        if (!twister_) twister_ = std::make_shared<Twister>(context_);
        return [twister = twister_, what](LaunchContext &context) {
            twister->launch(what, static_cast<CudaStream>(context.queue));
        };
    }

  private:
    std::shared_ptr<CufftPlan> plan_of(const CardFftShape &shape)
    {
        auto &plan = plans_[shape];
        if (!plan) plan = std::make_shared<CufftPlan>(context_, library_, runs_of(shape).layout);
        return plan;
    }

    std::shared_ptr<CudaContext> context_;
    std::shared_ptr<const CufftLibrary> library_;
    mutable std::map<CardFftShape, std::int64_t> scratch_bytes_;
    std::map<CardFftShape, std::shared_ptr<CufftPlan>> plans_;
    std::shared_ptr<Twister> twister_;
};

} // namespace

std::shared_ptr<InCardFft> make_fft_by_cufft(Card &card)
{
    return std::make_shared<FftByCufft>(cuda_context(card.device()));
}

} // namespace hpart
