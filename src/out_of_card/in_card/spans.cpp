#include "out_of_card/in_card/spans.hpp"

#include "core/numbers.hpp"
#include "host/page_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hpart
{

namespace
{

// So many of its rows are within the span; 1 at least, and full rates beyond 32.
std::int64_t rows_within(std::int64_t longest, std::int64_t rows, std::int64_t columns, std::int64_t ld)
{
    constexpr std::int64_t multiple = 32;
    if ((rows - 1) * ld + columns <= longest) return rows;
    const auto most = std::max<std::int64_t>(1, (longest - columns) / ld + 1);
    return most < multiple ? most : most / multiple * multiple;
}

} // namespace

std::vector<DeviceGemm> within_span(const DeviceGemm &what, std::int64_t longest)
{
    const bool a_plain = what.transpose_a == Transpose::none, b_plain = what.transpose_b == Transpose::none;
    const auto a_rows = rows_within(longest, a_plain ? what.m : what.k, a_plain ? what.k : what.m, what.a.ld);
    const auto b_rows = rows_within(longest, b_plain ? what.k : what.n, b_plain ? what.n : what.k, what.b.ld);
    auto m = rows_within(longest, what.m, what.n, what.c.ld), n = what.n, k = what.k;
    auto &along_a = a_plain ? m : k;
    along_a = std::min(along_a, a_rows);
    auto &along_b = b_plain ? k : n;
    along_b = std::min(along_b, b_rows);
    if (m == what.m && n == what.n && k == what.k) return {what};
    std::vector<DeviceGemm> parts;
    for (std::int64_t i = 0; i < what.m; i += m)
        for (std::int64_t j = 0; j < what.n; j += n)
            for (std::int64_t l = 0; l < what.k; l += k) {
                auto part = what;
                part.m = std::min(m, what.m - i), part.n = std::min(n, what.n - j), part.k = std::min(k, what.k - l);
                part.a.offset += a_plain ? i * what.a.ld + l : l * what.a.ld + i;
                part.b.offset += b_plain ? l * what.b.ld + j : j * what.b.ld + l;
                part.c.offset += i * what.c.ld + j;
                if (l > 0) part.beta = 1;
                part.part = GemmPart::whole;
                parts.push_back(part);
            }
    return parts;
}

namespace
{

constexpr std::int64_t blocks_a_unit = 4;

// The largest side of blocks that makes at least so many parts of a length; a tile's where none does.
std::int64_t side_for(std::int64_t length, std::int64_t parts, std::int64_t multiple, std::int64_t most)
{
    const auto side = parts <= 1 ? round_up(length, multiple) : round_down((length - 1) / (parts - 1), multiple);
    return std::clamp(side, multiple, std::max(multiple, round_down(most, multiple)));
}

} // namespace

double BlockGrid::cost(std::int64_t units) const
{
    constexpr double packing = 12; // of an element of A or B, once a block; measured
    const auto each =
        static_cast<double>(rows) * static_cast<double>(columns) + packing * static_cast<double>(rows + columns);
    return static_cast<double>(ceil_div(blocks(), units)) * each;
}

BlockGrid block_grid(const BlockLimits &limits, std::int64_t m, std::int64_t n, std::int64_t units)
{
    const auto evened = [](std::int64_t length, std::int64_t side, std::int64_t multiple) {
        return round_up(ceil_div(length, ceil_div(length, side)), multiple);
    };
    const auto grid_of = [&](std::int64_t rows, std::int64_t columns) {
        rows = evened(m, rows, limits.row_multiple);
        columns = evened(n, columns, limits.column_multiple);
        return BlockGrid{rows, columns, ceil_div(m, rows), ceil_div(n, columns)};
    };
    const auto rows_for = [&](std::int64_t parts) { return side_for(m, parts, limits.row_multiple, limits.most_rows); };
    const auto columns_for = [&](std::int64_t parts) {
        return side_for(n, parts, limits.column_multiple, limits.most_columns);
    };
    const auto wanted = units * blocks_a_unit;
    const auto is_better = [&](const BlockGrid &grid, const BlockGrid &than) {
        const bool enough = grid.blocks() >= wanted, was_enough = than.blocks() >= wanted;
        if (enough != was_enough) return enough;
        return enough ? grid.cost(units) < than.cost(units) : grid.blocks() > than.blocks();
    };
    auto best = grid_of(rows_for(1), columns_for(1));
    if (units == 1) return best;
    // A few columns fewer than would do may even out what units have to do.
    constexpr std::int64_t fewer = 8;
    for (auto rows = rows_for(1); rows > 0; rows -= limits.row_multiple) {
        auto columns = columns_for(ceil_div(wanted, ceil_div(m, rows)));
        for (std::int64_t i = 0; i <= fewer && columns > 0; ++i, columns -= limits.column_multiple)
            if (const auto grid = grid_of(rows, columns); is_better(grid, best)) best = grid;
    }
    return best;
}

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
