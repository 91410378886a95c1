#include "out_of_card/in_card/vkfft_plan.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <limits>

namespace
{

// VkFFT prints what does not compile, and sets the locale of the process while it writes code. The library does neither: the
// printing is dropped, and CLocale below sets the locale of the thread alone.
inline int print_nothing(const char *, ...) { return 0; }
inline char *keep_locale(int, const char *) { return nullptr; }

} // namespace

#include <CL/cl.h>
#include <cinttypes>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory.h>

namespace
{

// The items of a group keep their data on the stack of a processor's thread, some kilobytes each where lines are long: VkFFT
// is told of less local memory and of smaller groups than there are, and cuts long lines.
constexpr cl_ulong local_bytes_of_processors = 65536;
constexpr std::size_t items_of_processors = 1024;

cl_int limited_device_info(cl_device_id device, cl_device_info what, std::size_t size, void *value, std::size_t *needed)
{
    const auto status = clGetDeviceInfo(device, what, size, value, needed);
    cl_device_type type = 0;
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    if (status != CL_SUCCESS || value == nullptr || (type & CL_DEVICE_TYPE_CPU) == 0) return status;
    if (what == CL_DEVICE_LOCAL_MEM_SIZE)
        *static_cast<cl_ulong *>(value) = std::min(*static_cast<cl_ulong *>(value), local_bytes_of_processors);
    if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE)
        *static_cast<std::size_t *>(value) = std::min(*static_cast<std::size_t *>(value), items_of_processors);
    return status;
}

} // namespace

#define printf print_nothing
#define setlocale keep_locale
#define clGetDeviceInfo limited_device_info
#define VKFFT_BACKEND 3
#include <vkFFT.h>
#undef printf
#undef setlocale
#undef clGetDeviceInfo

namespace hpart
{

namespace
{

// The thread's locale is "C" while one exists.
class CLocale
{
  public:
    CLocale() : c_(newlocale(LC_ALL_MASK, "C", nullptr)), before_(uselocale(c_)) {}
    CLocale(const CLocale &) = delete;
    CLocale &operator=(const CLocale &) = delete;
    ~CLocale()
    {
        uselocale(before_);
        if (c_ != nullptr) freelocale(c_);
    }

  private:
    locale_t c_, before_;
};

void check_vkfft(VkFFTResult result, const char *action, const DeviceFftShape &shape)
{
    if (result == VKFFT_SUCCESS) return;
    // Some drivers take the memory of a table when it is first written.
    const bool memory = result == VKFFT_ERROR_FAILED_TO_ALLOCATE || result == VKFFT_ERROR_MALLOC_FAILED ||
                        result == VKFFT_ERROR_FAILED_TO_COPY;
    fail(memory ? Status::out_of_memory : Status::device, "VkFFT cannot ", action, " transforms of ", shape.length,
         " points: result ", static_cast<int>(result));
}

// From this many bytes on, 32 bits do not count the numbers.
constexpr std::int64_t bytes_of_long_indices = std::int64_t{1} << 32;

} // namespace

struct VkFftPlan::Application {
    DeviceFftShape shape;
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    std::uint64_t bytes = 0;
    // The scratch is given when the plan runs. VkFFT 1.3 refuses to plan with too little, and no version with none.
    std::uint64_t scratch_bytes = std::numeric_limits<std::int64_t>::max();
    VkFFTApplication application{};
    bool planned = false;

    Application(cl_context on, cl_device_id of, const DeviceFftShape &what) : shape(what), device(of), context(on) {}
    Application(const Application &) = delete;
    Application &operator=(const Application &) = delete;
    ~Application()
    {
        if (planned) deleteVkFFT(&application);
    }

    VkFFTConfiguration configuration()
    {
        bytes = static_cast<std::uint64_t>(shape.outer * shape.distance() * shape.complex_bytes());
        VkFFTConfiguration configuration{};
        const bool columns = shape.inner > 1;
        if (columns) {
            configuration.size[configuration.FFTdim] = static_cast<std::uint64_t>(shape.inner);
            configuration.omitDimension[configuration.FFTdim++] = 1;
        }
        configuration.size[configuration.FFTdim++] = static_cast<std::uint64_t>(shape.length);
        configuration.numberBatches = static_cast<std::uint64_t>(shape.outer);
        configuration.device = &device;
        configuration.context = &context;
        configuration.bufferSize = &bytes;
        configuration.userTempBuffer = 1;
        configuration.tempBufferSize = &scratch_bytes;
        configuration.specifyOffsetsAtLaunch = 1;
        configuration.doublePrecision = shape.is_double ? 1 : 0;
        configuration.useUint64 = static_cast<std::int64_t>(bytes) >= bytes_of_long_indices ? 1 : 0;
        configuration.performR2C = shape.kind == FftKind::complex ? 0 : 1;
        const bool forward = shape.kind == FftKind::complex ? shape.sign < 0 : shape.kind == FftKind::real_to_complex;
        configuration.makeForwardPlanOnly = forward ? 1 : 0;
        configuration.makeInversePlanOnly = forward ? 0 : 1;
        return configuration;
    }

    const VkFFTPlan *made() const
    {
        return application.configuration.makeForwardPlanOnly != 0 ? application.localFFTPlan
                                                                  : application.localFFTPlan_inverse;
    }

    // If an axis takes more than one turn, its numbers change places through the scratch.
    std::int64_t needed_scratch() const
    {
        const auto &plan = *made();
        std::int64_t needed = 0;
        for (std::uint64_t axis = 0; axis < application.configuration.FFTdim; ++axis) {
            if (plan.numAxisUploads[axis] <= 1) continue;
            const auto *size = plan.actualFFTSizePerAxis[axis]; // longer where the length is awkward
            const auto numbers = (size[0] + 1) * size[1] * size[2] * application.configuration.numberBatches;
            needed = std::max(needed, static_cast<std::int64_t>(numbers) * shape.complex_bytes());
        }
        return needed;
    }

    std::int64_t needed_tables() const
    {
        const auto &plan = *made();
        std::int64_t needed = 0;
        for (std::uint64_t axis = 0; axis < application.configuration.FFTdim; ++axis) {
            for (std::uint64_t turn = 0; turn < plan.numAxisUploads[axis]; ++turn)
                needed += static_cast<std::int64_t>(plan.axes[axis][turn].bufferLUTSize);
            if (application.useBluesteinFFT[axis] != 0) // the chirp and its two transforms
                needed += 3 * static_cast<std::int64_t>(plan.actualFFTSizePerAxis[axis][axis]) * shape.complex_bytes();
        }
        return needed;
    }
};

VkFftPlan::VkFftPlan(cl_context context, cl_device_id device, const DeviceFftShape &shape)
    : application_(std::make_unique<Application>(context, device, shape))
{
    if (shape.length == 1 && shape.kind == FftKind::complex) return; // a point is its own transform
    const auto configuration = application_->configuration();
    const CLocale locale;
    // If it fails, it releases its own objects.
    check_vkfft(initializeVkFFT(&application_->application, configuration), "plan", shape);
    application_->planned = true;
    scratch_bytes_ = application_->needed_scratch();
    table_bytes_ = application_->needed_tables();
}

VkFftPlan::~VkFftPlan() = default;

void VkFftPlan::run(cl_command_queue queue, cl_mem data, std::int64_t offset_bytes, cl_mem scratch)
{
    if (!application_->planned) return;
    auto &application = application_->application;
    VkFFTLaunchParams launch{};
    launch.buffer = &data;
    launch.tempBuffer = scratch == nullptr ? &data : &scratch;
    launch.commandQueue = &queue;
    launch.bufferOffset = static_cast<std::uint64_t>(offset_bytes);
    const int direction = application.configuration.makeForwardPlanOnly != 0 ? -1 : 1;
    check_vkfft(VkFFTAppend(&application, direction, &launch), "run", application_->shape);
}

std::int64_t local_bytes_for_vkfft(cl_device_id device)
{
    cl_ulong bytes = 0;
    limited_device_info(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
    return static_cast<std::int64_t>(bytes);
}

std::string vkfft_version()
{
    const int version = VkFFTGetVersion(); // 10226: 1.2.26
    return text(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

} // namespace hpart
