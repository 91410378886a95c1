// The implementations of in-card transforms.
#pragma once

#include "out_of_card/in_card/fft.hpp"

#include <memory>

namespace hpart
{

std::shared_ptr<InCardFft> make_fft_on_host(DeviceSession &session);
std::shared_ptr<InCardFft> make_fft_by_native_kernels(DeviceSession &session);
std::shared_ptr<InCardFft> make_fft_by_vkfft(DeviceSession &session);
std::shared_ptr<InCardFft> make_fft_by_cufft(DeviceSession &session);

} // namespace hpart
