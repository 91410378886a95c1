#include "out_of_card/gemm/gemm.hpp"
#include "core/error.hpp"
#include "out_of_card/gemm/arguments.hpp"
#include "out_of_card/gemm/host_gemm.hpp"
#include "out_of_card/gemm/one_card.hpp"
#include "out_of_card/gemm/several_cards.hpp"

namespace hpart
{

void gemm(Cards &cards, const GemmCall &call, const Options &options, Report &report)
{
    check_arguments(call);
    report.set("method", std::string("host"));
    if (done_without_operands(call)) return;
    const auto row_major = as_row_major(call);
    auto control = Control::from(options);
    if (cards.cards.empty()) return gemm_on_host(row_major, 0, control);
    const auto settings = GemmSettings::from(options);
    if (cards.cards.size() > 1) return gemm_on_cards(cards, row_major, settings, control, report);
    auto &card = *cards.cards.front();
    const std::lock_guard lock(card.in_use());
    GemmOutcome outcome;
    try {
        gemm_on_card(card, row_major, settings, control, outcome);
    } catch (const Error &error) {
        fail(error.status(), error.what(), outcome.record.read_began ? "; C is undefined" : "; C is as it was");
    }
    outcome.report(report);
}

} // namespace hpart
