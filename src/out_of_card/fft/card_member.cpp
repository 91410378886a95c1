#include "out_of_card/fft/card_member.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

constexpr std::int64_t largest_share_of_tables = 16;

FlowRecord run_one_pass(const FftMember &member, Control &control, bool &began)
{
    const auto &plan = member.plan;
    const OnePassMemory memory(*member.card, *plan.one_pass, plan.one);
    began = true;
    Flow flow(*member.card, control, member.flow);
    give_one_pass(flow, *member.engine, *plan.one_pass, plan.one, memory);
    flow.finish();
    return flow.record();
}

FlowRecord run_two_pass(const FftMember &member, HostTeam &team, Control &control, bool &began)
{
    const auto &plan = member.plan;
    auto what = *plan.two_pass;
    const FftWorkspace workspace(what);
    const TwoPassMemory memory(*member.card, what, plan.two);
    began = true;
    Flow flow(*member.card, control, member.flow);
    TwoPassRun run(flow, *member.engine, what, plan.two, memory);
    for (std::int64_t item = 0; item < what.items; ++item) {
        if (plan.first_on_host) {
            run.wait_for_second_loads();
            first_pass_on_host(team, what, item, {0, what.first_extent()});
        }
        run.first_pass(item);
        if (plan.second_on_host) {
            run.wait_for_first_pass();
            second_pass_on_host(team, what, item, {0, what.second_extent()});
        }
        run.second_pass(item);
    }
    flow.finish();
    return flow.record();
}

} // namespace

std::optional<FftMember> fft_member(Card &card, bool is_double, const Options &options)
{
    FftMember member;
    member.card = &card;
    member.flow = FlowOptions::from(options);
    member.engine = in_card_fft(card, options.get_text("kernel"));
    if (!member.engine) return std::nullopt;
    // Tables of shapes that may not come again are not worth more.
    if (member.engine->kept_bytes() > card.memory_limit() / largest_share_of_tables) member.engine->forget();
    member.rates = rates_of(card, *member.engine, is_double);
    return member;
}

std::int64_t memory_left(const FftMember &member)
{
    return member.card->memory_limit() - member.card->used() - member.engine->kept_bytes();
}

std::string prepare(FftMember &member)
{
    auto &plan = member.plan;
    auto &card = *member.card;
    const bool one = plan.one_pass != nullptr;
    auto &scratch = one ? plan.one.scratch_bytes : plan.two.scratch_bytes;
    auto &tables = one ? plan.one.table_bytes : plan.two.table_bytes;
    scratch = tables = 0;
    for (const auto &shape : one ? shapes_of(*plan.one_pass, plan.one) : shapes_of(*plan.two_pass, plan.two)) {
        try {
            member.engine->prepare(shape);
        } catch (const Error &error) {
            if (error.status() == Status::out_of_memory) throw;
            return error.what();
        }
        scratch = std::max(scratch, member.engine->scratch_bytes(shape));
    }
    tables = member.engine->kept_bytes();
    const auto needed = one ? plan.one.memory(*plan.one_pass, card) : plan.two.memory(*plan.two_pass, card);
    const auto left = card.memory_limit() - card.used();
    if (needed > left)
        fail(Status::out_of_memory, card.info().spec, " has ", left, " bytes left; a transform by ",
             member.engine->name(), " needs ", needed);
    return {};
}

FftWorkspace::FftWorkspace(TwoPass &what)
{
    if (what.middle.data != nullptr) return;
    bytes_.resize(static_cast<std::size_t>(what.numbers() * what.complex_bytes()));
    what.middle.data = bytes_.data();
}

FlowRecord run_plan(const FftMember &member, HostTeam &team, Control &control, bool &began)
{
    return member.plan.one_pass != nullptr ? run_one_pass(member, control, began)
                                           : run_two_pass(member, team, control, began);
}

std::int64_t lower_bound_bytes(const FftPlan &plan, std::int64_t memory)
{
    if (plan.one_pass != nullptr)
        return plan.one_pass->in_bytes(plan.one_pass->rows) + plan.one_pass->out_bytes(plan.one_pass->rows);
    const auto &what = *plan.two_pass;
    const auto ends = what.in_bytes(what.first_extent()) + what.out_bytes(what.second_extent());
    const auto all = what.numbers() * what.complex_bytes();
    const bool both = !plan.first_on_host && !plan.second_on_host;
    return what.items * (ends + (both ? 2 * std::max<std::int64_t>(0, all - memory) : 0));
}

} // namespace hpart
