// The implementations of in-card transforms; null where the card cannot run one.
#pragma once

#include "out_of_card/in_card/fft.hpp"

#include <memory>

namespace hpart
{

std::shared_ptr<InCardFft> make_fft_on_host(DeviceSession &card);
std::shared_ptr<InCardFft> make_fft_by_native_kernels(DeviceSession &card);
std::shared_ptr<InCardFft> make_fft_by_vkfft(DeviceSession &card);
std::shared_ptr<InCardFft> make_fft_by_cufft(DeviceSession &card);

} // namespace hpart
