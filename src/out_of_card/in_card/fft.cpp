#include "out_of_card/in_card/fft.hpp"

#include "out_of_card/in_card/opencl_kernel.hpp"

#ifdef HPART_HAVE_OPENCL
#include "out_of_card/devices/opencl_backend.hpp"
#include "out_of_card/devices/opencl_handles.hpp"
#endif

#include <algorithm>

namespace hpart
{

namespace
{

struct Kind {
    std::string_view name;
    std::shared_ptr<InCardFft> (*make)(DeviceSession &session);
};

#if defined(HPART_HAVE_FFTW) && defined(HPART_HAVE_OPENCL)

bool runs_native_kernels(const DeviceSession &session)
{
    return session.info().backend == Backend::opencl && has_native_kernels(opencl_native(session.device()).device);
}

#endif

// Best guess first.
std::vector<Kind> kinds_of(const DeviceSession &session)
{
    std::vector<Kind> kinds;
#ifdef HPART_HAVE_FFTW
    if (session.info().backend == Backend::host) kinds.push_back({"fftw", make_fft_on_host});
#ifdef HPART_HAVE_OPENCL
    if (runs_native_kernels(session)) kinds.push_back({"fftw", make_fft_by_native_kernels});
#endif
#endif
    if (session.info().backend == Backend::cuda) kinds.push_back({"cufft", make_fft_by_cufft});
#if defined(HPART_HAVE_OPENCL) && defined(HPART_HAVE_VKFFT)
    if (session.info().backend == Backend::opencl) kinds.push_back({"vkfft", make_fft_by_vkfft});
#endif
    return kinds;
}

constexpr std::string_view fft_kernels_anywhere[] = {"fftw", "vkfft", "cufft"};

} // namespace

std::vector<std::string> in_card_fft_names(DeviceSession &session)
{
    std::vector<std::string> names;
    for (const auto &kind : kinds_of(session)) names.emplace_back(kind.name);
    return names;
}

std::shared_ptr<InCardFft> in_card_fft(DeviceSession &session, std::string_view name)
{
    const auto kinds = kinds_of(session);
    const bool any = name.empty() || name == "auto";
    const auto wanted =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind &kind) { return any || kind.name == name; });
    if (wanted != kinds.end())
        return session.kept<InCardFft>(text("fft ", wanted->name), [&] { return wanted->make(session); });
    if (any) return nullptr;
    fail_missing_kernel(session, name, fft_kernels_anywhere, kinds);
}

} // namespace hpart
