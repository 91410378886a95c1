#include "out_of_card/devices/opencl_native.hpp"
#include "out_of_card/in_card/fft_by_fftw.hpp"
#include "out_of_card/in_card/fft_kinds.hpp"

namespace hpart
{

namespace
{

// Where a native kernel leaves the address of its buffer for the last one of its launch.
struct NativeAddresses {
    void *from = nullptr, *to = nullptr;
};

// What the driver hands to a native kernel: a copy of these, into which it puts the buffer's address. Each has one buffer:
// some drivers (PoCL 3.1) put in the addresses of several by the age of the buffers, whatever order they are given in.
struct NativeAddress {
    void **to = nullptr;
    void *memory = nullptr;
};

struct NativeTransform {
    FftwTeam *team = nullptr;
    const FftLines *lines = nullptr;
    const FftLines::Plans *plans = nullptr;
    std::int64_t offset_bytes = 0;
    void *memory = nullptr;
};

struct NativeTwist {
    FftwTeam *team = nullptr;
    const NativeAddresses *addresses = nullptr;
    CardTwist what;
    void *memory = nullptr; // of the roots
};

void CL_CALLBACK keep_address(void *arguments)
{
    const auto &task = *static_cast<const NativeAddress *>(arguments);
    *task.to = task.memory;
}

void CL_CALLBACK run_transform(void *arguments)
{
    const auto &task = *static_cast<const NativeTransform *>(arguments);
    task.team->transform(*task.lines, *task.plans, static_cast<unsigned char *>(task.memory) + task.offset_bytes);
}

void CL_CALLBACK run_twist(void *arguments)
{
    const auto &task = *static_cast<const NativeTwist *>(arguments);
    task.team->twist(task.what, task.addresses->from, task.addresses->to, task.memory);
}

// Its event is the caller's.
template <typename Task>
cl_event enqueue(LaunchContext &context, void(CL_CALLBACK *run)(void *), Task &task, DeviceBuffer &buffer)
{
    auto *memory = opencl_native(buffer);
    const void *place = &task.memory;
    cl_event event = nullptr;
    check_cl(
        clEnqueueNativeKernel(opencl_queue(context), run, &task, sizeof task, 1, &memory, &place, 0, nullptr, &event),
        "clEnqueueNativeKernel");
    return event;
}

// FFTW in native kernels: the driver's thread waits for as many as the device has units.
class FftNative final : public FftByFftw
{
  public:
    using FftByFftw::FftByFftw;

    Launch transform(const CardFftShape &shape, const CardPlace &data, DeviceBuffer *) override
    {
        auto &lines = lines_of(shape);
        return [this, &lines, &plans = lines.plans_for_a_run(), data](LaunchContext &context) {
            NativeTransform task{&team(), &lines, &plans, data.offset_bytes, nullptr};
            context.last_event = enqueue(context, run_transform, task, *data.buffer);
            clRetainEvent(static_cast<cl_event>(context.last_event));
            context.first_event = context.last_event;
        };
    }

    Launch twist(const CardTwist &what) override
    {
        return [this, what](LaunchContext &context) {
            NativeAddress from{&addresses_.from, nullptr}, to{&addresses_.to, nullptr};
            NativeTwist twist{&team(), &addresses_, what, nullptr};
            const ClEvent first(enqueue(context, keep_address, from, *what.from.buffer));
            const ClEvent between(enqueue(context, keep_address, to, *what.to.buffer));
            context.last_event = enqueue(context, run_twist, twist, *what.roots.buffer);
            clRetainEvent(first.get());
            context.first_event = first.get();
        };
    }

  private:
    NativeAddresses addresses_; // of the twist that runs: kernels of a card run one after another
};

} // namespace

std::shared_ptr<InCardFft> make_fft_by_native_kernels(DeviceSession &card)
{
    return std::make_shared<FftNative>(card.info().compute_units);
}

} // namespace hpart
