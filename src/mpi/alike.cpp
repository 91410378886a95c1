#include "mpi/alike.hpp"

#include "core/text.hpp"

#include <cmath>
#include <map>

namespace hpart::mpi
{

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
