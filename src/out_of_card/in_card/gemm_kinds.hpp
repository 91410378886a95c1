// The kinds of in-card products.
#pragma once

#include "out_of_card/in_card/gemm.hpp"

namespace hpart
{

struct GemmKind {
    std::string_view name;
    std::shared_ptr<InCardGemm> (*make)(DeviceSession &, Scalar);
    // Not known beforehand to be slower than another of the device's.
    bool worth_timing = true;
};

// Kinds for devices of backend `opencl`, best guess first.
std::vector<GemmKind> opencl_gemm_kinds(DeviceSession &session);

std::shared_ptr<InCardGemm> make_host_gemm(DeviceSession &session, Scalar type);
std::shared_ptr<InCardGemm> make_cublas_gemm(DeviceSession &session, Scalar type);
std::shared_ptr<InCardGemm> make_blocked_gemm(DeviceSession &session, Scalar type);
std::shared_ptr<InCardGemm> make_native_gemm(DeviceSession &session, Scalar type);
std::shared_ptr<InCardGemm> make_clblast_gemm(DeviceSession &session, Scalar type);
std::shared_ptr<InCardGemm> make_tiled_gemm(DeviceSession &session, Scalar type);

} // namespace hpart
