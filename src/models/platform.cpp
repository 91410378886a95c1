#include "models/platform.hpp"

#include "core/containers.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

namespace hpart
{

namespace
{

// The distance of neighbouring sizes if it is the same for all; else 0. For a single size: 1.
std::int64_t common_step(std::span<const std::int64_t> sizes)
{
    if (sizes.size() < 2) return static_cast<std::int64_t>(sizes.size());
    const auto step = sizes[1] - sizes[0];
    std::size_t others = 0;
    for (std::size_t k = 1; k < sizes.size(); ++k) others += sizes[k] - sizes[k - 1] == step ? 0 : 1;
    return others == 0 ? step : 0;
}

struct Extreme {
    double largest = 0;
    bool is_complete = true; // no value is unknown
};

// The values are >= 0 or unknown. Several at once: one comparison does not wait for the one before it.
Extreme extreme_of(std::span<const double> values)
{
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> largest{};
    std::array<double, lanes> sums{}; // unknown if a value is
    std::size_t k = 0;
    const auto add = [&](std::size_t l, double value) {
        largest[l] = value > largest[l] ? value : largest[l];
        sums[l] += value;
    };
    for (; k + lanes <= values.size(); k += lanes)
        for (std::size_t l = 0; l < lanes; ++l) add(l, values[k + l]);
    for (; k < values.size(); ++k) add(0, values[k]);
    return {*std::max_element(largest.begin(), largest.end()),
            std::none_of(sums.begin(), sums.end(), [](double sum) { return std::isnan(sum); })};
}

void add_hashes(Points &points)
{
    auto &summary = points.summary;
    summary.hash_of_sizes = add_to_hash<std::int64_t>(points.count(), points.sizes);
    summary.hash_of_times = add_to_hash<double>(summary.hash_of_sizes, points.seconds);
    summary.hash = add_to_hash<double>(summary.hash_of_times, points.joules);
}

void add_extremes(Points &points)
{
    auto &summary = points.summary;
    const auto seconds = extreme_of(points.seconds);
    const auto joules = extreme_of(points.joules);
    summary.smallest = points.count() > 0 ? points.sizes.front() : 0;
    summary.step = common_step(points.sizes);
    summary.has_all_seconds = seconds.is_complete;
    summary.has_all_joules = joules.is_complete;
    summary.longest_seconds = seconds.largest;
    summary.most_joules = joules.largest;
}

// Intervals, too, tell functions apart.
std::uint64_t hash_of(const Points &points)
{
    auto hash = points.summary.hash;
    if (!points.intervals) return hash;
    for (const auto *values : {&points.intervals->time_low, &points.intervals->time_high, &points.intervals->energy_low,
                               &points.intervals->energy_high})
        hash = add_to_hash<double>(hash, *values);
    return add_to_hash<std::int64_t>(hash, points.intervals->repetitions);
}

template <typename Values> bool same_bits(const Values &a, const Values &b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), std::span(a).size_bytes()) == 0);
}

bool same_intervals(const Intervals *a, const Intervals *b)
{
    if (a == nullptr || b == nullptr) return a == b;
    return same_bits(a->time_low, b->time_low) && same_bits(a->time_high, b->time_high) &&
           same_bits(a->energy_low, b->energy_low) && same_bits(a->energy_high, b->energy_high) &&
           same_bits(a->repetitions, b->repetitions);
}

bool same_points(const Points &a, const Points &b)
{
    return same_bits(a.sizes, b.sizes) && same_bits(a.seconds, b.seconds) && same_bits(a.joules, b.joules) &&
           same_intervals(a.intervals.get(), b.intervals.get());
}

} // namespace

std::shared_ptr<const Points> FunctionStore::share(Points points)
{
    add_hashes(points);
    const auto hash = hash_of(points);
    if (auto stored = functions_.find(hash, [&](const Points &other) { return same_points(other, points); }))
        return stored;
    const auto hash_of_sizes = points.summary.hash_of_sizes;
    const auto &sizes = points.sizes.with_idle();
    if (auto stored = sizes_.find(hash_of_sizes, [&](const auto &other) { return other == *sizes; }))
        points.sizes.share(std::move(stored));
    else
        sizes_.add(hash_of_sizes, sizes);
    add_extremes(points);
    auto shared = std::make_shared<const Points>(std::move(points));
    functions_.add(hash, shared);
    return shared;
}

namespace
{

struct OneFunction {
    Column<std::int64_t> sizes;
    Column<double> values;
};

// By increasing size, checked. `what` names the values in messages.
OneFunction sorted_function(std::span<const std::int64_t> sizes, std::span<const double> values, const char *what)
{
    std::vector<std::int64_t> own_sizes{0};
    std::vector<double> own_values{0};
    own_sizes.reserve(sizes.size() + 1);
    own_values.reserve(sizes.size() + 1);
    bool increases = true;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (sizes[k] <= 0) fail_argument("sizes[", k, "] is ", sizes[k], "; sizes must be positive");
        if (!std::isfinite(values[k]) || values[k] < 0)
            fail_argument(what, "[", k, "] is ", values[k], "; it must be finite and not negative");
        increases = increases && (k == 0 || sizes[k] > sizes[k - 1]);
        own_sizes.push_back(sizes[k]);
        own_values.push_back(values[k] + 0.0); // no negative zero: it would compare equal and print differently
    }
    std::vector<std::size_t> order(increases ? 0 : sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return sizes[a] < sizes[b]; });
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (k > 0 && sizes[order[k]] == sizes[order[k - 1]])
            fail_argument("sizes[", order[k], "] is ", sizes[order[k]], ", as sizes[", order[k - 1],
                          "] is; the sizes of a function must be distinct");
        own_sizes[k + 1] = sizes[order[k]];
        own_values[k + 1] = values[order[k]] + 0.0;
    }
    return {Column(std::move(own_sizes)), Column(std::move(own_values))};
}

// The union of two functions by size, each with the values of its own.
Points merge(OneFunction time, OneFunction energy)
{
    if (energy.sizes.empty()) {
        std::vector<double> none{0};
        none.resize(time.sizes.size() + 1, unknown);
        energy = {time.sizes, Column(std::move(none))};
    }
    if (time.sizes == energy.sizes)
        return {std::move(time.sizes), std::move(time.values), std::move(energy.values), nullptr};
    std::vector<std::int64_t> sizes{0};
    std::vector<double> seconds{0}, joules{0};
    for (std::size_t t = 0, e = 0; t < time.sizes.size() || e < energy.sizes.size();) {
        const bool has_time = t < time.sizes.size() && (e == energy.sizes.size() || time.sizes[t] <= energy.sizes[e]);
        const bool has_energy = e < energy.sizes.size() && (t == time.sizes.size() || energy.sizes[e] <= time.sizes[t]);
        sizes.push_back(has_time ? time.sizes[t] : energy.sizes[e]);
        seconds.push_back(has_time ? time.values[t] : unknown);
        joules.push_back(has_energy ? energy.values[e] : unknown);
        t += has_time ? 1 : 0;
        e += has_energy ? 1 : 0;
    }
    return {Column(std::move(sizes)), Column(std::move(seconds)), Column(std::move(joules)), nullptr};
}

// The sizes that have a value, and the values.
OneFunction present(const Points &points, const Column<double> &values)
{
    const auto missing = std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); });
    if (missing == 0) return {points.sizes, values};
    OneFunction out;
    for (std::size_t k = 0; missing < static_cast<std::ptrdiff_t>(values.size()) && k < points.count(); ++k)
        if (!std::isnan(values[k])) {
            out.sizes.edit().push_back(points.sizes[k]);
            out.values.edit().push_back(values[k]);
        }
    return out;
}

void check_link(Link link)
{
    if (!std::isfinite(link.latency_seconds) || link.latency_seconds < 0)
        fail_argument("latency_seconds is ", link.latency_seconds, "; it must be finite and not negative");
    if (!(link.bytes_per_second > 0))
        fail_argument("bytes_per_second is ", link.bytes_per_second, "; it must be positive (infinity: no cost)");
    if (!std::isfinite(link.joules_per_byte) || link.joules_per_byte < 0)
        fail_argument("joules_per_byte is ", link.joules_per_byte, "; it must be finite and not negative");
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

} // namespace

std::size_t Points::find(std::int64_t size) const
{
    const auto found = std::lower_bound(sizes.begin(), sizes.end(), size);
    return found != sizes.end() && *found == size ? static_cast<std::size_t>(found - sizes.begin()) : count();
}

bool is_increasing(std::span<const std::int64_t> sizes)
{
    return std::adjacent_find(sizes.begin(), sizes.end(), std::greater_equal<>{}) == sizes.end();
}

Platform::Platform(std::int64_t processors)
{
    if (processors < 1) fail_argument("processors is ", processors, "; a platform has at least 1");
    if (static_cast<std::uint64_t>(processors) > processors_.max_size())
        fail(Status::out_of_memory, "no memory for ", processors, " processors");
    processors_.resize(static_cast<std::size_t>(processors));
    const auto none = functions_.share({});
    for (std::int64_t i = 0; i < processors; ++i) {
        at(i).name = std::to_string(i);
        at(i).function = none;
    }
}

void Platform::index_names()
{
    if (!index_of_name_.empty()) return;
    for (std::int64_t i = 0; i < count(); ++i) index_of_name_.emplace(at(i).name, i);
}

void Platform::check_index(std::int64_t i) const
{
    if (i < 0 || i >= count()) fail_argument("processor is ", i, "; it must be from 0 to ", count() - 1);
}

const Processor &Platform::processor(std::int64_t i) const
{
    check_index(i);
    return processors_[static_cast<std::size_t>(i)];
}

Processor &Platform::at(std::int64_t i)
{
    check_index(i);
    return processors_[static_cast<std::size_t>(i)];
}

void Platform::set_name(std::int64_t i, const std::string &name)
{
    check_processor_name(name);
    auto &processor = at(i);
    index_names();
    const auto [place, inserted] = index_of_name_.try_emplace(name, i);
    if (!inserted && place->second != i)
        fail_argument("name ", in_quotes(name), " is already that of processor[", place->second,
                      "]; names must be distinct");
    if (name == processor.name) return;
    std::string copy = name;
    facts.rename(processor.name, name);
    index_of_name_.erase(processor.name);
    processor.name = std::move(copy);
}

void Platform::set_names(const std::vector<std::string> &names)
{
    if (static_cast<std::int64_t>(names.size()) != count())
        fail_argument("the number of names is ", names.size(), "; the platform has ", pluralise(count(), "processor"));
    std::map<std::string, std::int64_t, std::less<>> index;
    for (const auto &name : names) {
        check_processor_name(name);
        if (!index.emplace(name, static_cast<std::int64_t>(index.size())).second)
            fail_argument("name ", in_quotes(name), " is given to two processors; names must be distinct");
    }
    index_of_name_ = std::move(index);
    for (std::size_t i = 0; i < names.size(); ++i) processors_[i].name = names[i];
}

void Platform::set_time_function(std::int64_t i, std::span<const std::int64_t> sizes, std::span<const double> seconds)
{
    auto &processor = at(i);
    const auto &points = processor.points();
    processor.function =
        functions_.share(merge(sorted_function(sizes, seconds, "seconds"), present(points, points.joules)));
}

void Platform::set_energy_function(std::int64_t i, std::span<const std::int64_t> sizes, std::span<const double> joules)
{
    auto &processor = at(i);
    const auto &points = processor.points();
    auto merged = merge(present(points, points.seconds), sorted_function(sizes, joules, "joules"));
    processor.function = functions_.share(with_time_intervals(std::move(merged), points));
}

void Platform::set_limits(std::int64_t i, Limits limits)
{
    auto &processor = at(i);
    if (limits.smallest < 1) fail_argument("smallest is ", limits.smallest, "; it must be at least 1");
    if (limits.largest < limits.smallest)
        fail_argument("largest is ", limits.largest, "; it must be at least smallest, which is ", limits.smallest);
    processor.limits = limits;
}

void Platform::set_host_link(std::int64_t i, Link link)
{
    auto &processor = at(i);
    check_link(link);
    processor.host_link = link;
}

void Platform::set_link(std::int64_t from, std::int64_t to, Link link)
{
    check_index(from);
    check_index(to);
    if (from == to) fail_argument("from and to are both processor[", from, "]; a link joins two processors");
    check_link(link);
    links_.insert_or_assign({from, to}, link);
}

void Platform::set_node(Node node)
{
    check_index(node.first);
    check_index(node.last);
    if (node.last < node.first)
        fail_argument("last is processor[", node.last, "]; it must not be before first, processor[", node.first, "]");
    if (!std::isfinite(node.watts) || node.watts < 0)
        fail_argument("watts is ", node.watts, "; it must be finite and not negative");
    const auto place =
        std::find_if(nodes_.begin(), nodes_.end(), [&](const Node &other) { return other.last >= node.first; });
    const bool is_same = place != nodes_.end() && place->first == node.first && place->last == node.last;
    if (!is_same && place != nodes_.end() && place->first <= node.last)
        fail_argument("first and last are ", node.first, " and ", node.last, "; processors ", place->first, " to ",
                      place->last, " are a node already: give those, or remove it with 0 watts");
    if (is_same && node.watts == 0)
        nodes_.erase(place);
    else if (is_same)
        *place = node;
    else if (node.watts > 0)
        nodes_.insert(place, node);
}

Link Platform::link(std::int64_t from, std::int64_t to) const
{
    check_index(from);
    check_index(to);
    const auto found = links_.find({from, to});
    return found == links_.end() ? Link{} : found->second;
}

void Platform::set_base_power(double watts)
{
    if (!std::isfinite(watts) || watts < 0) fail_argument("watts is ", watts, "; it must be finite and not negative");
    base_power_ = watts + 0.0;
}

void Platform::set_border_bytes(double bytes)
{
    if (!std::isfinite(bytes) || bytes < 0) fail_argument("bytes is ", bytes, "; it must be finite and not negative");
    border_bytes_ = bytes + 0.0;
}

void Platform::set_kernel(const std::string &kernel)
{
    check_kernel_text(kernel);
    kernel_ = kernel;
}

Platform Platform::replicate(std::int64_t copies) const
{
    if (copies < 1) fail_parameter("copies", " is ", copies, "; it must be at least 1");
    const auto total = checked_mul(count(), copies);
    if (!total)
        fail_parameter("copies", " is ", copies, "; ", pluralise(count(), "processor"),
                       " times that many do not fit in 64 bits");
    const auto power = base_power_ * static_cast<double>(copies);
    if (std::isinf(power))
        fail_parameter("copies", " is ", copies, "; base power ", base_power_,
                       " times that many does not fit a double");
    try {
        return of_copies(copies, *total, power);
    } catch (const std::bad_alloc &) {
        fail(Status::out_of_memory, "copies is ", copies, "; the memory does not suffice for ", *total, " processors");
    }
}

Platform Platform::of_copies(std::int64_t copies, std::int64_t total, double power) const
{
    Platform cluster(total);
    cluster.functions_ = functions_;
    cluster.may_have_intervals_ = may_have_intervals_;
    for (std::int64_t copy = 0; copy < copies; ++copy) {
        const auto first = copy * count();
        for (std::int64_t i = 0; i < count(); ++i) {
            auto &target = cluster.at(first + i);
            target = processor(i);
            if (copies > 1) target.name = text(copy, "/", target.name);
        }
        for (const auto &[ends, link] : links_) cluster.links_[{first + ends.first, first + ends.second}] = link;
        for (const auto &node : nodes_) cluster.nodes_.push_back({first + node.first, first + node.last, node.watts});
    }
    cluster.base_power_ = power;
    cluster.border_bytes_ = border_bytes_;
    cluster.kernel_ = kernel_;
    cluster.facts = facts;
    const auto is_of_node = [&](const auto &) { return copies > 1; };
    cluster.facts.erase_if<ChosenDistribution>(is_of_node);
    cluster.facts.erase_if<ApplicationRun>(is_of_node);
    cluster.facts.erase_if<Note>(is_of_node); // of processors of other names
    cluster.facts.erase_if<MemoryLimit>(is_of_node);
    if (const auto error = parse_double(cluster.facts.stated(Topic::base_power_error)); error && copies > 1)
        cluster.facts.state(Topic::base_power_error, format_double(*error * static_cast<double>(copies)));
    return cluster;
}

Cost Platform::evaluate(std::span<const std::int64_t> x) const
{
    Cost cost{0};
    for (std::int64_t i = 0; i < count(); ++i) {
        const auto size = x[static_cast<std::size_t>(i)];
        if (size == 0) continue;
        const auto &name = processor(i).name;
        const auto &points = processor(i).points();
        const auto k = points.find(size);
        if (k == points.count())
            fail_argument("x[", i, "] is ", size, "; processor ", in_quotes(name), " has no point of that size");
        const auto seconds = points.seconds[k];
        if (std::isnan(seconds) || seconds > cost.seconds) cost.seconds = seconds; // NaN stays: nothing is above it
        cost.energy.add(points.joules[k]);
    }
    return cost;
}

void check_processor_name(const std::string &name)
{
    const bool wrong =
        name.empty() || trim(name) != name || name.front() == '#' ||
        std::any_of(name.begin(), name.end(), [](char c) { return is_control(c) || c == ',' || c == '"'; });
    if (wrong)
        fail_argument(
            "name is ", in_quotes(name),
            "; it must not be empty, begin with #, have blanks at its ends, commas, quotes or control characters");
}

void check_kernel_text(const std::string &kernel)
{
    if (std::any_of(kernel.begin(), kernel.end(), is_control) || trim(kernel) != kernel)
        fail_argument("kernel is ", in_quotes(kernel), "; it must be one line without blanks at its ends");
}

} // namespace hpart
