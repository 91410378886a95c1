// The frame of the public operations: checks, the context of the work, its report, and the words of its errors.
#pragma once

#include "core/pluralise.hpp"
#include "out_of_card/factorisations/factorisation_context.hpp"

#include <optional>
#include <string>

namespace hpart
{

// The operation's name, for messages, and its steps.
struct OperationTask {
    const char *name; // without the letter of its type
    std::string sizes;
    Steps steps;
    std::vector<HostMatrix> matrices; // a, b or c

    Scalar type() const { return steps.front().type; }
    std::string what() const { return text("sdcz"[static_cast<int>(type())], name, " of ", sizes); }
};

inline std::string sizes_of(const HostMatrix &a) { return text(a.rows, " x ", a.columns); }
inline std::string system_of(const HostMatrix &a, const HostMatrix &b)
{
    return text(sizes_of(a), " with ", pluralise(b.columns, "right-hand side"));
}

// The settings of products, which would fail at the first one: before anything is changed, whatever the operation's size.
void check_settings(const DeviceGroup &devices, const OperationTask &task, const Options &options);

// Runs `work` with a FactorisationContext of the type, which is then reported, also when the caller's data end the work.
template <typename Work>
std::int64_t reported(const DeviceGroup &devices, const OperationTask &task, const Options &options, Report &report,
                      const Work &work)
{
    check_settings(devices, task, options);
    std::optional<FactorisationContext> products;
    try {
        products.emplace(devices, options, task.steps);
        std::int64_t info = 0;
        if (options.get_int("dry_run") == 1) {
            products->predict(task.steps);
            products->report(report);
            return info;
        }
        with_type(task.type(), [&]<typename Value>() { info = work.template operator()<Value>(*products); });
        if (info == 0) {
            products->learn();
            products->control().report_progress(1, task.name);
        }
        products->report(report);
        report.set("info", info);
        return info;
    } catch (const Error &error) {
        const auto status = error.status();
        if (status != Status::cancelled && status != Status::device && status != Status::out_of_memory) throw;
        const bool is_unchanged = !products || products->is_unchanged();
        // The status for want of memory promises that the call can be made again.
        fail(status == Status::out_of_memory && !is_unchanged ? Status::device : status, task.what(), ": ",
             error.what(), is_unchanged ? "; nothing was changed" : "; its results are undefined");
    }
}

} // namespace hpart
