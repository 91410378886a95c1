#include "out_of_card/fft/device_member.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace hpart
{

namespace
{

constexpr std::int64_t largest_share_of_tables = 16;

std::vector<DeviceFftShape> shapes_of(const FftPlan &plan) { return shapes_of(*plan.what, plan.how); }

bool supports_all(const FftMember &member)
{
    const auto shapes = shapes_of(member.plan);
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
    for (const auto &shape : shapes_of(plan)) {
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

} // namespace hpart
