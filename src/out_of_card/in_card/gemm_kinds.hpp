// The kinds of in-card products.
#pragma once

#include "out_of_card/in_card/gemm.hpp"

#include <cstddef>

namespace hpart
{

struct GemmKind {
    std::string_view name;
    std::shared_ptr<InCardGemm> (*make)(DeviceSession &, Scalar);
};

// Kinds for devices of backend `opencl`, best guess first.
std::vector<GemmKind> opencl_gemm_kinds(DeviceSession &session);

std::shared_ptr<InCardGemm> make_host_gemm(DeviceSession &session, Scalar type);
std::shared_ptr<InCardGemm> make_cublas_gemm(DeviceSession &session, Scalar type);
std::shared_ptr<InCardGemm> make_blocked_gemm(DeviceSession &session, Scalar type);
std::shared_ptr<InCardGemm> make_clblast_gemm(DeviceSession &session, Scalar type);
std::shared_ptr<InCardGemm> make_tiled_gemm(DeviceSession &session, Scalar type);
// first: index of a tiling, from 0 to 5; the first tiling from it on that the device can run.
std::shared_ptr<InCardGemm> make_tiled_gemm(DeviceSession &session, Scalar type, std::size_t first);

// Under which name a session keeps the kind that "auto" is.
std::string name_of_best_gemm(Scalar type);
// Under which name a session keeps the caller's product.
std::string name_of_user_gemm(Scalar type);

// Fails with Status::invalid_argument and the element that is wrong if the kernel computes another product than the host, with
// Status::out_of_memory where not even a product of one element fits the memory that is left.
void check_gemm(DeviceSession &session, InCardGemm &kernel);

// The caller's own kernel: "source:FILE" or "binary:FILE".
bool is_gemm_of_file(std::string_view name);
// Not compared with the host yet. Status::io or Status::format for the file, Status::device for what the device's compiler refuses,
// Status::invalid_argument for other arguments and groups that are too large.
std::shared_ptr<InCardGemm> make_gemm_of_file(DeviceSession &session, Scalar type, const std::string &name);

} // namespace hpart
