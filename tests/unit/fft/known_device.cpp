#include "known_device.hpp"

#include "core/text.hpp"
#include "out_of_card/in_card/fft.hpp"

namespace problem
{

using namespace hpart;

DeviceProfile known_profile()
{
    DeviceProfile profile;
    // in, out, both, seconds of a copy, least row, alignment
    profile.keep("link", std::vector<double>{1e10, 9e9, 1.6e10, 5e-6, 1e-10, 1});
    for (const auto *type : {"z", "c"})
        for (const auto *engine : {"fftw", "vkfft", "cufft"})
            profile.keep(text("fft.", engine, ".", type, ".rates"),
                         std::vector<double>{2e10, 1e10, 1e-5}); // copies, flops, a command
    return profile;
}

std::shared_ptr<DeviceSession> known_device(std::shared_ptr<Device> device, std::optional<std::int64_t> limit)
{
    auto session = std::make_shared<DeviceSession>(std::move(device), limit, known_profile());
    for (const auto *type : {"z", "c"})
        if (const auto names = in_card_fft_names(*session); !names.empty())
            session->profile().keep(text("fft.auto.", type, ".kernel"), names.front());
    return session;
}

} // namespace problem
