#include "out_of_card/in_card/cufft.hpp"

#include "core/error.hpp"
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/in_card/fft.hpp"
#include "out_of_card/in_card/fft_twiddle.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace hpart
{

namespace
{

const char *status_name(CufftStatus status)
{
    switch (static_cast<int>(status)) {
    case 1: return "CUFFT_INVALID_PLAN";
    case 2: return "CUFFT_ALLOC_FAILED";
    case 3: return "CUFFT_INVALID_TYPE";
    case 4: return "CUFFT_INVALID_VALUE";
    case 5: return "CUFFT_INTERNAL_ERROR";
    case 6: return "CUFFT_EXEC_FAILED";
    case 7: return "CUFFT_SETUP_FAILED";
    case 8: return "CUFFT_INVALID_SIZE";
    case 9: return "CUFFT_UNALIGNED_DATA";
    case 10: return "CUFFT_INCOMPLETE_PARAMETER_LIST";
    case 11: return "CUFFT_INVALID_DEVICE";
    case 12: return "CUFFT_PARSE_ERROR";
    case 13: return "CUFFT_NO_WORKSPACE";
    case 14: return "CUFFT_NOT_IMPLEMENTED";
    case 15: return "CUFFT_LICENSE_ERROR";
    case 16: return "CUFFT_NOT_SUPPORTED";
    case 17: return "CUFFT_MISSING_DEPENDENCY";
    case 18: return "CUFFT_NVRTC_FAILURE";
    case 19: return "CUFFT_NVJITLINK_FAILURE";
    case 20: return "CUFFT_NVSHMEM_FAILURE";
    default: return "unknown cuFFT error";
    }
}

} // namespace

CufftLibrary::CufftLibrary(const CudaDriver &driver)
{
    const auto library = driver.load({"cuFFT", "libcufft", "cufftGetProperty", 10}, driver.libraries().cufft);
    name_ = library.name();
    library.bind(create, "cufftCreate");
    library.bind(destroy, "cufftDestroy");
    library.bind(set_auto_allocation, "cufftSetAutoAllocation");
    library.bind(make_plan_many, "cufftXtMakePlanMany");
    library.bind(set_stream, "cufftSetStream");
    library.bind(set_work_area, "cufftSetWorkArea");
    library.bind(execute, "cufftXtExec");
}

void CufftLibrary::check(CufftStatus status, const char *call)
{
    if (status == CufftStatus::success) return;
    fail(status == CufftStatus::alloc_failed ? Status::out_of_memory : Status::device, call, ": ", status_name(status),
         " (", static_cast<int>(status), ")");
}

namespace
{

// Calls that take memory report internal errors, too, if there is too little. Errors of a failed context are the driver's.
void check_making(const CudaContext &context, CufftStatus status, const char *call)
{
    if (status != CufftStatus::alloc_failed && status != CufftStatus::internal_error)
        return CufftLibrary::check(status, call);
    fail(Status::out_of_memory, call, ": ", status_name(status), " (", static_cast<int>(status), ")",
         status == CufftStatus::internal_error ? ", perhaps for want of memory: " : ": ", context.free_bytes(),
         " bytes of the device's memory are free");
}

} // namespace

CufftPlan::CufftPlan(std::shared_ptr<CudaContext> context, std::shared_ptr<const CufftLibrary> library,
                     const CufftLayout &layout, std::int64_t most_table_bytes)
    : context_(std::move(context)), library_(std::move(library))
{
    const CudaCurrent current(*context_);
    const auto free_before = context_->free_bytes();
    check_making(*context_, library_->create(&handle_), "cufftCreate");
    try {
        CufftLibrary::check(library_->set_auto_allocation(handle_, 0), "cufftSetAutoAllocation");
        // The sizes of the arrays matter from the second dimension on; null pointers would mean contiguous data.
        auto length = layout.length, in_size = length, out_size = length;
        std::size_t bytes = 0;
        check_making(*context_,
                     library_->make_plan_many(handle_, 1, &length, &in_size, layout.in.stride, layout.in.distance,
                                              layout.in.type, &out_size, layout.out.stride, layout.out.distance,
                                              layout.out.type, layout.batch, &bytes, layout.execution),
                     "cufftXtMakePlanMany");
        work_bytes_ = static_cast<std::int64_t>(bytes);
        table_bytes_ = std::clamp<std::int64_t>(free_before - context_->free_bytes(), 0, most_table_bytes);
    } catch (...) {
        library_->destroy(handle_);
        throw;
    }
}

CufftPlan::~CufftPlan()
{
    if (const CudaCurrent current(*context_, std::nothrow); current) library_->destroy(handle_);
}

void CufftPlan::use(CudaStream stream, void *work_area) const
{
    CufftLibrary::check(library_->set_stream(handle_, stream), "cufftSetStream");
    if (work_bytes_ > 0) CufftLibrary::check(library_->set_work_area(handle_, work_area), "cufftSetWorkArea");
}

void CufftPlan::run(void *in, void *out, int sign) const
{
    CufftLibrary::check(library_->execute(handle_, in, out, sign), "cufftXtExec");
}

// Fourier transforms by cuFFT, and the twiddle by a kernel of our own.

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
        : module_(std::move(context), cuda_kernels_ptx), double_(module_.function("twiddle_double")),
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
    static constexpr int side = 16; // of the squares in cuda_kernels.cu
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
