#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/gemm/arguments.hpp"
#include "out_of_card/gemm/host_gemm.hpp"
#include "out_of_card/gemm/one_card.hpp"

namespace hpart
{

void gemm(Cards &cards, const GemmCall &call, const Options &options, Report &report)
{
    check_arguments(call);
    report.set("method", std::string("host"));
    if (done_without_operands(call)) return;
    if (cards.cards.empty()) return gemm_on_host(call);
    const auto settings = GemmSettings::from(options);
    auto control = Control::from(options);
    const auto row_major = as_row_major(call);
    auto &card = *cards.cards.front();
    const std::lock_guard lock(card.in_use());
    gemm_on_card(card, row_major, settings, control).report(row_major, report);
}

void gemv(Cards & /*cards*/, const GemvCall &call, const Options & /*options*/, Report &report)
{
    check_arguments(call);
    report.set("method", std::string("host"));
    if (!done_without_operands(call)) gemv_on_host(call);
}

} // namespace hpart
