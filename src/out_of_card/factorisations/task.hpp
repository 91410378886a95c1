// The frame of the public operations: checks, the context of the work, its report, and the words of its errors.
#pragma once

#include "core/text.hpp"
#include "out_of_card/factorisations/factorisation_context.hpp"

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace hpart
{

struct OperationTask {
    const char *name;                 // without the letter of its type; for messages
    std::string sizes;                // likewise
    double flops;                     // by the usual count
    std::vector<HostMatrix> matrices; // a, b or c

    Scalar type() const { return matrices.front().type; }
    std::string what() const { return text("sdcz"[static_cast<int>(type())], name, " of ", sizes); }
};

inline std::string sizes_of(const HostMatrix &a) { return text(a.rows, " x ", a.columns); }
inline std::string system_of(const HostMatrix &a, const HostMatrix &b)
{
    return text(sizes_of(a), " with ", pluralise(b.columns, "right-hand side"));
}

// Does the operation, or only predicts it with dry_run. `run` returns LAPACK's info; a first run without data counts its work. Its
// context is reported also when the caller's data end the work.
std::int64_t run_reported(const DeviceGroup &devices, const OperationTask &task, const Options &options, Report &report,
                          const std::function<std::int64_t(FactorisationContext &)> &run);

// The same with `work` that returns LAPACK's info, or nothing.
template <typename Work>
std::int64_t reported(const DeviceGroup &devices, const OperationTask &task, const Options &options, Report &report,
                      const Work &work)
{
    return run_reported(devices, task, options, report, [&](FactorisationContext &context) {
        if constexpr (std::is_void_v<decltype(work(context))>)
            return work(context), std::int64_t(0);
        else
            return work(context);
    });
}

} // namespace hpart
