// The checks and limits that the calls of partitions, fronts and schedules share.
#pragma once

#include "c_api/handles.hpp"
#include "core/options.hpp"
#include "core/progress.hpp"
#include "models/platform.hpp"
#include "partitioners/problem/instance.hpp"
#include "partitioners/problem/requests.hpp"

#include <cstdint>

namespace hpart::c_api
{

Ties ties_of(const Options &options);
void check_workload(std::int64_t size);
// A call that lacks a function altogether is wrong; a call that lacks only sizes is infeasible.
void check_functions(const Platform &platform, std::int64_t size, bool needs_energies);
[[noreturn]] void fail_at_limit(const Control &control, const char *what_it_left);
// A search measured only the sizes that it needed: the best of these is not proved best.
Report as_proved(Report report, const Platform &platform);

// Calls that give nothing when they meet a limit.
template <typename Solve> auto all_or_nothing(const Control &control, Solve &&solve)
{
    try {
        return solve();
    } catch (const TooManyPoints &) {
        throw;
    } catch (const Error &error) {
        if (error.status() == Status::limit) fail_at_limit(control, "before the result was complete");
        throw;
    }
}

} // namespace hpart::c_api
