#include "out_of_card/fft/device_member.hpp"

#include "core/error.hpp"
#include "out_of_card/pipeline/device_team.hpp"
#include "out_of_card/pipeline/shares.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace hpart
{

namespace
{

struct MemberShare {
    MemberShare(FftMember what, const std::string &work)
        : member(std::move(what)), correction(correction_of(*member.session, work))
    {
    }

    FftMember member;
    std::shared_ptr<Correction> correction;
    FftShare share;
    double expected_seconds = 0;
    FlowRecord record;
    double waited_seconds = 0; // of the record's, for the others
    double seconds() const { return record.seconds - waited_seconds; }
};

std::string_view name_of(const FftProblem &way) { return way.cuts.empty() ? "in-card" : "slabs"; }

// Least time of a device's plans for such a share, where the transform is cut in this way; infinite where none fits.
double seconds_of(const FftProblem &way, const MemberShare &part, double share)
{
    const auto plan = plan_fft(way, *part.member.session, *part.member.engine, part.member.rates,
                               planning_for(part.member, name_of(way), {0, share}));
    return plan ? part.correction->factor() * plan->seconds : std::numeric_limits<double>::infinity();
}

// Each way to cut the transform by itself, of those asked for.
std::vector<FftProblem> ways_of(const FftCall &call, std::string_view asked, std::size_t members)
{
    const auto problem = problem_of(call);
    std::vector<FftProblem> ways;
    if (problem.uncut.rows >= static_cast<std::int64_t>(members)) {
        ways.push_back(problem);
        ways.back().cuts.clear();
    }
    for (const auto &cut : problem.cuts) {
        auto way = problem;
        way.uncut.rows = 0;
        way.cuts = {cut};
        ways.push_back(std::move(way));
    }
    if (asked != "model") std::erase_if(ways, [&](const FftProblem &way) { return name_of(way) != asked; });
    return ways;
}

// If each device worked as fast as it does alone.
double seconds_together(const FftProblem &way, const std::vector<MemberShare> &parts)
{
    double rate = 0;
    for (const auto &part : parts) rate += 1 / seconds_of(way, part, 1);
    return 1 / rate;
}

// No part of a first pass is empty.
std::int64_t units_of(const FftProblem &way)
{
    if (way.cuts.empty()) return std::min(most_units, way.uncut.rows);
    return std::min({most_units, way.cuts[0].first_extent(), way.cuts[0].second_extent()});
}

// Sets the parts' shares of one way to cut the transform. Devices on which nothing fits, or that would only delay the others,
// have no part. False where it fits on fewer than two.
bool assign_shares(const FftProblem &way, std::vector<MemberShare> &parts)
{
    const auto units = units_of(way);
    const auto share = [&](std::int64_t size) { return static_cast<double>(size) / static_cast<double>(units); };
    std::vector<std::vector<double>> seconds;
    std::erase_if(parts, [&](const MemberShare &part) {
        auto of_units = seconds_of_units(units, [&](std::int64_t size) { return seconds_of(way, part, share(size)); });
        const bool fits = std::all_of(of_units.begin(), of_units.end(), [](double s) { return std::isfinite(s); });
        if (fits) seconds.push_back(std::move(of_units));
        return !fits;
    });
    if (parts.size() < 2) return false;
    const auto sizes = shares_of_least_time(seconds, units);
    std::int64_t first = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        parts[k].share = {share(first), share(first + sizes[k])};
        first += sizes[k];
    }
    std::erase_if(parts, [](const MemberShare &part) { return part.share.from == part.share.to; });
    return true;
}

void run_parts(std::vector<MemberShare> &parts, Control &control, const FftBeginning &begin)
{
    std::vector<double> shares;
    shares.reserve(parts.size());
    for (const auto &part : parts) shares.push_back(part.share.to - part.share.from);
    DeviceTeam team(std::move(shares), control);
    team.run([&](std::size_t k, Control &own) {
        const auto timed = [&](const auto &waiting) {
            const auto start = Clock::now();
            const bool all_are_here = waiting();
            parts[k].waited_seconds += seconds_since(start);
            return all_are_here;
        };
        const auto meet = [&] { return timed([&] { return team.meet(); }); };
        // When all have what they need.
        const auto begin_together = [&] {
            return timed([&] {
                if (!team.meet()) return false;
                if (k == 0) begin();
                return team.meet();
            });
        };
        if (const auto record = run_plan(parts[k].member, own, begin_together, meet)) parts[k].record = *record;
    });
}

void fill(FftAccount &account, const std::vector<MemberShare> &parts, double seconds)
{
    account.method = "devices";
    account.plan = "shares";
    account.kernel = "";
    account.seconds = seconds;
    account.expected.emplace();
    for (const auto &part : parts) {
        const auto &member = part.member;
        const auto &spec = member.session->info().spec;
        account.of_devices.push_back({member.session, part.share.to - part.share.from, part.seconds()});
        account.moved.add(part.record);
        account.tiles += text(account.tiles.empty() ? "" : "; ", spec, ": ", member.plan.describe());
        *account.kernel += text(account.kernel->empty() ? "" : ", ", member.engine->name());
        account.expected->bytes += member.plan.bytes_in + member.plan.bytes_out;
        account.expected->lower_bound_bytes += lower_bound_bytes(member.plan, member.session->memory_limit());
        account.expected->seconds = std::max(account.expected->seconds, part.expected_seconds);
    }
}

// Why a part cannot be made, or empty.
std::string plan_part(const FftProblem &problem, std::string_view asked, MemberShare &part)
{
    auto &member = part.member;
    try {
        std::string refusal;
        if (!plan_and_prepare(problem, planning_for(member, asked, part.share), member, refusal))
            return !refusal.empty()
                       ? refusal
                       : text("no share of a transform of this shape fits on ", member.session->info().spec);
        part.expected_seconds = part.correction->factor() * member.plan.seconds;
        return {};
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw;
        return error.what(); // its plans take more than was thought
    }
}

} // namespace

std::string fft_on_several_devices(std::vector<FftMember> members, const FftCall &call, const Options &options,
                                   FftAccount &account, const FftBeginning &begin)
{
    const auto asked = options.get_text("fft_plan");
    std::vector<MemberShare> parts;
    const auto work = text("fft ", call.is_double ? "double" : "float", " of ", members.size());
    parts.reserve(members.size());
    for (auto &member : members) parts.emplace_back(std::move(member), work);
    const FftProblem *chosen = nullptr;
    double least = std::numeric_limits<double>::infinity();
    const auto ways = ways_of(call, asked, parts.size());
    for (const auto &way : ways) {
        const auto seconds = seconds_together(way, parts);
        if (!(seconds < least)) continue;
        least = seconds;
        chosen = &way;
    }
    if (chosen == nullptr) return "no plan of a transform of this shape fits on several devices";
    if (!assign_shares(*chosen, parts)) return "a transform of this shape fits on one device only";
    if (options.get_int("dry_run") == 1) {
        for (auto &part : parts) {
            if (auto reason = plan_part(*chosen, asked, part); !reason.empty()) return reason;
            time_kernels(part.member);
            part.expected_seconds = part.correction->factor() * part.member.plan.seconds;
        }
        fill(account, parts, 0);
        return {};
    }
    bool began = false;
    const FftBeginning beginning = [&] {
        began = true;
        begin();
    };
    auto problem = *chosen;
    std::optional<FftWorkspace> workspace;
    if (!problem.cuts.empty()) workspace.emplace(problem.cuts[0]);
    for (auto &part : parts)
        if (auto reason = plan_part(problem, asked, part); !reason.empty()) return reason;
    auto control = Control::from(options);
    const auto start = Clock::now();
    try {
        run_parts(parts, control, beginning);
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory || began) throw;
        return error.what(); // a device has less than it says
    }
    const auto seconds = seconds_since(start);
    for (auto &part : parts) part.correction->learn(part.expected_seconds, part.seconds());
    fill(account, parts, seconds);
    return {};
}

} // namespace hpart
