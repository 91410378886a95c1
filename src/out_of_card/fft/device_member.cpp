#include "out_of_card/fft/device_member.hpp"

#include "core/error.hpp"
#include "out_of_card/pipeline/device_team.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace hpart
{

namespace
{

constexpr std::int64_t largest_share_of_tables = 16;

std::vector<DeviceFftShape> plan_shapes(const FftPlan &plan) { return shapes_of(*plan.what, plan.how); }

bool supports_all(const FftMember &member)
{
    const auto shapes = plan_shapes(member.plan);
    return std::all_of(shapes.begin(), shapes.end(), [&](const auto &shape) { return member.engine->supports(shape); });
}

std::int64_t needed_bytes(const FftMember &member)
{
    return member.plan.how.memory(*member.plan.what, *member.session);
}

} // namespace

void FftAccount::add(const FftAccount &later)
{
    const auto earlier = std::exchange(*this, later);
    moved.add(earlier.moved);
    retries += earlier.retries;
    seconds += earlier.seconds;
    for (const auto &part : earlier.of_devices) {
        const auto same = std::ranges::find(of_devices, part.session, &FftDevicePart::session);
        auto &sum = same != of_devices.end() ? *same : of_devices.emplace_back(FftDevicePart{part.session, 0, 0});
        sum.share += part.share;
        sum.seconds += part.seconds;
    }
    if (!earlier.expected) return;
    if (!expected) expected.emplace();
    expected->bytes += earlier.expected->bytes;
    expected->lower_bound_bytes += earlier.expected->lower_bound_bytes;
    expected->seconds += earlier.expected->seconds;
}

void FftAccount::repeat(std::int64_t times)
{
    for (auto &part : of_devices) part.share *= static_cast<double>(times);
    if (!expected) return;
    expected->bytes *= times;
    expected->lower_bound_bytes *= times;
    expected->seconds *= static_cast<double>(times);
}

void FftAccount::name_all(const DeviceGroup &devices)
{
    for (const auto &session : devices.sessions) {
        auto &all = parts.emplace_back(DevicePart{session->info().spec});
        for (const auto &part : of_devices) {
            if (part.session != session.get()) continue;
            all.share += part.share;
            all.seconds += part.seconds;
        }
    }
}

void FftAccount::report(Report &report) const
{
    Account::report(report);
    report.set("on_host", on_host);
}

std::optional<FftMember> fft_member(DeviceSession &session, bool is_double, const Options &options)
{
    if (is_double && !session.info().double_precision) return std::nullopt;
    FftMember member;
    member.session = &session;
    member.flow = FlowOptions::from(options);
    const auto kernel = options.get_text("kernel");
    member.engine = in_card_fft(session, kernel);
    if (!member.engine) return std::nullopt;
    // Tables of shapes that may not come again are not worth more.
    if (member.engine->kept_bytes() > session.memory_limit() / largest_share_of_tables) member.engine->forget();
    member.rates = rates_of(session, *member.engine, is_double);
    if (const auto staging = Staging::of(session, member.flow.staging)) {
        member.rates.staging = staging->measured_rate(session);
        member.flow.shortest_direct_row = member.rates.link.shortest_direct_row(member.rates.staging);
    }
    return member;
}

void note_arrays(FftMember &member, const FftCall &call)
{
    const auto layout = layout_of(call);
    const auto &pinned = member.session->pinned_ranges();
    member.is_staged = member.rates.staging > 0 &&
                       !(pinned.hold(call.in, layout.in_bytes()) && pinned.hold(call.out, layout.out_bytes()));
}

FftPlanning planning_for(const FftMember &member, std::string_view asked, const FftShare &share)
{
    const auto &session = *member.session;
    return {.memory_limit = session.memory_limit() - session.used() - member.engine->kept_bytes(),
            .share = share,
            .only = asked == "model" ? "" : asked,
            .is_staged = member.is_staged};
}

std::string prepare(FftMember &member)
{
    auto &plan = member.plan;
    auto &session = *member.session;
    auto &scratch = plan.how.scratch_bytes, &tables = plan.how.table_bytes;
    scratch = tables = 0;
    for (const auto &shape : plan_shapes(plan)) {
        try {
            session.set_up([&] { member.engine->prepare(shape); });
        } catch (const Error &error) {
            if (error.status() == Status::out_of_memory) throw;
            return error.what();
        }
        scratch = std::max(scratch, member.engine->scratch_bytes(shape));
    }
    if (plan.what->twiddled) {
        DeviceTwiddle twiddle;
        twiddle.is_double = plan.what->type.is_double;
        session.set_up([&] { member.engine->twiddle(twiddle); }); // compiles
    }
    tables = member.engine->kept_bytes();
    const auto needed = needed_bytes(member);
    const auto left = session.memory_limit() - session.used();
    if (needed > left)
        fail(Status::out_of_memory, session.info().spec, " has ", left, " bytes left; a transform by ",
             member.engine->name(), " needs ", needed);
    return {};
}

bool plan_and_prepare(const FftProblem &problem, const FftPlanning &planning, FftMember &member, std::string &refusal)
{
    constexpr int most_estimates = 8; // that prove to be too low
    for (int tries = 0;;) {
        const auto plan = plan_fft(problem, *member.session, *member.engine, member.rates, planning);
        if (!plan) return false;
        member.plan = *plan;
        try {
            const auto reason = prepare(member);
            if (reason.empty()) return true;
            refusal = reason;
            if (supports_all(member)) return false; // or the same plan would come again
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory || ++tries == most_estimates ||
                needed_bytes(member) <= planning.memory_limit)
                throw;
            member.engine->forget();
        }
    }
}

void time_kernels(FftMember &member)
{
    auto &session = *member.session;
    auto &plan = member.plan;
    auto what = *plan.what;
    what.in.data = what.middle.data = what.out.data = nullptr; // nothing moves
    const auto timed = [&](const PassesMemory &memory, double (PassesRun::*slab)()) {
        constexpr int runs = 3; // the first one warms up
        double least = std::numeric_limits<double>::infinity();
        for (int k = 0; k < runs; ++k) {
            Control control;
            Flow flow(session, control, member.flow);
            const auto part = (PassesRun(flow, *member.engine, what, plan.how, memory).*slab)();
            flow.finish();
            const auto &record = flow.record();
            const auto seconds =
                record.kernel_seconds > 0 ? record.kernel_seconds : record.seconds; // not all drivers tell
            if (k > 0) least = std::min(least, seconds / part);
        }
        return least;
    };
    try {
        session.set_up([&] {
            const PassesMemory memory(session, what, plan.how);
            const auto bytes = what.complex_bytes();
            if (memory.whole) clear_memory(session, memory.whole.get(), what.numbers() * bytes);
            for (const auto &slot : memory.slots) clear_memory(session, slot.get(), plan.how.slot_numbers * bytes);
            if (!memory.resident.empty())
                clear_memory(session, memory.resident[0].get(), plan.how.resident_block * what.first_extent() * bytes);
            if (plan.how.first.count > 0) plan.first.kernel_seconds = timed(memory, &PassesRun::first_slab);
            if (plan.how.second.count > 0) plan.second.kernel_seconds = timed(memory, &PassesRun::second_slab);
        });
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw; // others use the device: the rates must do
    }
    plan.seconds = seconds_of(plan, member.rates);
}

std::optional<FlowRecord> run_plan(const FftMember &member, Control &control, const FftMeeting &begin,
                                   const FftMeeting &meet)
{
    auto &session = *member.session;
    const auto &plan = member.plan;
    auto what = *plan.what;
    const FftWorkspace workspace(what); // unless the devices share one
    const PassesMemory memory(session, what, plan.how);
    Flow flow(session, control, member.flow);
    if (!begin()) return std::nullopt;
    PassesRun run(flow, *member.engine, what, plan.how, memory);
    const auto all_are_here = [&](std::int64_t item) {
        if (!meet || what.is_one_pass()) return true;
        run.wait_for_middle(item);
        return meet();
    };
    for (std::int64_t item = 0; item < what.items; ++item) {
        run.first_pass(item);
        if (!all_are_here(item)) return std::nullopt;
        run.second_pass(item);
        if (!all_are_here(item)) return std::nullopt; // the data between the passes may be overwritten
    }
    flow.finish();
    return flow.record();
}

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
double part_seconds(const FftProblem &way, const MemberShare &part, double share)
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
    for (const auto &part : parts) rate += 1 / part_seconds(way, part, 1);
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
        auto of_units =
            seconds_of_units(units, [&](std::int64_t size) { return part_seconds(way, part, share(size)); });
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
