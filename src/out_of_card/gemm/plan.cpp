#include "out_of_card/gemm/plan.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/in_card/spans.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{

std::int64_t whole(double number)
{
    constexpr double most = 0x1p62;
    return static_cast<std::int64_t>(std::min(number, most));
}

} // namespace

bool is_sensible(const TileSteps &steps) { return steps.number <= most_small_steps || steps.flops >= worth_a_step; }

TileSize parse_tile(std::string_view text)
{
    const auto sizes = parse_sizes(text);
    if (!sizes || sizes->size() != 3)
        fail_argument("tile is ", in_quotes(text), "; it must be MBxNBxKB, three positive sizes such as 1504x1008x96");
    return {(*sizes)[0], (*sizes)[1], (*sizes)[2]};
}

void refuse_small_tile(const TileSize &tile, const std::function<TileSteps(const TileSize &)> &steps_of)
{
    const auto steps = steps_of(tile);
    if (is_sensible(steps)) return;
    std::int64_t side = 1;
    while (!is_sensible(steps_of({side, side, side}))) side *= 2;
    fail_argument("tile is ", tile.mb, "x", tile.nb, "x", tile.kb, ", which makes ", whole(steps.number), " steps of ",
                  whole(steps.flops), " operations each, far less work than their commands; it must be larger, as ",
                  side, "x", side, "x", side);
}

namespace
{

double as_double(std::int64_t number) { return static_cast<double>(number); }

std::int64_t whole_bytes(double number)
{
    constexpr double most = 0x1p61; // some of them have a sum
    return static_cast<std::int64_t>(std::min(number, most));
}

// Bytes of a matrix that is stored with `rows` rows.
std::int64_t padded_bytes(std::int64_t rows, std::int64_t columns, Scalar type)
{
    return saturating_mul(saturating_mul(rows, padded_row(columns, type)), bytes_of(type));
}

// Depth of the panels that the next sweep finds: of the last `slots` panels of the sweep that ended.
std::int64_t depth_left(std::int64_t k, std::int64_t kb, std::int64_t slots, bool ended_at_end)
{
    if (!ended_at_end) return std::min(k, slots * kb);
    const auto last = k - (ceil_div(k, kb) - 1) * kb;
    return std::min(k, (slots - 1) * kb + last);
}

// The side along which the tiles follow one another is "inner": its panels are new with each tile.
struct TileSide {
    std::int64_t length, block, slots;
    std::int64_t count() const { return ceil_div(length, block); }
    std::int64_t size(std::int64_t i) const { return std::min(block, length - i * block); }
};

// Elements of depth x width that are found on the device rather than brought again.
struct Found {
    double outer = 0, inner = 0;
};

Found found_again(const TileSide &outer, const TileSide &inner, std::int64_t k, std::int64_t kb)
{
    const auto rows = outer.count(), turns = inner.count() - 1;
    Found found;
    // The first sweep of a row ends at k's end.
    const auto is_even = [&](std::int64_t row) { return row % 2 == 0 || turns % 2 != 0; };
    // In a row: from one tile to the next, each after a sweep the other way.
    const auto add_row = [&](std::int64_t row, std::int64_t times) {
        const auto from_even = is_even(row) ? (turns + 1) / 2 : turns / 2;
        found.outer += as_double(times) * as_double(outer.size(row)) *
                       (as_double(from_even) * as_double(depth_left(k, kb, outer.slots, true)) +
                        as_double(turns - from_even) * as_double(depth_left(k, kb, outer.slots, false)));
    };
    // All rows but the last are as one of the first two.
    for (const std::int64_t row : {0, 1}) {
        const auto times = (rows - row) / 2;
        add_row(row, times);
        found.inner += as_double(times) * as_double(inner.size(row == 0 ? turns : 0)) *
                       as_double(depth_left(k, kb, inner.slots, !is_even(row + 1)));
    }
    add_row(rows - 1, 1);
    return found;
}

// Without the serpentine only a whole sweep that is on the device is found again.
Found found_without_turning(const TileSide &outer, const TileSide &inner, std::int64_t k, std::int64_t panels)
{
    Found found;
    if (outer.slots >= panels) found.outer = as_double(outer.length) * as_double(k) * as_double(inner.count() - 1);
    if (inner.slots >= panels && inner.count() == 1)
        found.inner = as_double(inner.length) * as_double(k) * as_double(outer.count() - 1);
    return found;
}

} // namespace

GemmPlan split_where_needed(GemmPlan plan, const GemmShape &shape, const DeviceSpace &space)
{
    const auto row_bytes = shape.element_bytes() * padded_row(plan.nb, shape.type);
    plan.c_in_strips = plan.mb * row_bytes > space.largest_buffer_bytes;
    if (!plan.c_in_strips) return plan;
    constexpr std::int64_t usual_multiple = 8; // of the rows that kernels take at once
    const auto most = std::max<std::int64_t>(1, space.largest_buffer_bytes / row_bytes);
    plan.strip_rows = std::min(plan.strip_rows, most < usual_multiple ? most : most / usual_multiple * usual_multiple);
    return plan;
}

GemmBuffers buffers_of(const GemmShape &shape, const GemmPlan &plan, const DeviceSpace &space)
{
    GemmBuffers buffers;
    const auto bytes = [&](bool transposed, std::int64_t rows, std::int64_t columns) {
        return transposed ? padded_bytes(columns, rows, shape.type) : padded_bytes(rows, columns, shape.type);
    };
    buffers.a_bytes = bytes(shape.a_transposed, plan.mb, plan.kb);
    buffers.b_bytes = bytes(shape.b_transposed, plan.kb, plan.nb);
    buffers.c_bytes = padded_bytes(plan.c_in_strips ? plan.strip_rows : plan.mb, plan.nb, shape.type);
    buffers.c_buffers = plan.c_buffers * (plan.c_in_strips ? plan.strips() : 1);
    buffers.possible = std::max({buffers.a_bytes, buffers.b_bytes, buffers.c_bytes}) <= space.largest_buffer_bytes &&
                       padded_row(std::max({plan.mb, plan.nb, plan.kb}), shape.type) <= space.largest_side;
    buffers.total_bytes = std::numeric_limits<std::int64_t>::max();
    if (!buffers.possible) return buffers;
    const auto granule = space.granule_bytes;
    buffers.total_bytes = plan.a_slots * round_up(buffers.a_bytes, granule) +
                          plan.b_slots * round_up(buffers.b_bytes, granule) +
                          buffers.c_buffers * round_up(buffers.c_bytes, granule);
    return buffers;
}

PanelTraffic estimated_panels(const GemmShape &shape, const GemmPlan &plan)
{
    const TileSide a{shape.m, plan.mb, plan.a_slots}, b{shape.n, plan.nb, plan.b_slots};
    const auto &outer = plan.by_rows ? a : b, &inner = plan.by_rows ? b : a;
    const auto found = plan.serpentine ? found_again(outer, inner, shape.k, plan.kb)
                                       : found_without_turning(outer, inner, shape.k, plan.panels(shape));
    return {as_double(shape.k) * as_double(shape.m) * as_double(b.count()) - (plan.by_rows ? found.outer : found.inner),
            as_double(shape.k) * as_double(shape.n) * as_double(a.count()) -
                (plan.by_rows ? found.inner : found.outer)};
}

GemmTraffic estimated_traffic(const GemmShape &shape, const GemmPlan &plan)
{
    const auto panels = estimated_panels(shape, plan);
    const auto c = as_double(shape.m) * as_double(shape.n), s = as_double(shape.element_bytes());
    return {whole_bytes(s * (panels.a + panels.b + (shape.reads_c ? c : 0))), whole_bytes(s * c)};
}

GemmTraffic least_traffic(const GemmShape &shape, std::int64_t device_bytes)
{
    const auto s = shape.element_bytes();
    const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k),
               held = static_cast<double>(device_bytes) / static_cast<double>(s);
    const auto c = m * n;
    const auto streamed = 2 * m * n * k / std::sqrt(std::max(held, 1.0)) - 2 * held - (shape.reads_c ? 0 : c);
    const auto once = m * k + k * n + (shape.reads_c ? c : 0);
    return {whole_bytes(as_double(s) * std::floor(std::max(streamed, once))), whole_bytes(as_double(s) * c)};
}

namespace
{

constexpr std::int64_t most_steps = 3000;

enum QueueIndex : std::uint8_t { in, kernel, out };
constexpr int queues = 3;

struct Command {
    QueueIndex queue;
    double seconds;
    std::array<std::int32_t, 4> after; // -1: none
};

// The walk as commands with their times, and with what each waits for in other queues.
class CommandList
{
  public:
    CommandList(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model)
        : shape_(shape), model_(model), strips_(plan.strips()), a_(plan.a_slots), b_(plan.b_slots),
          c_(plan.c_buffers * strips_)
    {
    }

    void write_a(const Panel &panel)
    {
        auto &slot = a_.at(panel.slot);
        slot.written = shape_.a_transposed ? copy(in, panel.depth, panel.across, slot.used)
                                           : copy(in, panel.across, panel.depth, slot.used);
    }
    void write_b(const Panel &panel)
    {
        auto &slot = b_.at(panel.slot);
        slot.written = shape_.b_transposed ? copy(in, panel.across, panel.depth, slot.used)
                                           : copy(in, panel.depth, panel.across, slot.used);
    }
    void write_c(const Strip &strip)
    {
        auto &memory = c_.at(strip.buffer * strips_ + strip.index);
        memory.written = copy(in, strip.rows, strip.columns, memory.written);
    }
    void read_c(const Strip &strip)
    {
        c_.at(strip.buffer * strips_ + strip.index).written = copy(out, strip.rows, strip.columns, last_product_);
    }
    void product(const Strip &strip, const Panel &a, const Panel &b, bool)
    {
        auto &of_a = a_.at(a.slot), &of_b = b_.at(b.slot);
        last_product_ =
            add({kernel,
                 seconds_of(strip.rows.count, strip.columns.count, a.depth.count),
                 {given_after_, of_a.written, of_b.written, c_.at(strip.buffer * strips_ + strip.index).written}});
        of_a.used = of_b.used = last_product_;
    }
    bool end_step(std::int64_t step)
    {
        steps_ = step + 1;
        products_.push_back(last_product_);
        const auto waited_for = step - model_.lookahead;
        if (waited_for >= 0) given_after_ = products_[static_cast<std::size_t>(waited_for)];
        return steps_ < most_steps;
    }

    const std::vector<Command> &commands() const { return commands_; }
    std::int64_t steps() const { return steps_; }

  private:
    static constexpr std::int32_t none = -1;
    // The last commands in its queue that write a slot, or a strip's memory, or read it from there; and that use it.
    struct Memory {
        std::int32_t written = none, used = none;
    };
    class Ring
    {
      public:
        explicit Ring(std::int64_t count) : memories_(static_cast<std::size_t>(count)) {}
        Memory &at(std::int64_t k) { return memories_[static_cast<std::size_t>(k)]; }

      private:
        std::vector<Memory> memories_;
    };

    std::int32_t add(const Command &command)
    {
        commands_.push_back(command);
        return static_cast<std::int32_t>(commands_.size()) - 1;
    }
    std::int32_t copy(QueueIndex queue, const Extent &rows, const Extent &columns, std::int32_t after)
    {
        const auto &link = model_.link;
        const auto bytes = static_cast<double>(rows.count * columns.count * shape_.element_bytes());
        const auto rate = queue == in ? link.in_bytes_per_second : link.out_bytes_per_second;
        return add({queue,
                    link.copy_seconds + static_cast<double>(rows.count) * link.row_seconds + bytes / rate,
                    {given_after_, after, none, none}});
    }
    // A walk has few different products.
    double seconds_of(std::int64_t rows, std::int64_t columns, std::int64_t depth)
    {
        for (const auto &known : known_)
            if (known.rows == rows && known.columns == columns && known.depth == depth) return known.seconds;
        known_.push_back({rows, columns, depth, model_.kernel_seconds(rows, columns, depth)});
        return known_.back().seconds;
    }

    struct Known {
        std::int64_t rows, columns, depth;
        double seconds;
    };
    const GemmShape &shape_;
    const DeviceModel &model_;
    std::vector<Command> commands_;
    std::vector<std::int32_t> products_; // the last of each step
    std::vector<Known> known_;
    std::int64_t strips_;
    Ring a_, b_, c_;
    std::int32_t last_product_ = none;
    std::int32_t given_after_ = none; // the host gives commands once this one is done
    std::int64_t steps_ = 0;
};

// Queues run their commands in order, and start what waited for another queue a little later; what runs at once shares the
// link, and the units where copies take them.
class Queues
{
  public:
    Queues(const std::vector<Command> &commands, const DeviceModel &model)
        : commands_(commands), model_(model), ended_(commands.size(), never)
    {
        for (std::size_t i = 0; i < commands.size(); ++i)
            of_queue_[commands[i].queue].push_back(static_cast<std::int32_t>(i));
    }

    double run()
    {
        while (start_ready(), is_any_running()) {
            const auto rates = current_rates();
            double step = std::numeric_limits<double>::infinity();
            for (int q = 0; q < queues; ++q)
                if (running_[q]) step = std::min(step, waits(q) ? delay_[q] : left_[q] / rates[q]);
            now_ += step;
            for (int q = 0; q < queues; ++q)
                if (running_[q]) advance(q, step, rates[q]);
        }
        return now_;
    }

  private:
    bool waits(int q) const { return delay_[q] > shortest / 2; }
    bool works(int q) const { return running_[q] && !waits(q); }
    bool is_any_running() const { return running_[in] || running_[kernel] || running_[out]; }

    const Command *head(int q) const
    {
        if (running_[q] || next_[q] == of_queue_[q].size()) return nullptr;
        const auto &command = commands_[static_cast<std::size_t>(of_queue_[q][next_[q]])];
        for (const auto earlier : command.after)
            if (earlier >= 0 && ended_[static_cast<std::size_t>(earlier)] == never) return nullptr;
        return &command;
    }

    // From now until what other queues have done is seen.
    double delay_of(const Command &command) const
    {
        double delay = 0;
        for (const auto earlier : command.after)
            if (earlier >= 0 && commands_[static_cast<std::size_t>(earlier)].queue != command.queue)
                delay = std::max(delay, ended_[static_cast<std::size_t>(earlier)] + model_.queue_latency - now_);
        return delay;
    }

    void start_ready()
    {
        for (const int q : {in, out, kernel})
            if (const auto *const command = head(q)) {
                running_[q] = true;
                left_[q] = std::max(command->seconds, shortest);
                delay_[q] = delay_of(*command);
            }
    }

    std::array<double, queues> current_rates() const
    {
        const auto units = model_.link.shared_units, copies = (works(in) ? 1.0 : 0.0) + (works(out) ? 1.0 : 0.0);
        auto copy = copies == 2 ? 1 / model_.link.slowing() : 1.0;
        if (units == 0) return {copy, 1, copy};
        const auto sharers = copies + (works(kernel) ? 1.0 : 0.0);
        copy = std::min(copy, units / sharers);
        return {copy, (units - copies * copy) / units, copy};
    }

    void advance(int q, double seconds, double rate)
    {
        if (waits(q)) {
            delay_[q] -= seconds;
            return;
        }
        left_[q] -= seconds * rate;
        if (left_[q] > shortest / 2) return;
        ended_[static_cast<std::size_t>(of_queue_[q][next_[q]])] = now_;
        running_[q] = false;
        ++next_[q];
    }

    static constexpr double shortest = 1e-12; // below any command's time
    static constexpr double never = std::numeric_limits<double>::infinity();

    const std::vector<Command> &commands_;
    const DeviceModel &model_;
    std::vector<double> ended_; // when
    double now_ = 0;
    std::array<std::vector<std::int32_t>, queues> of_queue_;
    std::array<std::size_t, queues> next_{};
    std::array<bool, queues> running_{};
    std::array<double, queues> delay_{}, left_{}; // until it starts, and then
};

} // namespace

PredictedTime simulate(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model)
{
    CommandList list(shape, plan, model);
    GemmWalk(shape, plan, list).run();
    PredictedTime time;
    for (const auto &command : list.commands())
        (command.queue == in    ? time.in_seconds
         : command.queue == out ? time.out_seconds
                                : time.kernel_seconds) += command.seconds;
    time.seconds = Queues(list.commands(), model).run();
    const auto steps = plan.tile_rows(shape) * plan.tile_columns(shape) * plan.panels(shape);
    const auto whole = static_cast<double>(steps) / static_cast<double>(list.steps());
    time.is_of_part = list.steps() < steps;
    time.seconds *= whole;
    time.kernel_seconds *= whole;
    time.in_seconds *= whole;
    time.out_seconds *= whole;
    return time;
}

const char *longest_part(const PredictedTime &time)
{
    if (time.kernel_seconds >= std::max(time.in_seconds, time.out_seconds)) return "kernel";
    return time.in_seconds >= time.out_seconds ? "transfers in" : "transfers out";
}

double kernel_seconds(const GemmShape &shape, const DeviceModel &model)
{
    constexpr std::int64_t usual_depth = 256;
    const auto depth = std::min(shape.k, usual_depth);
    return model.kernel_seconds(shape.m, shape.n, depth) * static_cast<double>(shape.k) / static_cast<double>(depth);
}

double least_seconds(const GemmShape &shape, const DeviceModel &model)
{
    const auto traffic = least_traffic(shape, model.space.limit_bytes);
    return model.link.overlapped_seconds(kernel_seconds(shape, model),
                                         static_cast<double>(traffic.in_bytes) / model.link.in_bytes_per_second,
                                         static_cast<double>(traffic.out_bytes) / model.link.out_bytes_per_second);
}

} // namespace hpart
