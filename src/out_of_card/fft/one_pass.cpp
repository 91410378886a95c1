#include "out_of_card/fft/one_pass.hpp"

namespace hpart
{

std::int64_t OnePassPlan::memory(const OnePass &what, const DeviceSession &session) const
{
    return slots * session.taken_by(band * what.row_bytes()) +
           (scratch_bytes > 0 ? session.taken_by(scratch_bytes) : 0) + table_bytes;
}

std::vector<DeviceFftShape> shapes_of(const OnePass &what, const OnePassPlan &plan)
{
    auto shapes = row_shapes(what.sort, what.steps, std::min(plan.band, plan.share.count));
    if (plan.share.count % plan.band != 0)
        for (const auto &shape : row_shapes(what.sort, what.steps, plan.share.count % plan.band))
            shapes.push_back(shape);
    return shapes;
}

OnePassMemory::OnePassMemory(DeviceSession &session, const OnePass &what, const OnePassPlan &plan)
{
    for (std::int64_t k = 0; k < plan.slots; ++k) slots.push_back(session.allocate(plan.band * what.row_bytes()));
    if (plan.scratch_bytes > 0) scratch = session.allocate(plan.scratch_bytes);
}

void give_one_pass(Flow &flow, InCardFft &engine, const OnePass &what, const OnePassPlan &plan,
                   const OnePassMemory &memory)
{
    const auto row = what.row_bytes();
    const auto &in = what.in, &out = what.out;
    for (std::int64_t first = plan.share.first, k = 0; first < plan.share.end(); first += plan.band, ++k) {
        const auto rows = std::min(plan.band, plan.share.end() - first);
        auto *const buffer = memory.slots[static_cast<std::size_t>(k) % memory.slots.size()].get();
        flow.write({buffer, 0, row / in.lines}, in.data + first * in.lines * in.pitch_bytes, in.pitch_bytes,
                   {rows * in.lines, in.line_bytes});
        for (const auto &shape : row_shapes(what.sort, what.steps, rows))
            flow.launch(engine.transform(shape, {buffer, 0}, memory.scratch.get()), {},
                        {area_of({buffer, 0, row}, {rows, row})});
        flow.read({buffer, 0, row / out.lines}, out.data + first * out.lines * out.pitch_bytes, out.pitch_bytes,
                  {rows * out.lines, out.line_bytes});
        flow.next_step(static_cast<double>(first - plan.share.first) / static_cast<double>(plan.share.count),
                       "transforms");
    }
}

} // namespace hpart
