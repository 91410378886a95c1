// A whole call on the host.
#include "core/containers.hpp"
#include "host/page_memory.hpp"
#include "out_of_card/fft/host_pass.hpp"
#include "out_of_card/fft/problem.hpp"

#include <cstring>

namespace hpart
{

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

} // namespace hpart
