// Kernels that a device lacks.
#pragma once

#include "core/error.hpp"
#include "out_of_card/devices/device.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace hpart
{

// Empty if the device computes in this precision.
inline std::string missing_precision(const DeviceInfo &info, bool is_double)
{
    return is_double && !info.double_precision
               ? text(info.spec, " has no double precision; take single precision or another device")
               : "";
}

// One of another device or build is unsupported here; a name that is in none is a mistake. `here`: a range of what has a
// name. `own`: more words for the names of the caller's own.
template <typename Kinds>
[[noreturn]] void fail_missing_kernel(const DeviceSession &session, std::string_view name,
                                      std::span<const std::string_view> anywhere, const Kinds &here,
                                      std::string_view own = "")
{
    std::string names = "auto";
    for (const auto &kind : here) names += text(&kind == &here.back() ? " or " : ", ", kind.name);
    if (name.starts_with("source:") || name.starts_with("binary:"))
        fail(Status::unsupported, "kernel is ", in_quotes(name), ", which OpenCL devices take for products; on ",
             session.info().spec, " it must be ", names, own);
    fail(std::ranges::find(anywhere, name) == anywhere.end() ? Status::invalid_argument : Status::unsupported,
         "kernel is ", in_quotes(name), "; on ", session.info().spec, " it must be ", names, own);
}

} // namespace hpart
