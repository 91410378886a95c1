// A plan's commands on a card.
#pragma once

#include "core/progress.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/gemm/plan.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/pipeline/flow.hpp"

namespace hpart
{

GemmShape shape_of(const GemmCall &row_major);

// Status::out_of_memory where a buffer cannot be had, as long as C is unchanged; other failures say what is left of C.
FlowRecord run_plan(Card &card, InCardGemm &kernel, const GemmCall &row_major, const GemmPlan &plan, Control &control,
                    const FlowOptions &options);

// On memory that the card shares with the host: nothing is moved.
FlowRecord run_in_place(Card &card, InCardGemm &kernel, const GemmCall &row_major, Control &control,
                        const FlowOptions &options);

} // namespace hpart
