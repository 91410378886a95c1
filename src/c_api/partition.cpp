#include "c_api/partition.hpp"
#include "core/text.hpp"
#include "models/shape.hpp"
#include "partitioners/problem/instance.hpp"
#include "partitioners/problem/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

using namespace hpart;
using namespace hpart::c_api;

namespace hpart::c_api
{

namespace
{

constexpr auto largest_size = std::numeric_limits<std::int64_t>::max() - 1;

bool has_values(const Platform &platform, Column<double> Points::*values)
{
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &of_processor = platform.points(i).*values;
        if (std::any_of(of_processor.begin(), of_processor.end(), [](double value) { return !std::isnan(value); }))
            return true;
    }
    return false;
}

} // namespace

Ties ties_of(const Options &options)
{
    return options.get_text("ties") == "fewest" ? Ties::fewest : Ties::deterministic;
}

void check_workload(std::int64_t size)
{
    if (size < 0) fail_argument("size is ", size, "; it must not be negative");
    // Sums of sizes saturate at the largest integer, which must differ from every valid size.
    if (size > largest_size) fail_argument("size is ", size, "; it must be at most ", largest_size);
}

void check_functions(const Platform &platform, std::int64_t size, bool needs_energies)
{
    if (size == 0) return;
    if (!has_values(platform, &Points::seconds) && !platform.facts.all<ApplicationRun>().empty())
        fail_argument(
            "the platform has runs of an application that gave one time for all processors, and no functions; profile "
            "with option simultaneous=0, or let the application print the time of each");
    if (!has_values(platform, &Points::seconds))
        fail_argument("the platform has no time functions; profile it, or set them");
    if (needs_energies && !has_values(platform, &Points::joules))
        fail_argument("the platform has no energy functions; profile with a meter, or set them");
}

[[noreturn]] void fail_at_limit(const Control &control, const char *what_it_left)
{
    fail(Status::limit, control.limit_met(), " ", what_it_left, "; a larger one lets the search go on");
}

Report as_proved(Report report, const Platform &platform)
{
    if (!platform.facts.states(Topic::sizes_of_search)) return report;
    report.set("optimal", std::int64_t{0});
    report.erase("lower_bound");
    report.erase("gap");
    return report;
}

} // namespace hpart::c_api

namespace
{

const char *what_is_left(const Distribution &found)
{
    if (!found.feasible) return "before a distribution was found";
    if (std::get<std::int64_t>(found.report.get("optimal")) == 1)
        return "and the distribution given is optimal; among equal ones another may be the one that the options choose";
    return "and the distribution given is feasible, not proved optimal";
}

// The result of a call whose limit was reached before it had built all points.
Distribution unknown_distribution(const Options &settings)
{
    Distribution out;
    out.limit_reached = true;
    out.report.set("method", settings.get_text("method"));
    if (const auto deadline = settings.find_double("deadline")) out.report.set("deadline", *deadline);
    out.report.set("optimal", std::int64_t{0});
    out.report.set("feasible", std::int64_t{0});
    out.report.set("lower_bound", 0.0);
    return out;
}

} // namespace

extern "C" {

hpart_status hpart_partition(const hpart_platform *platform, int32_t objective, int64_t size,
                             const hpart_options *options, int64_t *x, double *seconds, double *joules,
                             hpart_report **report)
{
    return guarded([&] {
        require(platform, "platform");
        PartitionRequest request;
        request.objective = objective_of(objective);
        check_workload(size);
        request.size = size;
        require(x, "x");
        const auto settings = options_for(options, call_partition);
        check_functions(platform->value, size, needs_energies(request.objective) || settings.is_set("energy_budget"));
        request.method = settings.get_text("method");
        request.ties = ties_of(settings);
        request.options = settings;
        request.wants_joules = joules != nullptr;
        request.wants_utilisation = report != nullptr;
        auto control = Control::from(settings);
        Distribution found;
        std::optional<TooManyPoints> too_many;
        try {
            found = partition(platform->value, platform->prepared, request, control);
        } catch (const TooManyPoints &error) {
            too_many = error;
            found = unknown_distribution(settings);
        } catch (const Error &error) {
            if (error.status() != Status::limit) throw;
            found = unknown_distribution(settings);
        }
        found.report = as_proved(std::move(found.report), platform->value);
        const char *left = what_is_left(found);
        auto report_handle = make_report(report != nullptr, std::move(found.report));
        if (found.feasible) {
            std::copy(found.x.begin(), found.x.end(), x);
            if (seconds != nullptr) *seconds = found.seconds;
            if (joules != nullptr) *joules = found.joules;
        }
        if (report != nullptr) *report = report_handle.release();
        if (too_many) throw TooManyPoints(*too_many);
        if (found.limit_reached) fail_at_limit(control, left);
    });
}

hpart_status hpart_partition_time(const hpart_platform *platform, int64_t size, const hpart_options *options,
                                  int64_t *x, double *seconds)
{
    return hpart_partition(platform, HPART_OBJECTIVE_TIME, size, options, x, seconds, nullptr, nullptr);
}

hpart_status hpart_partition_energy(const hpart_platform *platform, int64_t size, const hpart_options *options,
                                    int64_t *x, double *joules)
{
    return hpart_partition(platform, HPART_OBJECTIVE_ENERGY, size, options, x, nullptr, joules, nullptr);
}

hpart_status hpart_partition_total_energy(const hpart_platform *platform, int64_t size, const hpart_options *options,
                                          int64_t *x, double *joules)
{
    return hpart_partition(platform, HPART_OBJECTIVE_TOTAL_ENERGY, size, options, x, nullptr, joules, nullptr);
}

hpart_status hpart_platform_aggregate(const hpart_platform *node, int32_t objective, int64_t size,
                                      const hpart_options *options, hpart_platform **whole)
{
    return guarded([&] {
        require(node, "node");
        require(whole, "whole");
        // A node's functions have neither the base power nor sums of times.
        const auto is_shared_out = [](const ObjectiveKind &kind) {
            return kind.needs_times() != kind.needs_energies && !kind.adds_times;
        };
        PartitionRequest request;
        request.objective = objective_kind(objective, is_shared_out, ", which nodes share out").objective;
        check_workload(size);
        request.size = size;
        request.options = options_for(options, call_partition);
        request.method = request.options.get_text("method");
        request.ties = ties_of(request.options);
        check_functions(node->value, size, needs_energies(request.objective));
        auto control = Control::from(request.options);
        *whole = all_or_nothing(
            control, [&] { return new hpart_platform{aggregate(node->value, node->prepared, request, control)}; });
    });
}

hpart_status hpart_shares_compute(int64_t processors, const int64_t *x, double *shares)
{
    return guarded([&] {
        const auto sizes = array(x, processors, "x");
        require(shares, "shares");
        const auto found = shares_of(sizes);
        std::copy(found.begin(), found.end(), shares);
    });
}

hpart_status hpart_front_compute(const hpart_platform *platform, int64_t size, int32_t energy,
                                 const hpart_options *options, hpart_front **front)
{
    return guarded([&] {
        require(platform, "platform");
        check_workload(size);
        require(front, "front");
        if (energy != HPART_ENERGY_DYNAMIC && energy != HPART_ENERGY_TOTAL)
            fail_argument("energy is ", energy, "; it must be 0 (dynamic) or 1 (total)");
        const auto settings = options_for(options, call_front);
        check_functions(platform->value, size, true);
        auto control = Control::from(settings);
        const auto kind = energy == HPART_ENERGY_TOTAL ? FrontEnergy::total : FrontEnergy::dynamic;
        auto found = all_or_nothing(control, [&] {
            return compute_front(platform->value, platform->prepared,
                                 {size, kind, settings.get_text("method"), settings}, control);
        });
        found.report = as_proved(std::move(found.report), platform->value);
        *front = new hpart_front{std::move(found)};
    });
}

int64_t hpart_front_count(const hpart_front *front)
{
    return front == nullptr ? -1 : static_cast<std::int64_t>(front->value.points.size());
}

int64_t hpart_front_processors(const hpart_front *front)
{
    // A front has a point at least, and a point an entry per processor.
    return front == nullptr ? -1 : static_cast<std::int64_t>(front->value.points.front().x.size());
}

hpart_status hpart_front_point(const hpart_front *front, int64_t k, double *seconds, double *joules, int64_t *x)
{
    return guarded([&] {
        require(front, "front");
        const auto &points = front->value.points;
        if (k < 0 || k >= static_cast<std::int64_t>(points.size()))
            fail_argument("k is ", k, "; the front has points 0 to ", points.size() - 1);
        const auto &point = points[static_cast<std::size_t>(k)];
        if (seconds != nullptr) *seconds = point.seconds;
        if (joules != nullptr) *joules = point.joules;
        if (x != nullptr) std::copy(point.x.begin(), point.x.end(), x);
    });
}

hpart_status hpart_front_report(const hpart_front *front, hpart_report **report)
{
    return guarded([&] {
        require(front, "front");
        require(report, "report");
        *report = new hpart_report{front->value.report};
    });
}

void hpart_front_destroy(hpart_front *front) { delete front; }

} // extern "C"
