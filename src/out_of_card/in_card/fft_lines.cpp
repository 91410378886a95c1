#include "out_of_card/in_card/fft_lines.hpp"

#include "host/page_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hpart
{

namespace
{

// Neighbouring lines that FFTW transforms together: columns of whole cache lines, few enough to stay in the cache.
constexpr std::int64_t lines_of_a_group = 16;
// Longer lines are not measured: it would take many seconds.
constexpr std::int64_t longest_measured = std::int64_t{1} << 14;
// About the time that FFTW takes to measure plans of a length, and the rate of its guessed plans.
constexpr double measuring_seconds_a_point = 1e-4;
constexpr double guessed_flops_a_second = 6e9;

double estimated_seconds(const DeviceFftShape &shape)
{
    const auto length = static_cast<double>(shape.length);
    const auto lines = static_cast<double>(shape.outer) * static_cast<double>(shape.inner);
    return 5 * lines * length * std::log2(std::max(2.0, length)) / guessed_flops_a_second;
}

} // namespace

struct FftLines::Plans {
    std::unique_ptr<const HostFft> whole, rest; // of a whole group, and of the last one of a row
    bool gathered = false;                      // columns through an array of their own
};

FftLines::FftLines(const DeviceFftShape &shape, std::int64_t parts)
    : shape_(shape), row_(shape.inner == 1 ? shape.outer : shape.inner), group_(std::min(lines_of_a_group, row_)),
      groups_per_row_((row_ + group_ - 1) / group_),
      groups_(shape.inner == 1 ? groups_per_row_ : groups_per_row_ * shape.outer),
      parts_(std::clamp<std::int64_t>(parts, 1, groups_)), guessed_(make_plans(false))
{
    const auto bytes = guessed_->gathered ? group_ * shape_.length * shape_.complex_bytes() : 0;
    require_usable_memory(parts_ * bytes, "copies of columns");
    gathered_.resize(static_cast<std::size_t>(parts_));
    for (auto &gathered : gathered_) gathered.resize(static_cast<std::size_t>(bytes));
}

FftLines::~FftLines() = default;

const FftLines::Plans &FftLines::plans_for_a_run()
{
    if (measured_) return *measured_;
    seconds_ += estimated_seconds(shape_);
    const bool is_worth_it =
        shape_.is_repeated || seconds_ >= measuring_seconds_a_point * static_cast<double>(shape_.length);
    if (shape_.length > longest_measured || !is_worth_it) return *guessed_;
    measured_ = make_plans(true);
    return *measured_;
}

std::unique_ptr<const FftLines::Plans> FftLines::make_plans(bool measured) const
{
    auto plans = std::make_unique<Plans>();
    // A guessed plan for columns is slow unless they lie together.
    plans->gathered = !measured && shape_.pitch > group_ && shape_.length > 1;
    HostFftShape shape;
    shape.is_double = shape_.is_double;
    shape.kind = shape_.kind;
    shape.sign = shape_.sign;
    shape.in_place = true;
    shape.aligned = plans->gathered;
    shape.measured = measured;
    shape.runs = parts_;
    const auto pitch = plans->gathered ? group_ : shape_.pitch;
    shape.dimensions = {{shape_.length, pitch, pitch}};
    const auto distance = shape_.inner > 1 || plans->gathered ? 1 : shape_.distance();
    const auto distance_if = [&](FftKind kind) { return shape_.kind == kind ? 2 * distance : distance; };
    shape.loops = {{group_, distance_if(FftKind::real_to_complex), distance_if(FftKind::complex_to_real)}};
    plans->whole = std::make_unique<HostFft>(shape);
    shape.loops[0].length = row_ % group_;
    if (row_ % group_ != 0) plans->rest = std::make_unique<HostFft>(shape);
    return plans;
}

void FftLines::run(const Plans &plans, std::int64_t part, void *data) const noexcept
{
    const auto first = groups_ * part / parts_, end = groups_ * (part + 1) / parts_;
    auto *const gathered = gathered_[static_cast<std::size_t>(part)].data();
    for (auto group = first; group < end; ++group)
        run_group(plans, group, static_cast<unsigned char *>(data), gathered);
}

void FftLines::run_group(const Plans &plans, std::int64_t group, unsigned char *data, unsigned char *gathered) const
{
    const auto bytes = shape_.complex_bytes();
    const auto line = group % groups_per_row_ * group_; // of its row
    const auto lines = std::min(group_, row_ - line);
    const auto first =
        shape_.inner == 1 ? line * shape_.distance() : group / groups_per_row_ * shape_.distance() + line;
    auto *const place = data + first * bytes;
    const auto &plan = lines == group_ ? *plans.whole : *plans.rest;
    if (!plans.gathered) return plan.run(place, place);
    const auto wide = static_cast<std::size_t>(lines * bytes);
    const auto pitch = shape_.pitch * bytes, gathered_pitch = group_ * bytes;
    for (std::int64_t k = 0; k < shape_.length; ++k)
        std::memcpy(gathered + k * gathered_pitch, place + k * pitch, wide);
    plan.run(gathered, gathered);
    for (std::int64_t k = 0; k < shape_.length; ++k)
        std::memcpy(place + k * pitch, gathered + k * gathered_pitch, wide);
}

} // namespace hpart
