#include "mpi/platform.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace hpart::mpi
{

namespace
{

// Files may have one end of an interval; the setters take both. The value is what the missing end counts as.
void complete(std::vector<double> &low, std::vector<double> &high, const std::vector<double> &values)
{
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (std::isnan(low[k]) && !std::isnan(high[k])) low[k] = values[k];
        if (std::isnan(high[k]) && !std::isnan(low[k])) high[k] = values[k];
    }
}

ProcessorPart processor_part(const hpart_platform *platform, std::int64_t i)
{
    ProcessorPart part;
    part.name = text_from([&](char *buffer, std::int64_t capacity, std::int64_t *needed) {
        return hpart_platform_get_name(platform, i, buffer, capacity, needed);
    });
    check_status(hpart_platform_get_limits(platform, i, &part.smallest, &part.largest));
    check_status(
        hpart_platform_get_host_link(platform, i, &part.host_link.latency_seconds, &part.host_link.bytes_per_second));
    check_status(hpart_platform_get_host_link_energy(platform, i, &part.host_link.joules_per_byte));
    std::int64_t points = 0;
    check_status(hpart_platform_get_function(platform, i, nullptr, nullptr, nullptr, 0, &points));
    if (points == 0) return part;
    const auto count = static_cast<std::size_t>(points);
    part.sizes.resize(count);
    part.repetitions.resize(count);
    for (auto *values :
         {&part.seconds, &part.joules, &part.time_low, &part.time_high, &part.energy_low, &part.energy_high})
        values->resize(count);
    check_status(hpart_platform_get_function(platform, i, part.sizes.data(), part.seconds.data(), part.joules.data(),
                                             points, &points));
    check_status(hpart_platform_get_intervals(platform, i, part.time_low.data(), part.time_high.data(),
                                              part.energy_low.data(), part.energy_high.data(), part.repetitions.data(),
                                              points, &points));
    complete(part.time_low, part.time_high, part.seconds);
    complete(part.energy_low, part.energy_high, part.joules);
    return part;
}

void put_link(Bytes &out, const LinkPart &link)
{
    put(out, link.latency_seconds);
    put(out, link.bytes_per_second);
    put(out, link.joules_per_byte);
}

LinkPart get_link(Reader &in)
{
    LinkPart link;
    link.latency_seconds = in.get<double>();
    link.bytes_per_second = in.get<double>();
    link.joules_per_byte = in.get<double>();
    return link;
}

PlatformPart part_from(const Bytes &bytes)
{
    Reader in(bytes);
    PlatformPart part;
    part.processors.resize(static_cast<std::size_t>(in.get<std::int64_t>()));
    for (auto &processor : part.processors) {
        processor.name = in.get_text();
        processor.smallest = in.get<std::int64_t>();
        processor.largest = in.get<std::int64_t>();
        processor.host_link = get_link(in);
        processor.sizes = in.get_vector<std::int64_t>();
        for (auto *values : {&processor.seconds, &processor.joules, &processor.time_low, &processor.time_high,
                             &processor.energy_low, &processor.energy_high})
            *values = in.get_vector<double>();
        processor.repetitions = in.get_vector<std::int64_t>();
    }
    part.link_ends = in.get_vector<std::int64_t>();
    for (std::size_t k = 0; k < part.link_ends.size(); k += 2) part.links.push_back(get_link(in));
    part.nodes.resize(static_cast<std::size_t>(in.get<std::int64_t>()));
    for (auto &node : part.nodes) {
        node.first = in.get<std::int64_t>();
        node.last = in.get<std::int64_t>();
        node.watts = in.get<double>();
    }
    part.base_power = in.get<double>();
    part.border_bytes = in.get<double>();
    part.kernel = in.get_text();
    part.alike = in.get_text();
    return part;
}

// The points of a processor that have all of some values.
struct Chosen {
    std::vector<std::int64_t> sizes, repetitions;
    std::vector<double> first, second;

    Chosen(const ProcessorPart &part, const std::vector<double> &firsts, const std::vector<double> &seconds)
    {
        for (std::size_t k = 0; k < part.sizes.size(); ++k) {
            if (std::isnan(firsts[k]) || std::isnan(seconds[k])) continue;
            sizes.push_back(part.sizes[k]);
            repetitions.push_back(part.repetitions[k]);
            first.push_back(firsts[k]);
            second.push_back(seconds[k]);
        }
    }
    std::int64_t count() const { return static_cast<std::int64_t>(sizes.size()); }
};

void set_processor(hpart_platform *target, std::int64_t i, const ProcessorPart &part)
{
    check_status(hpart_platform_set_limits(target, i, part.smallest, part.largest));
    check_status(
        hpart_platform_set_host_link(target, i, part.host_link.latency_seconds, part.host_link.bytes_per_second));
    check_status(hpart_platform_set_host_link_energy(target, i, part.host_link.joules_per_byte));
    const Chosen times(part, part.seconds, part.seconds), energies(part, part.joules, part.joules);
    if (times.count() > 0)
        check_status(
            hpart_platform_set_time_function(target, i, times.count(), times.sizes.data(), times.first.data()));
    if (energies.count() > 0)
        check_status(hpart_platform_set_energy_function(target, i, energies.count(), energies.sizes.data(),
                                                        energies.first.data()));
    const Chosen time_intervals(part, part.time_low, part.time_high);
    if (time_intervals.count() > 0)
        check_status(hpart_platform_set_time_interval(target, i, time_intervals.count(), time_intervals.sizes.data(),
                                                      time_intervals.first.data(), time_intervals.second.data(),
                                                      time_intervals.repetitions.data()));
    const Chosen energy_intervals(part, part.energy_low, part.energy_high);
    if (energy_intervals.count() > 0)
        check_status(hpart_platform_set_energy_interval(
            target, i, energy_intervals.count(), energy_intervals.sizes.data(), energy_intervals.first.data(),
            energy_intervals.second.data(), energy_intervals.repetitions.data()));
}

// Names are set one by one and always distinct: first to unused ones, longer than any, which differ from default names too.
void set_names(hpart_platform *target, const std::vector<std::string> &names)
{
    std::size_t longest = 0;
    for (const auto &name : names) longest = std::max(longest, name.size());
    const std::string unused(longest + 1, '~');
    for (const bool is_final : {false, true})
        for (std::size_t i = 0; i < names.size(); ++i)
            check_status(hpart_platform_set_name(target, static_cast<std::int64_t>(i),
                                                 (is_final ? names[i] : text(unused, i)).c_str()));
}

// Values of the whole platform: the sum of the ranks' base powers, the border and the kernel that they agree on.
void set_common(hpart_platform *target, const std::vector<PlatformPart> &parts)
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
    if (!std::isnan(base_power)) check_status(hpart_platform_set_base_power(target, base_power));
    check_status(hpart_platform_set_border_bytes(target, first->border_bytes));
    if (one_kernel) check_status(hpart_platform_set_kernel(target, first->kernel.c_str()));
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
    hpart_platform *made = nullptr;
    check_status(hpart_platform_create(static_cast<std::int64_t>(names.size()), &made));
    whole.handle.reset(made);
    set_names(made, names);
    for (std::size_t r = 0; r < parts.size(); ++r) {
        const auto &part = parts[r];
        const auto first = whole.first_of[r];
        for (std::size_t i = 0; i < part.processors.size(); ++i)
            set_processor(made, first + static_cast<std::int64_t>(i), part.processors[i]);
        for (std::size_t k = 0; k < part.links.size(); ++k) {
            const auto from = first + part.link_ends[2 * k], to = first + part.link_ends[2 * k + 1];
            const auto &link = part.links[k];
            check_status(hpart_platform_set_link(made, from, to, link.latency_seconds, link.bytes_per_second));
            check_status(hpart_platform_set_link_energy(made, from, to, link.joules_per_byte));
        }
        for (const auto &node : part.nodes)
            check_status(hpart_platform_set_node(made, first + node.first, first + node.last, node.watts));
    }
    set_common(made, parts);
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
    join(to.time_low, from.time_low);
    join(to.time_high, from.time_high);
    join(to.energy_low, from.energy_low);
    join(to.energy_high, from.energy_high);
    join(to.repetitions, from.repetitions);
    to.host_link = from.host_link;
    to.smallest = from.smallest;
    to.largest = from.largest;
}

PlatformPart part_of(const hpart_platform *platform)
{
    PlatformPart part;
    if (platform == nullptr) return part;
    const auto count = hpart_platform_processors(platform);
    for (std::int64_t i = 0; i < count; ++i) part.processors.push_back(processor_part(platform, i));
    for (std::int64_t from = 0; from < count; ++from)
        for (std::int64_t to = 0; to < count; ++to) {
            if (from == to) continue;
            LinkPart link;
            check_status(hpart_platform_get_link(platform, from, to, &link.latency_seconds, &link.bytes_per_second));
            check_status(hpart_platform_get_link_energy(platform, from, to, &link.joules_per_byte));
            if (link.latency_seconds == 0 && std::isinf(link.bytes_per_second) && link.joules_per_byte == 0) continue;
            part.link_ends.insert(part.link_ends.end(), {from, to});
            part.links.push_back(link);
        }
    for (std::int64_t i = 0; i < count; ++i) {
        NodePart node;
        check_status(hpart_platform_get_node(platform, i, &node.first, &node.last, &node.watts));
        if (node.watts > 0 && node.first == i) part.nodes.push_back(node);
    }
    check_status(hpart_platform_get_base_power(platform, &part.base_power));
    check_status(hpart_platform_get_border_bytes(platform, &part.border_bytes));
    part.kernel = text_from([&](char *buffer, std::int64_t capacity, std::int64_t *needed) {
        return hpart_platform_get_kernel(platform, buffer, capacity, needed);
    });
    return part;
}

Bytes bytes_of(const PlatformPart &part)
{
    Bytes out;
    put(out, static_cast<std::int64_t>(part.processors.size()));
    for (const auto &processor : part.processors) {
        put(out, processor.name);
        put(out, processor.smallest);
        put(out, processor.largest);
        put_link(out, processor.host_link);
        put(out, processor.sizes);
        for (const auto *values : {&processor.seconds, &processor.joules, &processor.time_low, &processor.time_high,
                                   &processor.energy_low, &processor.energy_high})
            put(out, *values);
        put(out, processor.repetitions);
    }
    put(out, part.link_ends);
    for (const auto &link : part.links) put_link(out, link);
    put(out, static_cast<std::int64_t>(part.nodes.size()));
    for (const auto &node : part.nodes) {
        put(out, node.first);
        put(out, node.last);
        put(out, node.watts);
    }
    put(out, part.base_power);
    put(out, part.border_bytes);
    put(out, part.kernel);
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
        double watts = 0;
        int metered = 0;
        for (const auto *member : members) {
            for (std::size_t i = 0; member != members.front() && i < processors.size(); ++i)
                if (!member->processors[i].sizes.empty()) append(processors[i], member->processors[i]);
            if (std::isnan(member->base_power)) continue;
            watts += member->base_power;
            ++metered;
        }
        for (auto *member : members) {
            member->processors = processors;
            if (std::isnan(member->base_power) && metered > 0) member->base_power = watts / metered;
        }
    }
}

} // namespace hpart::mpi
