#include "mpi/platform.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <type_traits>

namespace hpart::mpi
{

namespace
{

// Calls take(values) for each array of the points but their sizes.
template <typename Part, typename Take> void for_each_array(Part &part, const Take &take)
{
    auto &intervals = part.intervals;
    for (auto *values : {&part.seconds, &part.joules, &intervals.time_low, &intervals.time_high, &intervals.energy_low,
                         &intervals.energy_high})
        take(*values);
    take(intervals.repetitions);
}

PlatformPart part_from(const Bytes &bytes)
{
    Reader in(bytes);
    PlatformPart part;
    part.processors.resize(static_cast<std::size_t>(in.get<std::int64_t>()));
    for (auto &processor : part.processors) {
        processor.name = in.get_text();
        processor.limits = in.get<Limits>();
        processor.host_link = in.get<Link>();
        processor.sizes = in.get_vector<std::int64_t>();
        for_each_array(processor, [&](auto &values) {
            values = in.get_vector<typename std::remove_reference_t<decltype(values)>::value_type>();
        });
    }
    for (auto left = in.get<std::int64_t>(); left > 0; --left) {
        const auto from = in.get<std::int64_t>(), to = in.get<std::int64_t>();
        part.links[{from, to}] = in.get<Link>();
    }
    part.nodes.resize(static_cast<std::size_t>(in.get<std::int64_t>()));
    for (auto &node : part.nodes) node = in.get<Node>();
    part.base_power = in.get<double>();
    part.border_bytes = in.get<double>();
    part.kernel = in.get_text();
    const auto is_processor = [&](std::string_view name) {
        return std::ranges::find(part.processors, name, &ProcessorPart::name) != part.processors.end();
    };
    for (auto left = in.get<std::int64_t>(); left > 0; --left) part.facts.add_line(in.get_text(), is_processor);
    part.alike = in.get_text();
    return part;
}

// The values of a kind, with their intervals and repetitions.
void set_function(Platform &target, std::int64_t i, const ProcessorPart &part, FunctionKind kind)
{
    const bool is_time = kind == FunctionKind::time;
    std::vector<std::int64_t> sizes, repetitions;
    std::vector<double> values, low, high;
    for (std::size_t k = 0; k < part.sizes.size(); ++k) {
        const double value = (is_time ? part.seconds : part.joules)[k];
        if (std::isnan(value)) continue;
        sizes.push_back(part.sizes[k]);
        values.push_back(value);
        low.push_back(part.intervals.low(kind)[k]);
        high.push_back(part.intervals.high(kind)[k]);
        repetitions.push_back(part.intervals.repetitions[k]);
    }
    if (sizes.empty()) return;
    if (is_time)
        target.set_time_function(i, sizes, values);
    else
        target.set_energy_function(i, sizes, values);
    target.set_interval(i, kind, sizes, low, high, repetitions);
}

// Values of the whole platform: the sum of the ranks' base powers, the border and the kernel that they agree on.
void set_common(Platform &target, const std::vector<PlatformPart> &parts)
{
    double base_power = std::numeric_limits<double>::quiet_NaN();
    const PlatformPart *first = nullptr;
    bool one_kernel = true;
    for (const auto &part : parts) {
        if (part.processors.empty()) continue;
        if (!std::isnan(part.base_power))
            base_power = std::isnan(base_power) ? part.base_power : base_power + part.base_power;
        if (first == nullptr) first = &part;
        if (part.border_bytes != first->border_bytes)
            fail_argument("border bytes are ", first->border_bytes, " on one rank and ", part.border_bytes,
                          " on another; they must be the same on all ranks with processors");
        one_kernel = one_kernel && part.kernel == first->kernel;
    }
    if (std::isinf(base_power)) fail_argument("the sum of the ranks' base powers is more than a double can hold");
    if (!std::isnan(base_power)) target.set_base_power(base_power);
    target.set_border_bytes(first->border_bytes);
    if (one_kernel) target.set_kernel(first->kernel);
}

// Adds the facts of a rank, with the names of its processors in the whole platform.
void add_facts(Platform &target, const Facts &facts, const std::string &prefix)
{
    Facts renamed;
    facts.each<Statement>([&](const Statement &one) {
        if (one.topic != Topic::base_power_error) renamed.add(one);
    });
    facts.each<MemoryLimit>([&](const MemoryLimit &one) { renamed.add(MemoryLimit{prefix + one.device, one.bytes}); });
    facts.each<Note>([&](const Note &one) { renamed.add(Note{one.kind, prefix + one.processor, one.size, one.text}); });
    facts.each<std::string>([&](const std::string &one) { renamed.add(one); });
    target.facts.add_of_points(renamed);
}

// The error of the sum of the ranks' base powers.
void set_base_power_error(Platform &target, const std::vector<PlatformPart> &parts)
{
    std::optional<double> error;
    for (const auto &part : parts) {
        const auto of_rank = parse_double(part.facts.stated(Topic::base_power_error));
        if (of_rank) error = std::hypot(error.value_or(0), *of_rank);
    }
    if (error) target.facts.state(Topic::base_power_error, format_double(*error));
}

WholePlatform joined(const std::vector<PlatformPart> &parts)
{
    WholePlatform whole;
    std::vector<std::string> names;
    for (std::size_t r = 0; r < parts.size(); ++r) {
        whole.first_of.push_back(static_cast<std::int64_t>(names.size()));
        for (const auto &processor : parts[r].processors)
            names.push_back(parts.size() > 1 ? text(r, "/", processor.name) : processor.name);
    }
    whole.first_of.push_back(static_cast<std::int64_t>(names.size()));
    if (names.empty()) fail_argument("no rank has a processor; at least one must have a platform");
    hpart_platform *handle = nullptr;
    check_status(hpart_platform_create(static_cast<std::int64_t>(names.size()), &handle));
    whole.handle.reset(handle);
    auto &made = handle->value;
    made.set_names(names);
    for (std::size_t r = 0; r < parts.size(); ++r) {
        const auto &part = parts[r];
        const auto first = whole.first_of[r];
        for (std::size_t k = 0; k < part.processors.size(); ++k) {
            const auto i = first + static_cast<std::int64_t>(k);
            made.set_limits(i, part.processors[k].limits);
            made.set_host_link(i, part.processors[k].host_link);
            for (const auto kind : {FunctionKind::time, FunctionKind::energy})
                set_function(made, i, part.processors[k], kind);
        }
        for (const auto &[ends, link] : part.links) made.set_link(first + ends.first, first + ends.second, link);
        add_facts(made, part.facts, parts.size() > 1 ? text(r, "/") : "");
        for (const auto &node : part.nodes) made.set_node({first + node.first, first + node.last, node.watts});
    }
    set_common(made, parts);
    set_base_power_error(made, parts);
    return whole;
}

} // namespace

void append(ProcessorPart &to, const ProcessorPart &from)
{
    const auto join = [](auto &values, const auto &others) {
        values.insert(values.end(), others.begin(), others.end());
    };
    join(to.sizes, from.sizes);
    join(to.seconds, from.seconds);
    join(to.joules, from.joules);
    for (const auto kind : {FunctionKind::time, FunctionKind::energy}) {
        join(to.intervals.low(kind), from.intervals.low(kind));
        join(to.intervals.high(kind), from.intervals.high(kind));
    }
    join(to.intervals.repetitions, from.intervals.repetitions);
    to.host_link = from.host_link;
    to.limits = from.limits;
}

PlatformPart part_of(const hpart_platform *platform)
{
    PlatformPart part;
    if (platform == nullptr) return part;
    const auto &value = platform->value;
    for (std::int64_t i = 0; i < value.count(); ++i) {
        const auto &processor = value.processor(i);
        const auto &points = processor.points();
        part.processors.push_back({processor.name, processor.limits, processor.host_link, points.sizes, points.seconds,
                                   points.joules, points.intervals ? *points.intervals : Intervals(points.count())});
    }
    part.links = value.links();
    part.nodes = value.nodes();
    part.base_power = value.base_power();
    part.border_bytes = value.border_bytes();
    part.kernel = value.kernel();
    part.facts = value.facts;
    return part;
}

Bytes bytes_of(const PlatformPart &part)
{
    Bytes out;
    put(out, static_cast<std::int64_t>(part.processors.size()));
    for (const auto &processor : part.processors) {
        put(out, processor.name);
        put(out, processor.limits);
        put(out, processor.host_link);
        put(out, processor.sizes);
        for_each_array(processor, [&](const auto &values) { put(out, values); });
    }
    put(out, static_cast<std::int64_t>(part.links.size()));
    for (const auto &[ends, link] : part.links) {
        put(out, ends.first);
        put(out, ends.second);
        put(out, link);
    }
    put(out, static_cast<std::int64_t>(part.nodes.size()));
    for (const auto &node : part.nodes) put(out, node);
    put(out, part.base_power);
    put(out, part.border_bytes);
    put(out, part.kernel);
    const auto lines = part.facts.lines();
    put(out, static_cast<std::int64_t>(lines.size()));
    for (const auto &line : lines) put(out, line);
    put(out, part.alike);
    return out;
}

void require_same_sizes(std::vector<std::int64_t> mine, std::vector<std::int64_t> of_root)
{
    std::sort(mine.begin(), mine.end());
    std::sort(of_root.begin(), of_root.end());
    if (mine != of_root) fail_argument("the sizes differ from those of rank 0; they must be the same on all ranks");
}

WholePlatform gather_platform(const Communicator &all, const PlatformPart &mine)
{
    Bytes packed;
    all.together([&] { packed = bytes_of(mine); });
    const auto pieces = all.gather(packed);
    WholePlatform whole;
    all.on_root([&] {
        std::vector<PlatformPart> parts;
        parts.reserve(pieces.size());
        for (const auto &piece : pieces) parts.push_back(part_from(piece));
        share_points(parts);
        whole = joined(parts);
    });
    return whole;
}

namespace
{

// The ranks of one kind.
struct Kind {
    std::size_t first = 0;
    std::vector<std::string> names;
    std::int64_t count = 0;
};

std::vector<Bytes> kin_of_all(const std::vector<Bytes> &pieces)
{
    std::map<std::string, Kind> kinds;
    std::vector<std::string> kind_of;
    std::vector<std::int64_t> places;
    for (std::size_t r = 0; r < pieces.size(); ++r) {
        Reader in(pieces[r]);
        const auto name = in.get_text();
        std::vector<std::string> names(static_cast<std::size_t>(in.get<std::int64_t>()));
        for (auto &processor : names) processor = in.get_text();
        // Who names no kind is one of its own.
        kind_of.push_back(name.empty() ? text('\0', r) : name);
        auto &kind = kinds[kind_of.back()];
        if (kind.count == 0) {
            kind.first = r;
            kind.names = names;
        } else if (kind.names != names) {
            fail_option("alike", " is ", in_quotes(name), " on ranks ", kind.first, " and ", r,
                        ", whose processors have different names; equal nodes have equal ones, in the same order");
        }
        places.push_back(kind.count++);
    }
    std::vector<Bytes> kin(pieces.size());
    for (std::size_t r = 0; r < pieces.size(); ++r) {
        put(kin[r], kinds[kind_of[r]].count);
        put(kin[r], places[r]);
    }
    return kin;
}

} // namespace

Kin find_kin(const Communicator &all, const std::string &kind, const std::vector<ProcessorPart> &processors)
{
    Bytes mine;
    all.together([&] {
        put(mine, kind);
        put(mine, static_cast<std::int64_t>(processors.size()));
        for (const auto &processor : processors) put(mine, processor.name);
    });
    const auto pieces = all.gather(mine);
    std::vector<Bytes> kin;
    all.on_root([&] { kin = kin_of_all(pieces); });
    const auto found = all.scatter(kin);
    Reader in(found);
    const auto count = in.get<std::int64_t>();
    return {count, in.get<std::int64_t>()};
}

void share_points(std::vector<PlatformPart> &parts)
{
    std::map<std::string, std::vector<PlatformPart *>> kinds;
    for (auto &part : parts)
        if (!part.alike.empty()) kinds[part.alike].push_back(&part);
    for (auto &[name, members] : kinds) {
        auto processors = members.front()->processors;
        auto facts = members.front()->facts;
        double watts = 0;
        int metered = 0;
        for (const auto *member : members) {
            for (std::size_t i = 0; member != members.front() && i < processors.size(); ++i)
                if (!member->processors[i].sizes.empty()) append(processors[i], member->processors[i]);
            if (member != members.front()) facts.add_of_points(member->facts);
            if (std::isnan(member->base_power)) continue;
            watts += member->base_power;
            ++metered;
        }
        for (auto *member : members) {
            member->processors = processors;
            member->facts = facts;
            if (std::isnan(member->base_power) && metered > 0) member->base_power = watts / metered;
        }
    }
}

} // namespace hpart::mpi
