// Fourier transforms by cuFFT, and the twiddle by a kernel of our own.
#include "core/error.hpp"
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/in_card/cuda_module.hpp"
#include "out_of_card/in_card/cufft.hpp"
#include "out_of_card/in_card/fft_kinds.hpp"

#include <bit>
#include <map>
#include <set>

namespace hpart
{

namespace
{

// cuFFT takes one stride and one distance: of arrays and columns one is its batch, the other a loop over runs.
struct Runs {
    CufftLayout layout;
    std::int64_t count, distance_bytes;
};

Runs complex_runs(const DeviceFftShape &shape)
{
    const auto type = shape.is_double ? CudaType::complex_double : CudaType::complex_float;
    const bool by_columns = shape.inner < shape.outer;
    const CufftLayout::Side side{type, shape.pitch, by_columns ? shape.distance() : 1};
    const auto batch = by_columns ? shape.outer : shape.inner;
    const auto apart = by_columns ? 1 : shape.distance();
    return {
        {shape.length, batch, side, side, type}, by_columns ? shape.inner : shape.outer, apart * shape.complex_bytes()};
}

Runs real_runs(const DeviceFftShape &shape)
{
    const auto type = shape.is_double ? CudaType::complex_double : CudaType::complex_float;
    const CufftLayout::Side spectrum{type, 1, shape.distance()};
    const CufftLayout::Side numbers{shape.is_double ? CudaType::real_double : CudaType::real_float, 1,
                                    2 * shape.distance()};
    const bool forward = shape.kind == FftKind::real_to_complex;
    return {{shape.length, shape.outer, forward ? numbers : spectrum, forward ? spectrum : numbers, type}, 1, 0};
}

Runs runs_of(const DeviceFftShape &shape)
{
    return shape.kind == FftKind::complex ? complex_runs(shape) : real_runs(shape);
}

// In place, all kinds.
int sign_of(const DeviceFftShape &shape)
{
    if (shape.kind == FftKind::complex) return shape.sign;
    return shape.kind == FftKind::real_to_complex ? -1 : 1;
}

unsigned char *address(const DevicePlace &place)
{
    return static_cast<unsigned char *>(place.buffer->native()) + place.offset_bytes;
}

class Twiddleer
{
  public:
    explicit Twiddleer(std::shared_ptr<CudaContext> context)
        : module_(std::move(context), cuda_twiddle_ptx), double_(module_.function("twiddle_double")),
          float_(module_.function("twiddle_float"))
    {
    }

    void launch(const DeviceTwiddle &what, CudaStream stream) const
    {
        void *from = address(what.from), *to = address(what.to), *roots = address(what.roots);
        auto rows = as_unsigned(what.rows), columns = as_unsigned(what.columns), first = as_unsigned(what.first),
             fine = as_unsigned(fine_twiddle_roots(what.n));
        void *parameters[] = {&from, &to, &roots, &rows, &columns, &first, &fine};
        const auto squares = divided_up(what.rows) * divided_up(what.columns);
        module_.launch(what.is_double ? double_ : float_, squares, side * side, stream, parameters);
    }

  private:
    static constexpr int side = 16; // of the squares in cuda_twiddle.cu
    static std::int64_t divided_up(std::int64_t size) { return (size + side - 1) / side; }
    static unsigned long long as_unsigned(std::int64_t size) { return static_cast<unsigned long long>(size); }

    CudaModule module_;
    CudaFunction double_, float_;
};

// Beside the data and in tables, of one transform.
struct Needs {
    std::int64_t scratch_bytes = 0, table_bytes = 0;
};

// An estimate of a plan's memory: a real plan takes cuFFT up to 150 ms, and planners look at hundreds of shapes. Short lengths
// are transformed in place, long ones by way of the scratch, those with large prime factors by a convolution of twice the
// padded length (as measured with cuFFT 12).
Needs estimated_needs(const DeviceFftShape &shape)
{
    constexpr std::int64_t longest_in_place = 4096, largest_prime = 127;
    auto rest = shape.length;
    for (std::int64_t prime = 2; prime <= largest_prime; ++prime)
        while (rest % prime == 0) rest /= prime;
    const auto lines = runs_of(shape).layout.batch;
    if (rest == 1) return {shape.length <= longest_in_place ? 0 : lines * shape.length * shape.complex_bytes(), 0};
    const auto padded = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * shape.length - 1)));
    return {2 * lines * padded * shape.complex_bytes(), 2 * padded * shape.complex_bytes()};
}

class FftByCufft final : public InCardFft
{
  public:
    explicit FftByCufft(DeviceSession &session)
        : session_(session), context_(cuda_context(session.device())),
          library_(std::make_shared<CufftLibrary>(context_->driver()))
    {
    }

    std::string_view name() const override { return "cufft"; }
    // A complex point is its own transform, a real one is not.
    bool supports(const DeviceFftShape &shape) const override
    {
        return (shape.length > 1 || is_identity(shape)) && !refused_.contains(shape);
    }
    bool supports_pitch() const override { return true; }

    std::int64_t table_bytes(const DeviceFftShape &shape) const override
    {
        return is_identity(shape) || plans_.contains(shape) ? 0 : needs(shape).table_bytes;
    }
    std::int64_t kept_bytes() const override
    {
        std::int64_t sum = 0;
        for (const auto &[shape, plan] : plans_) sum += plan->table_bytes();
        return sum;
    }
    void forget() override { plans_.clear(); }
    std::int64_t scratch_bytes(const DeviceFftShape &shape) const override
    {
        return is_identity(shape) ? 0 : needs(shape).scratch_bytes;
    }

    void prepare(const DeviceFftShape &shape) override
    {
        if (!is_identity(shape)) plan_of(shape);
    }

    Launch transform(const DeviceFftShape &shape, const DevicePlace &data, DeviceBuffer *scratch) override
    {
        if (is_identity(shape)) return [](LaunchContext &) {};
        return [plan = plan_of(shape), runs = runs_of(shape), sign = sign_of(shape), data,
                scratch](LaunchContext &context) {
            plan->use(static_cast<CudaStream>(context.queue), scratch == nullptr ? nullptr : scratch->native());
            for (std::int64_t run = 0; run < runs.count; ++run) {
                auto *const first = address(data) + run * runs.distance_bytes;
                plan->run(first, first, sign);
            }
        };
    }

    Launch twiddle(const DeviceTwiddle &what) override
    {
        if (!twiddleer_) twiddleer_ = session_.with_room([&] { return std::make_shared<Twiddleer>(context_); });
        return [twiddleer = twiddleer_, what](LaunchContext &context) {
            twiddleer->launch(what, static_cast<CudaStream>(context.queue));
        };
    }

  private:
    static bool is_identity(const DeviceFftShape &shape) { return shape.length == 1 && shape.kind == FftKind::complex; }

    Needs needs(const DeviceFftShape &shape) const
    {
        if (const auto found = known_.find(shape); found != known_.end()) return found->second;
        auto needs = estimated_needs(shape);
        if (const auto line = line_bytes_.find(line_of(shape)); line != line_bytes_.end())
            needs.scratch_bytes = line->second * runs_of(shape).layout.batch;
        return needs;
    }

    // Shapes whose scratch is in proportion to their lines.
    static DeviceFftShape line_of(DeviceFftShape shape)
    {
        const bool by_rows = shape.inner > shape.outer;
        shape.outer = 1;
        shape.inner = shape.pitch = by_rows ? 2 : 1;
        return shape;
    }

    std::shared_ptr<CufftPlan> make_plan(const DeviceFftShape &shape)
    {
        constexpr std::int64_t margin = 2;
        return session_.with_room([&] {
            return std::make_shared<CufftPlan>(context_, library_, runs_of(shape).layout,
                                               margin * estimated_needs(shape).table_bytes);
        });
    }

    std::shared_ptr<CufftPlan> plan_of(const DeviceFftShape &shape)
    {
        if (const auto found = plans_.find(shape); found != plans_.end()) return found->second;
        if (!keeper_) {
            DeviceFftShape small;
            small.length = 2;
            keeper_ = make_plan(small);
        }
        try {
            auto plan = make_plan(shape);
            known_[shape] = {plan->work_bytes(), plan->table_bytes()};
            const auto lines = runs_of(shape).layout.batch;
            line_bytes_[line_of(shape)] = (plan->work_bytes() + lines - 1) / lines;
            return plans_[shape] = std::move(plan);
        } catch (const Error &error) {
            if (error.status() == Status::out_of_memory) throw;
            context_->check_usable();
            refused_.insert(shape);
            throw;
        }
    }

    DeviceSession &session_;
    std::shared_ptr<CudaContext> context_;
    std::shared_ptr<const CufftLibrary> library_;
    std::shared_ptr<CufftPlan> keeper_;                 // cuFFT's code is unloaded with the last plan
    std::map<DeviceFftShape, Needs> known_;             // of all shapes that ever had a plan
    std::map<DeviceFftShape, std::int64_t> line_bytes_; // of scratch a line, by the shapes of plans
    std::set<DeviceFftShape> refused_;
    std::map<DeviceFftShape, std::shared_ptr<CufftPlan>> plans_;
    std::shared_ptr<Twiddleer> twiddleer_;
};

} // namespace

std::shared_ptr<InCardFft> make_fft_by_cufft(DeviceSession &session) { return std::make_shared<FftByCufft>(session); }

} // namespace hpart
