// A plan's commands on a device.
#pragma once

#include "core/progress.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/gemm/plan.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/pipeline/flow.hpp"

namespace hpart
{

GemmShape shape_of(const GemmCall &row_major);

// The record tells what was done also where the call fails: as long as no read began, C is as it was.
void run_plan(DeviceSession &session, InCardGemm &kernel, const GemmCall &row_major, const GemmPlan &plan,
              Control &control, const FlowOptions &options, FlowRecord &record);

// On memory that the device shares with the host: nothing is moved.
void run_in_place(DeviceSession &session, InCardGemm &kernel, const GemmCall &row_major, Control &control,
                  const FlowOptions &options, FlowRecord &record);

} // namespace hpart
