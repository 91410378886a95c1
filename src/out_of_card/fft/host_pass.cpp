#include "out_of_card/fft/passes.hpp"

#include "core/containers.hpp"
#include "core/error.hpp"
#include "host/page_memory.hpp"
#include "out_of_card/fft/device_member.hpp"
#include "out_of_card/fft/problem.hpp"
#include "out_of_card/in_card/fft_twiddle.hpp"
#include "out_of_card/in_card/spans.hpp"

#include <algorithm>
#include <cstring>

namespace hpart
{

namespace
{

// Numbers of a twiddled slab: in the cache of a core.
constexpr std::int64_t slab_numbers = std::int64_t{1} << 15;

void transform(OwnThreads &team, const DeviceFftShape &shape, unsigned char *data)
{
    FftLines lines(shape, team.size());
    const auto &plans = lines.plans_for_a_run();
    team.for_each(lines.parts(), [&](std::int64_t part) { lines.run(plans, part, data); });
}

void transform_columns(OwnThreads &team, const FftPasses &what, std::int64_t columns, unsigned char *data)
{
    for (const auto &step : column_steps(what, columns, what.columns))
        for (std::int64_t k = 0; k < step.times; ++k)
            transform(team, step.shape, data + k * step.distance * what.complex_bytes());
}

// So many bytes of each of `count` rows.
void copy_rows(OwnThreads &team, const unsigned char *from, std::int64_t from_pitch, unsigned char *to,
               std::int64_t to_pitch, std::int64_t count, std::int64_t bytes)
{
    team.share(count, [&](std::int64_t first, std::int64_t some) {
        for (auto row = first; row < first + some; ++row)
            std::memcpy(to + row * to_pitch, from + row * from_pitch, static_cast<std::size_t>(bytes));
    });
}

unsigned char *item_of(const FftSide &side, std::int64_t item) { return side.data + item * side.item_bytes; }

// The columns `share` of a matrix to another of the same shape, or nothing where it is the same.
void copy_columns(OwnThreads &team, const FftPasses &what, const FftSide &from, const FftSide &to, std::int64_t item,
                  const FftRange &share)
{
    if (from.data == to.data) return;
    const auto offset = share.first * what.complex_bytes();
    copy_rows(team, item_of(from, item) + offset, from.pitch_bytes, item_of(to, item) + offset, to.pitch_bytes,
              what.rows, share.count * what.complex_bytes());
}

// Lines of real numbers stand padded in the middle, at the distance of its complex ones.
std::int64_t padded_pitch(const FftPasses &what, const FftSide &side)
{
    return what.columns / side.lines * what.complex_bytes();
}

// Slabs of columns of `in` through memory of each thread's own, so that `in` is read in pieces of a cache line at least.
void twiddled_pass(OwnThreads &team, const FftPasses &what, std::int64_t item, const FftRange &share)
{
    const auto bytes = what.complex_bytes();
    const auto roots = twiddle_roots(what.numbers(), what.type.sign, what.type.is_double);
    const auto wide = std::clamp<std::int64_t>(slab_numbers / what.columns, 4, std::max<std::int64_t>(4, share.count));
    const auto slabs = (share.count + wide - 1) / wide;
    const auto shape = twiddled_shape(what, wide);
    team.share(slabs, [&](std::int64_t first, std::int64_t some) {
        AlignedVector<unsigned char> slab(static_cast<std::size_t>(wide * what.columns * bytes));
        FftLines lines(shape, 1);
        for (auto k = first; k < first + some; ++k) {
            const FftRange range{share.first + k * wide, std::min(wide, share.count - k * wide)};
            const auto now = twiddled_shape(what, range.count);
            for (std::int64_t row = 0; row < what.columns; ++row)
                std::memcpy(slab.data() + row * range.count * bytes,
                            item_of(what.in, item) + row * what.in.pitch_bytes + range.first * bytes,
                            static_cast<std::size_t>(range.count * bytes));
            if (range.count == wide) {
                lines.run(lines.plans_for_a_run(), 0, slab.data());
            } else {
                FftLines last(now, 1);
                last.run(last.plans_for_a_run(), 0, slab.data());
            }
            twiddle_rows(twiddle_of(what, range), slab.data(),
                         item_of(what.middle, item) + range.first * what.middle.pitch_bytes, roots.data(), 0,
                         range.count);
        }
    });
}

} // namespace

void first_pass_on_host(OwnThreads &team, const FftPasses &what, std::int64_t item, const FftRange &share)
{
    if (share.count == 0) return;
    if (what.twiddled) return twiddled_pass(team, what, item, share);
    auto *const middle = item_of(what.middle, item);
    if (!what.rows_first) {
        copy_columns(team, what, what.in, what.middle, item, share);
        return transform_columns(team, what, share.count, middle + share.first * what.complex_bytes());
    }
    const auto &in = what.in;
    auto *const rows = middle + share.first * what.middle.pitch_bytes;
    const auto pitch = in.is_real ? padded_pitch(what, in) : what.middle.pitch_bytes;
    if (in.data != what.middle.data)
        copy_rows(team, item_of(in, item) + share.first * in.lines * in.pitch_bytes, in.pitch_bytes, rows, pitch,
                  share.count * in.lines, in.line_bytes);
    for (const auto &shape : row_shapes(what.type, what.row_steps, share.count)) transform(team, shape, rows);
}

void second_pass_on_host(OwnThreads &team, const FftPasses &what, std::int64_t item, const FftRange &share)
{
    if (share.count == 0) return;
    auto *const middle = item_of(what.middle, item);
    if (what.rows_first) {
        transform_columns(team, what, share.count, middle + share.first * what.complex_bytes());
        return copy_columns(team, what, what.middle, what.out, item, share);
    }
    const auto &out = what.out;
    auto *const rows = middle + share.first * what.middle.pitch_bytes;
    for (const auto &shape : row_shapes(what.type, what.row_steps, share.count)) transform(team, shape, rows);
    if (out.data != what.middle.data)
        copy_rows(team, rows, padded_pitch(what, out), item_of(out, item) + share.first * out.lines * out.pitch_bytes,
                  out.pitch_bytes, share.count * out.lines, out.line_bytes);
}

// A whole call on the host.

namespace
{

// Smaller transforms are done before threads are awake.
constexpr std::int64_t least_bytes_in_passes = std::int64_t{1} << 20;

// The whole call as FFTW sees it.
HostFftShape shape_of(const FftCall &call, const FftLayout &layout)
{
    HostFftShape shape;
    shape.is_double = call.is_double;
    shape.kind = call.kind;
    shape.sign = call.sign;
    shape.in_place = layout.in_place;
    const auto unit_bytes = [&](bool real) { return real ? layout.real_bytes : layout.complex_bytes; };
    auto in_stride = layout.in_pitch_bytes / unit_bytes(call.kind == FftKind::real_to_complex);
    auto out_stride = layout.out_pitch_bytes / unit_bytes(call.kind == FftKind::complex_to_real);
    shape.dimensions.resize(call.dims.size());
    shape.dimensions.back() = {layout.length, 1, 1};
    for (auto d = call.dims.size() - 1; d-- > 0;) {
        shape.dimensions[d] = {call.dims[d], in_stride, out_stride};
        in_stride *= call.dims[d];
        out_stride *= call.dims[d];
    }
    shape.loops = {{call.batch, in_stride, out_stride}};
    return shape;
}

void in_one_plan(const FftCall &call, const FftLayout &layout)
{
    auto shape = shape_of(call, layout);
    // FFTW overwrites the spectrum when it makes real numbers of more than one dimension.
    const bool needs_copy = call.kind == FftKind::complex_to_real && call.dims.size() > 1 && !layout.in_place;
    shape.destroys_in = needs_copy;
    const HostFft transform(shape);
    if (!needs_copy) return transform.run(call.in, call.out);
    require_usable_memory(layout.in_bytes(), "the copy of the spectrum");
    AlignedVector<unsigned char> copy(static_cast<std::size_t>(layout.in_bytes()));
    std::memcpy(copy.data(), call.in, copy.size());
    transform.run(copy.data(), call.out);
}

} // namespace

void fft_on_host(OwnThreads &team, const FftCall &call)
{
    const auto layout = layout_of(call);
    if (layout.in_bytes() >= least_bytes_in_passes) {
        auto problem = problem_of(call);
        if (!problem.cuts.empty()) {
            auto &passes = problem.cuts.front();
            const FftWorkspace workspace(passes);
            for (std::int64_t item = 0; item < passes.items; ++item) {
                first_pass_on_host(team, passes, item, {0, passes.first_extent()});
                second_pass_on_host(team, passes, item, {0, passes.second_extent()});
            }
            return;
        }
    }
    in_one_plan(call, layout);
}

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
        fail_argument("zero_copy is always, but a memory limit is set for ", session.info().spec,
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
