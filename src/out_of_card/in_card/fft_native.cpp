#include "out_of_card/devices/opencl_native.hpp"
#include "out_of_card/in_card/fft_by_fftw.hpp"
#include "out_of_card/in_card/fft_kinds.hpp"

namespace hpart
{

namespace
{

// What the driver hands to a native kernel: a copy of these, into which it puts the buffers' addresses.
struct NativeTransform {
    FftwTeam *team;
    const FftLines *lines;
    const FftLines::Plans *plans;
    std::int64_t offset_bytes;
    void *data;
};

struct NativeTwist {
    FftwTeam *team;
    CardTwist what;
    void *from, *to, *roots;
};

void CL_CALLBACK run_transform(void *memory)
{
    const auto &task = *static_cast<const NativeTransform *>(memory);
    task.team->transform(*task.lines, *task.plans, static_cast<unsigned char *>(task.data) + task.offset_bytes);
}

void CL_CALLBACK run_twist(void *memory)
{
    const auto &task = *static_cast<const NativeTwist *>(memory);
    task.team->twist(task.what, task.from, task.to, task.roots);
}

// The places are of the buffers' addresses in the task.
template <typename Task, std::size_t count>
void enqueue(LaunchContext &context, void(CL_CALLBACK *run)(void *), Task &task, const cl_mem (&buffers)[count],
             const void *(&places)[count])
{
    cl_event event = nullptr;
    check_cl(clEnqueueNativeKernel(opencl_queue(context), run, &task, sizeof task, count, buffers, places, 0, nullptr,
                                   &event),
             "clEnqueueNativeKernel");
    clRetainEvent(event);
    context.first_event = context.last_event = event;
}

// FFTW in native kernels: the driver's thread and as many as the device has other units.
class FftNative final : public FftByFftw
{
  public:
    using FftByFftw::FftByFftw;

    Launch transform(const CardFftShape &shape, const CardPlace &data, DeviceBuffer *) override
    {
        auto &lines = lines_of(shape);
        return [this, &lines, &plans = lines.plans_for_a_run(), data](LaunchContext &context) {
            NativeTransform task{&team(), &lines, &plans, data.offset_bytes, nullptr};
            const cl_mem buffers[] = {opencl_native(*data.buffer)};
            const void *places[] = {&task.data};
            enqueue(context, run_transform, task, buffers, places);
        };
    }

    Launch twist(const CardTwist &what) override
    {
        return [this, what](LaunchContext &context) {
            NativeTwist task{&team(), what, nullptr, nullptr, nullptr};
            const cl_mem buffers[] = {opencl_native(*what.from.buffer), opencl_native(*what.to.buffer),
                                      opencl_native(*what.roots.buffer)};
            const void *places[] = {&task.from, &task.to, &task.roots};
            enqueue(context, run_twist, task, buffers, places);
        };
    }
};

} // namespace

std::shared_ptr<InCardFft> make_fft_by_native_kernels(Card &card)
{
    return std::make_shared<FftNative>(card.info().compute_units);
}

} // namespace hpart
