// The kinds of in-card products, each made where its library is built in and the card can run it: else null.
#pragma once

#include "out_of_card/in_card/gemm.hpp"

namespace hpart
{

std::shared_ptr<InCardGemm> make_host_gemm(Card &card, Scalar type);
std::shared_ptr<InCardGemm> make_cublas_gemm(Card &card, Scalar type);

} // namespace hpart
