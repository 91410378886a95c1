#include "out_of_card/fft/plan.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{

// Ways within this of the fastest are as fast: the model is no better, and a busier link may be slower than it says.
constexpr double as_fast = 1.1;
// The device's memory in slots: more of them cost launches, fewer leave less for what stays.
constexpr std::int64_t pools[] = {2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 56, 64, 80, 96, 128};
// Blocks that the rest is cut into: more cost copies, fewer leave the device in lumps.
constexpr std::int64_t resident_counts[] = {0, 1, 2, 4, 8, 12, 16, 24};
// Slabs of a matrix that stands in one buffer: transfers run beside transforms of others.
constexpr std::int64_t slab_counts[] = {1, 2, 4, 8, 16, 32, 64};
// Parts of a slab: at most so many, and each takes as long as so many commands at least.
constexpr std::int64_t most_parts = 4;
constexpr double commands_of_part = 20;
// Columns of a slab are a multiple of a cache line's numbers.
constexpr std::int64_t columns_together = 4;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// A line that no cache holds costs so much more a point.
constexpr double longest_cached_line = 1 << 16;
constexpr double long_line_factor = 3;

double pass_seconds(const PassCost &cost, const FftRates &rates)
{
    const auto link = cost.is_staged ? rates.link.staged_at(rates.staging) : rates.link;
    const double commands = cost.slabs * cost.pieces * rates.command_seconds;
    const double bytes = cost.in_bytes / link.in_bytes_per_second + cost.out_bytes / link.out_bytes_per_second;
    const double rows = (cost.in_rows + cost.out_rows) * link.row_seconds;
    const double in = cost.in_bytes / link.in_bytes_per_second + cost.in_rows * link.row_seconds + commands;
    const double out = cost.out_bytes / link.out_bytes_per_second + cost.out_rows * link.row_seconds + commands;
    const double kernel = cost.kernel_seconds.value_or(cost.flops / rates.flops + cost.copied_bytes / rates.copy +
                                                       cost.commands * rates.command_seconds);
    // Nothing overlaps the arrival of the first slab and the departure of the last one.
    const double alone = in * cost.first_in + out * cost.last_out;
    const double in_beside = in * (1 - cost.first_in), out_beside = out * (1 - cost.last_out);
    const double busiest =
        link.overlapped_seconds(kernel, in_beside, out_beside, bytes > 0 ? bytes / (bytes + rows) : 1);
    if (cost.in_turns) return alone + std::max(busiest, in_beside + out_beside);
    // A slab's place is taken until its last piece has left, but the next one's first piece follows the first.
    const double piece = cost.pieces == 1 ? std::min(in, out) : std::min(in, out) / cost.pieces;
    const double turn = cost.through_slots * (kernel + std::max(in, out) + piece) / cost.places;
    return std::max(alone + busiest, turn);
}

} // namespace

double seconds_of(const FftPlan &plan, const FftRates &rates)
{
    return static_cast<double>(plan.what->items) * (pass_seconds(plan.first, rates) + pass_seconds(plan.second, rates));
}

namespace
{

double lines_flops(std::int64_t numbers, double length)
{
    return 5 * static_cast<double>(numbers) * std::log2(std::max(2.0, length));
}

double product_of(const std::vector<RowStep> &steps)
{
    double product = 1;
    for (const auto &step : steps) product *= static_cast<double>(step.length);
    return product;
}

class Planner
{
  public:
    Planner(const FftProblem &problem, DeviceSession &session, const InCardFft &engine, const FftRates &rates,
            const FftPlanning &planning)
        : problem_(problem), session_(session), engine_(engine), rates_(rates), planning_(planning)
    {
    }

    std::optional<FftPlan> best()
    {
        add_one_pass();
        for (const auto &what : problem_.cuts) {
            if (planning_.share.is_whole()) add_whole(what);
            for (const auto slots : what.twiddled ? std::vector<std::int64_t>{3, 4} : std::vector<std::int64_t>{2, 3})
                add_slabs(what, slots);
        }
        return choose();
    }

  private:
    bool wanted(std::string_view name) const { return planning_.only.empty() || planning_.only == name; }

    bool fits_buffer(std::int64_t bytes) const
    {
        return session_.taken_by(bytes) <= session_.info().largest_buffer_bytes;
    }

    // True if all shapes can be had; their scratch and tables go into the plan.
    bool take_shapes(const FftPasses &what, PassesPlan &plan) const
    {
        plan.scratch_bytes = plan.table_bytes = 0;
        for (const auto &shape : shapes_of(what, plan)) {
            if (!engine_.supports(shape)) return false;
            plan.scratch_bytes = std::max(plan.scratch_bytes, engine_.scratch_bytes(shape));
            plan.table_bytes += engine_.table_bytes(shape);
        }
        return true;
    }

    void add_one_pass()
    {
        const auto &what = problem_.uncut;
        const auto rows = planning_.share.of(what.rows).count;
        if (rows == 0 || !wanted("in-card")) return;
        for (const auto slabs : {1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096, 16384}) {
            if (slabs > rows) break;
            try_one_pass(what, rows, divided_up(rows, slabs));
        }
        try_one_pass(what, rows, 1);
    }

    void try_one_pass(const FftPasses &what, std::int64_t rows, std::int64_t band)
    {
        FftPlan plan;
        plan.name = "in-card";
        plan.how.band = band;
        plan.how.slots = std::min<std::int64_t>(divided_up(rows, band), 3);
        plan.how.slot_numbers = band * what.columns;
        try_passes(what, plan);
    }

    // The matrix in one buffer.
    void add_whole(const FftPasses &what)
    {
        if (!wanted("in-card") || !fits_buffer(what.numbers() * what.complex_bytes())) return;
        for (const auto first_slabs : slab_counts)
            for (const auto second_slabs : slab_counts) {
                const bool columns_cut = what.rows_first ? second_slabs > 1 : first_slabs > 1;
                if (columns_cut && !engine_.supports_pitch()) continue;
                FftPlan plan;
                plan.name = "in-card";
                auto &how = plan.how;
                how.whole = true;
                how.band = divided_up(what.first_extent(), first_slabs);
                how.block = slab(what, what.second_extent(), second_slabs);
                how.slots = what.twiddled ? 2 : 0;
                how.slot_numbers = what.twiddled ? how.band * what.columns : 0;
                try_passes(what, plan);
            }
    }

    // Length of a slab of so much of the second axis, in about so many slabs.
    static std::int64_t slab(const FftPasses &what, std::int64_t count, std::int64_t slabs)
    {
        const auto size = divided_up(count, slabs);
        return what.rows_first && size > columns_together ? divided_up(size, columns_together) * columns_together
                                                          : size;
    }

    // The matrix in slabs through some buffers, while others keep blocks of the second axis.
    void add_slabs(const FftPasses &what, std::int64_t slots)
    {
        if (!wanted("slabs")) return;
        for (const auto pool : pools) {
            if (pool < slots) continue;
            FftPlan plan;
            plan.name = "slabs";
            plan.how.slots = slots;
            if (!set_slots(what, plan.how, planning_.memory_limit / pool / what.complex_bytes())) continue;
            for (const auto blocks : resident_counts)
                if (auto resident = plan; set_resident(what, resident.how, blocks)) {
                    set_equal_blocks(what, resident.how);
                    try_passes(what, resident);
                }
        }
    }

    // Slabs of at most so many numbers; false when a row or column is longer.
    bool set_slots(const FftPasses &what, PassesPlan &how, std::int64_t numbers) const
    {
        const auto band = std::min(numbers / what.second_extent(), what.first_extent());
        const auto block = std::min(numbers / what.first_extent(), what.second_extent());
        if (band < 1 || block < 1) return false;
        how.band = divided_up(what.first_extent(), divided_up(what.first_extent(), band));
        how.block = whole_lines(what, block);
        how.slot_numbers = std::max(how.band * what.second_extent(), how.block * what.first_extent());
        if (what.twiddled) return true;
        // Slabs of rows may be thinner than a slot: less of them moves alone. Two slots hold four at least, so that an arrival waits
        // for no departure. A slab of columns takes the place of another one piece by piece.
        const auto parts = parts_of_slab(how);
        if (how.slots == 2) how.pieces = std::max<std::int64_t>(parts, 2);
        auto &rows = what.rows_first ? how.band : how.block;
        rows = divided_up(rows, how.slots == 2 ? how.pieces : parts);
        return true;
    }

    std::int64_t parts_of_slab(const PassesPlan &how) const
    {
        const auto bytes = static_cast<double>(how.slot_numbers * problem_.uncut.complex_bytes());
        const double seconds = bytes / std::min(rates_.link.in_bytes_per_second, rates_.link.out_bytes_per_second);
        const auto parts = static_cast<std::int64_t>(seconds / (commands_of_part * rates_.command_seconds));
        return std::clamp<std::int64_t>(parts, 1, most_parts);
    }

    static std::int64_t whole_lines(const FftPasses &what, std::int64_t columns)
    {
        return what.rows_first && columns > columns_together ? columns - columns % columns_together : columns;
    }

    // As many blocks, none much narrower than the others.
    void set_equal_blocks(const FftPasses &what, PassesPlan &how) const
    {
        set_share(what, how);
        const auto others = how.second.count - how.resident_count();
        if (others > 0) how.block = slab(what, others, divided_up(others, how.block));
    }

    void set_share(const FftPasses &what, PassesPlan &how) const
    {
        how.first = planning_.share.of(what.first_extent());
        if (!what.is_one_pass())
            how.second = planning_.share.of(what.second_extent(), what.rows_first ? columns_together : 1);
    }

    // So many blocks in what the limit leaves; false where that is no plan of its own.
    bool set_resident(const FftPasses &what, PassesPlan &how, std::int64_t blocks) const
    {
        if (blocks == 0) return true;
        set_share(what, how);
        if (!take_shapes(what, how)) return false;
        const auto rest = planning_.memory_limit - how.memory(what, session_);
        const auto granule = session_.info().granule_bytes;
        const auto line = what.first_extent() * what.complex_bytes();
        const auto most = std::min(rest / blocks / granule * granule, session_.info().largest_buffer_bytes) / line;
        how.resident_block = whole_lines(what, std::min(most, divided_up(how.second.count, blocks)));
        if (how.resident_block < 1) return false;
        // Blocks of whole lines are smaller than was meant: there may be room for more of them.
        how.resident = std::min(rest / session_.taken_by(how.resident_block * line),
                                divided_up(how.second.count, how.resident_block));
        return true;
    }

    void try_passes(const FftPasses &what, FftPlan &plan)
    {
        plan.what = &what;
        auto &how = plan.how;
        set_share(what, how);
        if (how.first.count == 0 && how.second.count == 0) return;
        if (!fits_buffer(how.slot_numbers * what.complex_bytes()) || !take_shapes(what, how) ||
            how.memory(what, session_) > planning_.memory_limit)
            return;
        plan.bytes_in = how.bytes_in(what);
        plan.bytes_out = how.bytes_out(what);
        plan.first = first_cost(what, plan);
        plan.second = second_cost(what, plan);
        plan.seconds = seconds_of(plan, rates_);
        plans_.push_back(plan);
    }

    bool has_short_rows(const FftPasses &what, const FftPlan &plan) const
    {
        return rates_.staging > 0 &&
               plan.how.shortest_row_bytes(what) < rates_.link.shortest_direct_row(rates_.staging);
    }

    PassCost first_cost(const FftPasses &what, const FftPlan &plan) const
    {
        const auto &how = plan.how;
        const bool along_rows = what.rows_first && !what.twiddled;
        const auto length =
            along_rows ? product_of(what.row_steps) : static_cast<double>(what.twiddled ? what.columns : what.rows);
        PassCost cost;
        if (how.first.count == 0) return cost;
        cost.slabs = static_cast<double>(divided_up(how.first.count, how.band));
        cost.first_in = cost.last_out = 1 / cost.slabs;
        if (how.slots > 0) cost.places = static_cast<double>(how.places(how.band * what.second_extent()));
        if (!what.is_one_pass() && !what.rows_first) cost.pieces = static_cast<double>(how.pieces);
        cost.in_bytes = static_cast<double>(what.in_bytes(how.first.count));
        const auto kept = how.resident_count();
        const auto out = how.first.count * (what.second_extent() - kept) * what.complex_bytes();
        cost.out_bytes = static_cast<double>(out);
        cost.in_rows = static_cast<double>(what.in.is_real ? how.first.count * what.in.lines : 0);
        if (!along_rows) cost.in_rows = cost.slabs * static_cast<double>(what.twiddled ? what.columns : what.rows);
        cost.out_rows = static_cast<double>(kept == 0 && what.rows_first ? 0 : how.first.count);
        if (!what.rows_first) cost.out_rows = cost.slabs * static_cast<double>(what.second_extent() - kept);
        cost.flops = lines_flops(how.first.count * what.second_extent(), length);
        if (!how.whole) cost.copied_bytes = static_cast<double>(how.first.count * kept * what.complex_bytes());
        cost.in_turns = what.twiddled && how.slots < 4; // a slab is in how slots
        cost.is_staged = planning_.is_staged || (!along_rows && has_short_rows(what, plan));
        if (what.twiddled)
            cost.copied_bytes += static_cast<double>(how.first.count * what.second_extent() * what.complex_bytes());
        cost.commands = cost.slabs * static_cast<double>(2 + (how.whole ? 0 : how.resident));
        if (what.is_one_pass()) {
            cost.out_bytes = static_cast<double>(what.out.bytes_of_rows(how.first.count));
            cost.out_rows = static_cast<double>(what.out.is_real ? how.first.count * what.out.lines : 0);
            cost.commands = cost.slabs * static_cast<double>(what.row_steps.size());
            for (const auto &step : what.row_steps)
                if (static_cast<double>(step.length) > longest_cached_line) cost.flops *= long_line_factor;
        }
        return cost;
    }

    PassCost second_cost(const FftPasses &what, const FftPlan &plan) const
    {
        const auto &how = plan.how;
        const auto length = what.rows_first ? static_cast<double>(what.rows) : product_of(what.row_steps);
        PassCost cost;
        if (how.second.count == 0) return cost;
        const auto kept = how.whole ? 0 : how.resident_count();
        cost.slabs =
            static_cast<double>(divided_up(how.second.count - kept, how.block) + (how.whole ? 0 : how.resident));
        const auto largest = std::max(kept < how.second.count ? how.block : 0, kept > 0 ? how.resident_block : 0);
        cost.last_out = std::min(1.0, static_cast<double>(largest) / static_cast<double>(how.second.count));
        // Blocks that stay come first: others arrive beside them.
        const bool first_is_here = kept > 0 && how.first.count == what.first_extent();
        cost.first_in = first_is_here ? 0 : cost.last_out;
        cost.through_slots = 1 - static_cast<double>(kept) / static_cast<double>(how.second.count);
        if (!how.whole) cost.places = static_cast<double>(how.places(how.block * what.first_extent()));
        if (what.rows_first) cost.pieces = static_cast<double>(how.pieces);
        const auto in = (how.second.count - how.resident_count()) * what.first_extent() * what.complex_bytes();
        cost.in_bytes = static_cast<double>(in);
        cost.out_bytes = static_cast<double>(what.out_bytes(how.second.count));
        const auto rows = what.rows_first ? cost.slabs * static_cast<double>(what.rows) : 0.0;
        cost.in_rows = in > 0 ? rows : 0;
        cost.out_rows = what.out.is_real ? static_cast<double>(what.rows * what.out.lines) : rows;
        cost.flops = lines_flops(how.second.count * what.first_extent(), length);
        cost.is_staged = planning_.is_staged || (what.rows_first && has_short_rows(what, plan));
        cost.commands =
            cost.slabs * static_cast<double>(what.rows_first ? what.column_dims.size() : what.row_steps.size());
        return cost;
    }

    // A plan as fast as the fastest. A hundredth of the bytes is worth two hundredths of the time.
    std::optional<FftPlan> choose() const
    {
        if (plans_.empty()) return std::nullopt;
        const auto seconds = [](const FftPlan &plan) { return plan.seconds; };
        const auto fastest = std::ranges::min(plans_, {}, seconds).seconds;
        const auto cost = [&](const FftPlan &plan) {
            const auto bytes = static_cast<double>(plan.bytes_in + plan.bytes_out);
            return plan.seconds > as_fast * fastest ? std::numeric_limits<double>::infinity()
                                                    : plan.seconds * bytes * bytes;
        };
        return std::ranges::min(plans_, {}, cost);
    }

    const FftProblem &problem_;
    DeviceSession &session_;
    const InCardFft &engine_;
    const FftRates &rates_;
    const FftPlanning &planning_;
    std::vector<FftPlan> plans_;
};

} // namespace

FftRange FftShare::of(std::int64_t count, std::int64_t together) const
{
    const auto bound = [&](double share) {
        const auto units = std::llround(share * static_cast<double>(count) / static_cast<double>(together));
        return share == 1 ? count : std::min<std::int64_t>(units * together, count);
    };
    return {bound(from), bound(to) - bound(from)};
}

std::string FftPlan::describe() const
{
    if (what->is_one_pass()) return text(name, ", ", divided_up(how.first.count, how.band), " slabs");
    auto matrix = text(name, ", ", what->rows, " x ", what->columns);
    if (how.whole) return matrix;
    return text(matrix, ", ", how.slots, " slots of ", how.slot_numbers * what->complex_bytes(), " bytes, ",
                how.resident, " blocks of ", how.resident_block, " stay");
}

std::int64_t lower_bound_bytes(const FftPlan &plan, std::int64_t memory)
{
    if (plan.what->is_one_pass()) return plan.bytes_in + plan.bytes_out;
    const auto &what = *plan.what;
    const auto first = plan.how.first.count, second = plan.how.second.count;
    const auto between = first * what.second_extent() + second * what.first_extent();
    const auto kept = std::min(memory / what.complex_bytes(), first * second);
    return what.items * (what.in_bytes(first) + what.out_bytes(second) + (between - 2 * kept) * what.complex_bytes());
}

std::optional<FftPlan> plan_fft(const FftProblem &problem, DeviceSession &session, const InCardFft &engine,
                                const FftRates &rates, const FftPlanning &planning)
{
    return session.set_up([&] { return Planner(problem, session, engine, rates, planning).best(); });
}

} // namespace hpart
