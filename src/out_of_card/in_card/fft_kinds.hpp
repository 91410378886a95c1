// The implementations of in-card transforms; null where the card cannot run one.
#pragma once

#include "out_of_card/in_card/fft.hpp"

#include <memory>

namespace hpart
{

std::shared_ptr<InCardFft> make_fft_on_host(Card &card);
std::shared_ptr<InCardFft> make_fft_by_native_kernels(Card &card);
std::shared_ptr<InCardFft> make_fft_by_vkfft(Card &card);
std::shared_ptr<InCardFft> make_fft_by_cufft(Card &card);

} // namespace hpart
