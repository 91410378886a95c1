#include "kernels/vkfft_plan.hpp"

#include "core/error.hpp"

#include <clocale>
#include <cstdio>

namespace
{

// VkFFT prints what does not compile, and sets the locale of the process while it writes code. The library does neither:
// the printing is dropped, and the locale is that of the thread, set by CLocale below.
inline int print_nothing(const char *, ...) { return 0; }
inline char *keep_locale(int, const char *) { return nullptr; }

} // namespace

#include <CL/cl.h>
#include <cinttypes>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory.h>

#define printf print_nothing
#define setlocale keep_locale
#define VKFFT_BACKEND 3
#include <vkFFT.h>
#undef printf
#undef setlocale

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

void check_vkfft(VkFFTResult result, const char *action, std::int64_t rows, std::int64_t n)
{
    if (result != VKFFT_SUCCESS)
        fail(Status::device, "VkFFT cannot ", action, " a transform of ", rows, " x ", n, " points: result ",
             static_cast<int>(result));
}

} // namespace

struct VkFftPlan::Application {
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    std::uint64_t bytes = 0;
    VkFFTApplication application{};
};

VkFftPlan::VkFftPlan(const OpenClDevice &device, std::int64_t rows, std::int64_t n)
    : application_(std::make_unique<Application>()), device_(device), rows_(rows)
{
    application_->device = device.device();
    application_->context = device.context();
    application_->bytes = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(n) * 2 * sizeof(double);
    VkFFTConfiguration configuration{};
    for (const auto length : {n, rows}) // the fastest first; a length of 1 is no dimension
        if (length > 1) configuration.size[configuration.FFTdim++] = static_cast<std::uint64_t>(length);
    if (configuration.FFTdim == 0) return;
    configuration.device = &application_->device;
    configuration.context = &application_->context;
    configuration.bufferSize = &application_->bytes;
    configuration.doublePrecision = 1;
    configuration.makeForwardPlanOnly = 1;
    const CLocale locale;
    check_vkfft(initializeVkFFT(&application_->application, configuration), "plan", rows, n);
}

VkFftPlan::~VkFftPlan()
{
    if (application_->application.configuration.FFTdim > 0) deleteVkFFT(&application_->application);
}

void VkFftPlan::run(cl_mem buffer)
{
    auto &application = application_->application;
    if (application.configuration.FFTdim == 0) return; // one point is its own transform
    auto *queue = device_.queue();
    VkFFTLaunchParams launch{};
    launch.buffer = &buffer;
    launch.commandQueue = &queue;
    const auto n = static_cast<std::int64_t>(application_->bytes / (2 * sizeof(double))) / rows_;
    check_vkfft(VkFFTAppend(&application, -1, &launch), "run", rows_, n);
}

std::string vkfft_version()
{
    const int version = VkFFTGetVersion(); // 10226: 1.2.26
    return text(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

} // namespace hpart
