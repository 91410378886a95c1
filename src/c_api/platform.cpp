#include "c_api/handles.hpp"
#include "models/platform_file.hpp"
#include "models/shape.hpp"
#include "partitioners/calls/partition.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace hpart;
using namespace hpart::c_api;

namespace
{

// The platform, to be changed.
Platform &checked_platform(hpart_platform *platform)
{
    require(platform, "platform");
    return platform->value;
}

// A change of anything but functions: data prepared from functions stay.
template <typename Change> hpart_status change(hpart_platform *platform, const Change &apply)
{
    return guarded([&] {
        apply(checked_platform(platform));
        platform->prepared.forget_platforms();
    });
}

// A change of functions, intervals or limits.
template <typename Change> hpart_status change_functions(hpart_platform *platform, const Change &apply)
{
    return guarded([&] {
        apply(checked_platform(platform));
        platform->prepared.forget();
    });
}

const Platform &checked_platform(const hpart_platform *platform)
{
    require(platform, "platform");
    return platform->value;
}

// t(x) = C(x) / s(x).
std::vector<double> times_of_speeds(std::span<const std::int64_t> sizes, std::span<const double> speeds,
                                    hpart_complexity complexity, void *user)
{
    std::vector<double> seconds(sizes.size());
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (sizes[k] <= 0) fail_argument("sizes[", k, "] is ", sizes[k], "; sizes must be positive");
        if (!std::isfinite(speeds[k]) || !(speeds[k] > 0))
            fail_argument("speeds[", k, "] is ", speeds[k], "; it must be finite and positive");
        seconds[k] = operations_of(sizes[k], complexity, user) / speeds[k];
        if (!std::isfinite(seconds[k]))
            fail_argument("speeds[", k, "] is ", speeds[k], "; the time of size ", sizes[k], " does not fit a double");
    }
    return seconds;
}

template <typename Values, typename Value> void copy_if_wanted(const Values &values, Value *target)
{
    if (target != nullptr) std::copy(values.begin(), values.end(), target);
}

hpart_status set_interval(hpart_platform *platform, std::int64_t processor, FunctionKind kind, std::int64_t points,
                          const std::int64_t *sizes, const double *low, const double *high,
                          const std::int64_t *repetitions)
{
    return change_functions(platform, [&](Platform &target) {
        const auto all_low = array(low, points, "low");
        const auto all_high = array(high, points, "high");
        for (std::size_t k = 0; k < all_low.size(); ++k) {
            if (std::isnan(all_low[k])) fail_argument("low[", k, "] is nan; it must be finite and not negative");
            if (std::isnan(all_high[k])) fail_argument("high[", k, "] is nan; it must be finite");
        }
        const auto counts =
            repetitions == nullptr ? std::span<const std::int64_t>{} : std::span(repetitions, all_low.size());
        target.set_interval(processor, kind, array(sizes, points, "sizes"), all_low, all_high, counts);
    });
}

BetweenSlices between_slices(const Options &options)
{
    const auto name = options.get_text("interpolate");
    if (name == "none") return BetweenSlices::refuse;
    if (name == "linear") return BetweenSlices::linear;
    fail_option("interpolate", " is ", in_quotes(name), "; for a slice it must be none or linear");
}

} // namespace

extern "C" {

hpart_status hpart_platform_create(int64_t processors, hpart_platform **platform)
{
    return guarded([&] {
        require(platform, "platform");
        *platform = new hpart_platform{Platform(processors)};
    });
}

void hpart_platform_destroy(hpart_platform *platform) { delete platform; }

int64_t hpart_platform_processors(const hpart_platform *platform)
{
    return platform == nullptr ? -1 : platform->value.count();
}

hpart_status hpart_platform_set_name(hpart_platform *platform, int64_t processor, const char *name)
{
    return change(platform, [&](Platform &target) {
        require(name, "name");
        target.set_name(processor, name);
    });
}

hpart_status hpart_platform_get_name(const hpart_platform *platform, int64_t processor, char *buffer, int64_t capacity,
                                     int64_t *needed)
{
    return guarded([&] { copy_text(checked_platform(platform).processor(processor).name, buffer, capacity, needed); });
}

hpart_status hpart_platform_set_time_function(hpart_platform *platform, int64_t processor, int64_t points,
                                              const int64_t *sizes, const double *seconds)
{
    return change_functions(platform, [&](Platform &target) {
        target.set_time_function(processor, array(sizes, points, "sizes"), array(seconds, points, "seconds"));
    });
}

hpart_status hpart_platform_set_energy_function(hpart_platform *platform, int64_t processor, int64_t points,
                                                const int64_t *sizes, const double *joules)
{
    return change_functions(platform, [&](Platform &target) {
        target.set_energy_function(processor, array(sizes, points, "sizes"), array(joules, points, "joules"));
    });
}

hpart_status hpart_platform_set_speed_function(hpart_platform *platform, int64_t processor, int64_t points,
                                               const int64_t *sizes, const double *speeds, hpart_complexity complexity,
                                               void *user)
{
    return change_functions(platform, [&](Platform &target) {
        static_cast<void>(target.processor(processor));
        const auto all_sizes = array(sizes, points, "sizes");
        const auto seconds = times_of_speeds(all_sizes, array(speeds, points, "speeds"), complexity, user);
        target.set_time_function(processor, all_sizes, seconds);
    });
}

hpart_status hpart_platform_get_function(const hpart_platform *platform, int64_t processor, int64_t *sizes,
                                         double *seconds, double *joules, int64_t capacity, int64_t *needed)
{
    return guarded([&] {
        const auto &points = checked_platform(platform).points(processor);
        const bool has_buffer = sizes != nullptr || seconds != nullptr || joules != nullptr;
        if (!room_for(static_cast<std::int64_t>(points.count()), has_buffer, capacity, needed)) return;
        copy_if_wanted(points.sizes, sizes);
        copy_if_wanted(points.seconds, seconds);
        copy_if_wanted(points.joules, joules);
    });
}

hpart_status hpart_platform_set_time_interval(hpart_platform *platform, int64_t processor, int64_t points,
                                              const int64_t *sizes, const double *low, const double *high,
                                              const int64_t *repetitions)
{
    return set_interval(platform, processor, FunctionKind::time, points, sizes, low, high, repetitions);
}

hpart_status hpart_platform_set_energy_interval(hpart_platform *platform, int64_t processor, int64_t points,
                                                const int64_t *sizes, const double *low, const double *high,
                                                const int64_t *repetitions)
{
    return set_interval(platform, processor, FunctionKind::energy, points, sizes, low, high, repetitions);
}

hpart_status hpart_platform_get_intervals(const hpart_platform *platform, int64_t processor, double *time_low,
                                          double *time_high, double *energy_low, double *energy_high,
                                          int64_t *repetitions, int64_t capacity, int64_t *needed)
{
    return guarded([&] {
        const auto &points = checked_platform(platform).points(processor);
        const bool has_buffer = time_low != nullptr || time_high != nullptr || energy_low != nullptr ||
                                energy_high != nullptr || repetitions != nullptr;
        if (!room_for(static_cast<std::int64_t>(points.count()), has_buffer, capacity, needed)) return;
        const auto intervals = points.intervals ? *points.intervals : Intervals(points.count());
        copy_if_wanted(intervals.time_low, time_low);
        copy_if_wanted(intervals.time_high, time_high);
        copy_if_wanted(intervals.energy_low, energy_low);
        copy_if_wanted(intervals.energy_high, energy_high);
        copy_if_wanted(intervals.repetitions, repetitions);
    });
}

hpart_status hpart_platform_set_limits(hpart_platform *platform, int64_t processor, int64_t smallest, int64_t largest)
{
    return change_functions(platform, [&](Platform &target) { target.set_limits(processor, {smallest, largest}); });
}

hpart_status hpart_platform_get_limits(const hpart_platform *platform, int64_t processor, int64_t *smallest,
                                       int64_t *largest)
{
    return guarded([&] {
        const auto limits = checked_platform(platform).processor(processor).limits;
        if (smallest != nullptr) *smallest = limits.smallest;
        if (largest != nullptr) *largest = limits.largest;
    });
}

hpart_status hpart_platform_set_base_power(hpart_platform *platform, double watts)
{
    return change(platform, [&](Platform &target) { target.set_base_power(watts); });
}

hpart_status hpart_platform_get_base_power(const hpart_platform *platform, double *watts)
{
    return guarded([&] {
        const auto &source = checked_platform(platform);
        require(watts, "watts");
        *watts = source.base_power();
    });
}

hpart_status hpart_platform_set_link(hpart_platform *platform, int64_t from, int64_t to, double latency_seconds,
                                     double bytes_per_second)
{
    return change(platform, [&](Platform &target) {
        target.set_link(from, to, {latency_seconds, bytes_per_second, target.link(from, to).joules_per_byte});
    });
}

hpart_status hpart_platform_set_link_energy(hpart_platform *platform, int64_t from, int64_t to, double joules_per_byte)
{
    return change(platform, [&](Platform &target) {
        auto link = target.link(from, to);
        link.joules_per_byte = joules_per_byte;
        target.set_link(from, to, link);
    });
}

hpart_status hpart_platform_get_link_energy(const hpart_platform *platform, int64_t from, int64_t to,
                                            double *joules_per_byte)
{
    return guarded([&] {
        const auto link = checked_platform(platform).link(from, to);
        require(joules_per_byte, "joules_per_byte");
        *joules_per_byte = link.joules_per_byte;
    });
}

hpart_status hpart_platform_get_link(const hpart_platform *platform, int64_t from, int64_t to, double *latency_seconds,
                                     double *bytes_per_second)
{
    return guarded([&] {
        const auto link = checked_platform(platform).link(from, to);
        if (latency_seconds != nullptr) *latency_seconds = link.latency_seconds;
        if (bytes_per_second != nullptr) *bytes_per_second = link.bytes_per_second;
    });
}

hpart_status hpart_platform_set_host_link(hpart_platform *platform, int64_t processor, double latency_seconds,
                                          double bytes_per_second)
{
    return change(platform, [&](Platform &target) {
        const auto joules = target.processor(processor).host_link.joules_per_byte;
        target.set_host_link(processor, {latency_seconds, bytes_per_second, joules});
    });
}

hpart_status hpart_platform_set_host_link_energy(hpart_platform *platform, int64_t processor, double joules_per_byte)
{
    return change(platform, [&](Platform &target) {
        auto link = target.processor(processor).host_link;
        link.joules_per_byte = joules_per_byte;
        target.set_host_link(processor, link);
    });
}

hpart_status hpart_platform_get_host_link_energy(const hpart_platform *platform, int64_t processor,
                                                 double *joules_per_byte)
{
    return guarded([&] {
        const auto &source = checked_platform(platform).processor(processor);
        require(joules_per_byte, "joules_per_byte");
        *joules_per_byte = source.host_link.joules_per_byte;
    });
}

hpart_status hpart_platform_set_node(hpart_platform *platform, int64_t first, int64_t last, double watts)
{
    return change(platform, [&](Platform &target) { target.set_node({first, last, watts}); });
}

hpart_status hpart_platform_get_node(const hpart_platform *platform, int64_t processor, int64_t *first, int64_t *last,
                                     double *watts)
{
    return guarded([&] {
        const auto &source = checked_platform(platform);
        source.processor(processor);
        Node found{processor, processor, 0};
        for (const auto &node : source.nodes())
            if (node.first <= processor && processor <= node.last) found = node;
        if (first != nullptr) *first = found.first;
        if (last != nullptr) *last = found.last;
        if (watts != nullptr) *watts = found.watts;
    });
}

hpart_status hpart_platform_get_host_link(const hpart_platform *platform, int64_t processor, double *latency_seconds,
                                          double *bytes_per_second)
{
    return guarded([&] {
        const auto link = checked_platform(platform).processor(processor).host_link;
        if (latency_seconds != nullptr) *latency_seconds = link.latency_seconds;
        if (bytes_per_second != nullptr) *bytes_per_second = link.bytes_per_second;
    });
}

hpart_status hpart_platform_set_border_bytes(hpart_platform *platform, double bytes)
{
    return change(platform, [&](Platform &target) { target.set_border_bytes(bytes); });
}

hpart_status hpart_platform_get_border_bytes(const hpart_platform *platform, double *bytes)
{
    return guarded([&] {
        const auto &source = checked_platform(platform);
        require(bytes, "bytes");
        *bytes = source.border_bytes();
    });
}

hpart_status hpart_platform_set_kernel(hpart_platform *platform, const char *kernel)
{
    return change(platform, [&](Platform &target) {
        require(kernel, "kernel");
        target.set_kernel(kernel);
    });
}

hpart_status hpart_platform_get_kernel(const hpart_platform *platform, char *buffer, int64_t capacity, int64_t *needed)
{
    return guarded([&] { copy_text(checked_platform(platform).kernel(), buffer, capacity, needed); });
}

hpart_status hpart_platform_replicate(const hpart_platform *node, int64_t copies, hpart_platform **cluster)
{
    return guarded([&] {
        require(node, "node");
        require(cluster, "cluster");
        *cluster = new hpart_platform{node->value.replicate(copies)};
    });
}

hpart_status hpart_platform_read(const char *path, hpart_platform **platform)
{
    return guarded([&] {
        require(path, "path");
        require(platform, "platform");
        *platform = new hpart_platform{read_platform(path)};
    });
}

hpart_status hpart_platform_write(const hpart_platform *platform, const char *path)
{
    return guarded([&] {
        const auto &source = checked_platform(platform);
        require(path, "path");
        write_platform(source, path);
    });
}

hpart_status hpart_platform_read_slice(const char *path, int64_t parameter, const hpart_options *options,
                                       hpart_platform **platform)
{
    return guarded([&] {
        require(path, "path");
        require(platform, "platform");
        const auto between = between_slices(options_for(options, call_slice));
        *platform = new hpart_platform{read_slice(path, parameter, between)};
    });
}

hpart_status hpart_platform_report(const hpart_platform *platform, hpart_report **report)
{
    return guarded([&] {
        const auto &source = checked_platform(platform);
        require(report, "report");
        *report = new hpart_report{source.facts.report()};
    });
}

hpart_status hpart_platform_report_shape(const hpart_platform *platform, int64_t processor, hpart_complexity complexity,
                                         void *user, hpart_report **report)
{
    return guarded([&] {
        const auto &source = checked_platform(platform).processor(processor);
        require(report, "report");
        const auto operations = [&](std::int64_t size) {
            const auto count = operations_of(size, complexity, user);
            if (count == 0) fail_argument("the complexity of size ", size, " is 0; a speed needs some operations");
            return count;
        };
        *report = new hpart_report{shape_of(source, operations)};
    });
}

hpart_status hpart_platform_evaluate(const hpart_platform *platform, const int64_t *x, double *seconds, double *joules)
{
    return guarded([&] {
        const auto &source = checked_platform(platform);
        const auto cost = source.evaluate(array(x, source.count(), "x"));
        if (seconds != nullptr && std::isnan(cost.seconds))
            fail_argument("seconds is asked for, but a size in x has no time; pass NULL for seconds");
        if (joules != nullptr && std::isnan(cost.joules()))
            fail_argument("joules is asked for, but a size in x has no energy value; pass NULL for joules");
        if (seconds != nullptr) *seconds = cost.seconds;
        if (joules != nullptr) *joules = cost.joules();
    });
}

hpart_status hpart_platform_evaluate_with(const hpart_platform *platform, const int64_t *x,
                                          const hpart_options *options, double *seconds, double *joules,
                                          hpart_report **report)
{
    return guarded([&] {
        const auto &source = checked_platform(platform);
        const auto sizes = array(x, source.count(), "x");
        const auto settings = options_for(options, call_evaluate);
        auto found = evaluate(source, {sizes.begin(), sizes.end()}, settings);
        if (seconds != nullptr && std::isnan(found.seconds))
            fail_argument("seconds is asked for, but a size in x has no time; pass NULL for seconds");
        if (joules != nullptr && std::isnan(found.joules))
            fail_argument("joules is asked for, but a size in x has no energy value; pass NULL for joules");
        if (joules != nullptr && std::isnan(found.seconds) && settings.get_text("communication") != "none")
            fail_argument("a size in x has no time; with communication each must have one");
        auto report_handle = make_report(report != nullptr, std::move(found.report));
        if (seconds != nullptr) *seconds = found.seconds;
        if (joules != nullptr) *joules = found.joules;
        if (report != nullptr) *report = report_handle.release();
    });
}

} // extern "C"
