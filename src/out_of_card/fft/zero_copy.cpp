#include "out_of_card/fft/device_member.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

// An array has rows that are padded, complex ones: not both sides are of real numbers without padding. It is `out` then.
bool has_work(const FftPasses &what) { return !what.out.is_real || what.in.data == what.out.data; }

// Longer lines are better done in two passes.
constexpr std::int64_t longest_line = std::int64_t{1} << 16;

bool is_supported(const InCardFft &engine, const std::vector<DeviceFftShape> &shapes)
{
    return std::all_of(shapes.begin(), shapes.end(), [&](const DeviceFftShape &shape) {
        return engine.supports(shape) && shape.length <= longest_line;
    });
}

} // namespace

bool uses_host_memory(const DeviceSession &session, const Options &options)
{
    const auto wanted = options.get_text("zero_copy");
    if (wanted == "always" && !session.info().shares_host_memory)
        fail(Status::unsupported, "zero_copy is always, but ", session.info().spec, " has memory of its own");
    if (wanted == "always" && session.is_limited())
        fail_argument("zero_copy is always, but memory_limit is set for ", session.info().spec,
                      "; it must be auto or never");
    return session.info().shares_host_memory && wanted != "never" && !session.is_limited();
}

bool can_be_in_host_memory(const FftMember &member, const FftProblem &problem)
{
    const auto &what = problem.uncut;
    return has_work(what) && is_supported(*member.engine, row_shapes(what.type, what.row_steps, what.rows));
}

std::optional<FlowRecord> transform_in_host_memory(FftMember &member, const FftProblem &problem, Control &control,
                                                   const FftBeginning &begin)
{
    const auto &what = problem.uncut;
    auto &device = member.session->device();
    if (!can_be_in_host_memory(member, problem)) return std::nullopt;
    auto *const work = what.out.data;
    const auto shapes = row_shapes(what.type, what.row_steps, what.rows);
    member.plan = {};
    member.plan.what = &what;
    member.plan.how.first = {0, what.rows};
    member.plan.how.band = what.rows;
    member.plan.how.slots = 0;
    if (!prepare(member).empty()) return std::nullopt;
    const PassesMemory memory(*member.session, what, member.plan.how); // scratch alone
    begin();
    const auto row = what.row_bytes();
    const auto data = device.wrap_host(work, what.rows * row);
    std::unique_ptr<DeviceBuffer> in;
    if (what.in.data != work) in = device.wrap_host(what.in.data, what.rows * what.in.lines * what.in.pitch_bytes);
    Flow flow(*member.session, control, member.flow);
    if (in)
        flow.copy({in.get(), 0, what.in.pitch_bytes}, {data.get(), 0, row / what.in.lines},
                  {what.rows * what.in.lines, what.in.line_bytes});
    for (const auto &shape : shapes)
        flow.launch(member.engine->transform(shape, {data.get(), 0}, memory.scratch.get()));
    flow.finish();
    return flow.record();
}

} // namespace hpart
