#include "out_of_card/devices/opencl_backend.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/in_card/fft.hpp"
#include "out_of_card/in_card/fft_by_fftw.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

// A native kernel leaves the address of its buffer here for the last one of its launch.
struct NativeAddresses {
    void *from = nullptr, *to = nullptr;
};

struct NativeTransform {
    FftwTeam *team = nullptr;
    const FftLines *lines = nullptr;
    const FftLines::Plans *plans = nullptr;
    std::int64_t offset_bytes = 0;
    void *memory = nullptr;
};

struct NativeTwiddle {
    FftwTeam *team = nullptr;
    const NativeAddresses *addresses = nullptr;
    DeviceTwiddle what;
    void *memory = nullptr; // of the roots
};

void CL_CALLBACK run_transform(void *arguments)
{
    const auto &task = *static_cast<const NativeTransform *>(arguments);
    task.team->transform(*task.lines, *task.plans, static_cast<unsigned char *>(task.memory) + task.offset_bytes);
}

void CL_CALLBACK run_twiddle(void *arguments)
{
    const auto &task = *static_cast<const NativeTwiddle *>(arguments);
    task.team->twiddle(task.what, task.addresses->from, task.addresses->to, task.memory);
}

// FFTW in native kernels: the driver's thread waits for as many as the device has units.
class FftNative final : public FftByFftw
{
  public:
    using FftByFftw::FftByFftw;

    Launch transform(const DeviceFftShape &shape, const DevicePlace &data, DeviceBuffer *) override
    {
        auto &lines = lines_of(shape);
        return [this, &lines, &plans = lines.plans_for_a_run(), data](LaunchContext &context) {
            const auto event =
                enqueue_native(context, run_transform,
                               NativeTransform{&team(), &lines, &plans, data.offset_bytes, nullptr}, *data.buffer);
            clRetainEvent(event.get());
            clRetainEvent(event.get());
            context.first_event = context.last_event = event.get();
        };
    }

    Launch twiddle(const DeviceTwiddle &what) override
    {
        return [this, what](LaunchContext &context) {
            const auto first = enqueue_address(context, *what.from.buffer, &addresses_.from);
            enqueue_address(context, *what.to.buffer, &addresses_.to);
            const auto last = enqueue_native(context, run_twiddle, NativeTwiddle{&team(), &addresses_, what, nullptr},
                                             *what.roots.buffer);
            clRetainEvent(first.get());
            clRetainEvent(last.get());
            context.first_event = first.get();
            context.last_event = last.get();
        };
    }

  private:
    NativeAddresses addresses_; // of the twiddle that runs: kernels of a device run one after another
};

// A thread for each unit, on the core of the unit: the cores of other units belong to other processors.
std::vector<CoreList> cores_of_units(const DeviceInfo &info)
{
    std::vector<CoreList> bindings(static_cast<std::size_t>(info.compute_units));
    if (!has_bound_units(info)) return bindings;
    const auto cores = cores_of(info);
    const auto &usable = usable_cores();
    for (std::size_t k = 0; k < bindings.size(); ++k)
        if (std::ranges::find(usable, cores[k]) != usable.end()) bindings[k] = {cores[k]};
    return bindings;
}

} // namespace

std::shared_ptr<InCardFft> make_fft_by_native_kernels(DeviceSession &session)
{
    return std::make_shared<FftNative>(cores_of_units(session.info()));
}

} // namespace hpart
