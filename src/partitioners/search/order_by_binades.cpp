// Problem: as least_order.cpp, for up to millions of parts of few sizes.
//
// While the sum s stays in one binade, 2^b <= s < 2^(b+1), its unit U = 2^(b-52) is the same, and adding a cost c adds c rounded to a
// multiple of U: the order within a binade does not matter (unless c lies halfway between two multiples, where the parity of s / U
// decides). So only where the sum enters a binade counts. A state is the number of parts of each size added so far; an entry is a
// state reached by the addition that crosses into a binade, with its least sum found. The least sum of a state within the binade is
//     min over entries e <= state of  s_e - (rounded costs of e's parts)  +  (rounded costs of the state's parts),
// and the states next to the binade's end give the entries of the next. Sums of entries that are not least are sums of some order all
// the same, and the least is among them: exact. Low binades, of a few parts, and those with a cost halfway are walked state by state.
// Entries lie along a line through the numbers of the two sizes with most copies; the few others multiply the lines. The minimum over
// the entries below a state is one over an interval of its line, from tables of block minima.
// Time: O(copies log copies), times the square of the other sizes' combinations. Source: design of hpart.
#include "partitioners/search/order_by_binades.hpp"

#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>

namespace hpart
{

namespace
{

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int mantissa_bits = 52;
constexpr std::int64_t binade_end = std::int64_t{1} << 53; // in units of the binade
constexpr double walked_parts = 8; // a binade as long as so many of the dearest part is jumped over
constexpr std::int64_t margin = 2; // parts by which rounding may move the binade's end

struct State {
    std::int64_t grid; // numbers of the other sizes, mixed radix
    std::int64_t first;
    std::int64_t second;
    bool operator==(const State &) const = default;
};

struct Entry {
    State state;
    double sum;
    std::int64_t parent; // entry from whose binade it came; -1: none
    std::size_t type;    // of the part that was added last
};

// Minimum of `offset` over the entries of a line with second <= and first <= given ones.
class Line
{
  public:
    struct Item {
        std::int64_t first;
        std::int64_t second;
        std::int64_t offset;
        std::int64_t entry;
    };

    void add(const Item &item) { items_.push_back(item); } // by increasing second
    bool empty() const { return items_.empty(); }

    void prepare()
    {
        const auto blocks = (items_.size() + block - 1) / block;
        least_.assign(1, std::vector<std::size_t>(blocks));
        largest_after_.assign(blocks + 1, -1);
        smallest_before_.assign(blocks + 1, std::numeric_limits<std::int64_t>::max());
        for (std::size_t k = 0; k < items_.size(); ++k) {
            auto &least = least_[0][k / block];
            if (k % block == 0 || items_[k].offset < items_[least].offset) least = k;
            auto &smallest = smallest_before_[k / block + 1];
            smallest = std::min({smallest, items_[k].first, smallest_before_[k / block]});
        }
        for (auto k = items_.size(); k-- > 0;)
            largest_after_[k / block] =
                std::max({largest_after_[k / block], items_[k].first, largest_after_[k / block + 1]});
        for (std::size_t length = 1; 2 * length <= blocks; length *= 2) {
            const auto &shorter = least_.back();
            std::vector<std::size_t> longer(blocks - 2 * length + 1);
            for (std::size_t b = 0; b < longer.size(); ++b) longer[b] = better(shorter[b], shorter[b + length]);
            least_.push_back(std::move(longer));
        }
    }

    const Item *least_below(std::int64_t first, std::int64_t second) const
    {
        const auto end =
            static_cast<std::size_t>(std::partition_point(items_.begin(), items_.end(),
                                                          [&](const Item &item) { return item.second <= second; }) -
                                     items_.begin());
        const Item *best = nullptr;
        const auto scan = [&](std::size_t from, std::size_t to) {
            for (auto k = from; k < to; ++k)
                if (items_[k].first <= first && (best == nullptr || items_[k].offset < best->offset)) best = &items_[k];
        };
        // Blocks from `whole` on have no entry above `first`; those before `some` have nothing else.
        const auto whole = static_cast<std::size_t>(std::partition_point(largest_after_.begin(), largest_after_.end(),
                                                                         [&](auto value) { return value > first; }) -
                                                    largest_after_.begin());
        const auto some =
            static_cast<std::size_t>(std::partition_point(smallest_before_.begin(), smallest_before_.end(),
                                                          [&](auto value) { return value > first; }) -
                                     smallest_before_.begin()) -
            1;
        const auto full_end = end / block;
        scan(std::min(some, whole) * block, std::min(whole * block, end));
        if (whole < full_end) {
            std::size_t level = 0;
            while (std::size_t{2} << level <= full_end - whole) ++level;
            const auto &table = least_[level];
            const auto &item = items_[better(table[whole], table[full_end - (std::size_t{1} << level)])];
            if (best == nullptr || item.offset < best->offset) best = &item;
        }
        scan(std::max(whole, full_end) * block, end);
        return best;
    }

  private:
    static constexpr std::size_t block = 16;

    std::size_t better(std::size_t a, std::size_t b) const { return items_[b].offset < items_[a].offset ? b : a; }

    std::vector<Item> items_;
    std::vector<std::vector<std::size_t>> least_; // of 1, 2, 4, ... blocks
    std::vector<std::int64_t> largest_after_;     // first, of the blocks from here on
    std::vector<std::int64_t> smallest_before_;   // first, of the blocks before
};

class BinadeOrders
{
  public:
    BinadeOrders(const std::vector<CostedParts> &parts, Control &control)
        : control_(control), pacer_(control, "ordering alike parts")
    {
        for (const auto &part : parts) (part.cost > 0 ? types_ : free_).push_back(part);
        std::stable_sort(types_.begin(), types_.end(),
                         [](const CostedParts &a, const CostedParts &b) { return a.copies > b.copies; });
        for (std::size_t t = 0; t < types_.size(); ++t) {
            dearest_ = std::max(dearest_, types_[t].cost);
            copies_ += static_cast<double>(types_[t].copies);
            whole_ += types_[t].cost * static_cast<double>(types_[t].copies);
            if (t < 2) continue;
            strides_.push_back(grids_);
            grids_ *= types_[t].copies + 1;
        }
        all_ = {grids_ - 1, types_.empty() ? 0 : types_[0].copies, types_.size() < 2 ? 0 : types_[1].copies};
    }

    Ordered run()
    {
        const State none{0, 0, 0};
        for (std::size_t t = 0; t < types_.size(); ++t) reach(with(none, t), types_[t].cost, -1, t);
        while (!pending_.empty()) {
            const auto exponent = pending_.begin()->first;
            auto entries = std::move(pending_.begin()->second);
            pending_.erase(pending_.begin());
            enter(exponent, std::move(entries));
        }
        return {sizes(), types_.empty() ? 0 : least_, static_cast<std::int64_t>(entries_.size())};
    }

  private:
    std::int64_t number(const State &state, std::size_t t) const
    {
        if (t == 0) return state.first;
        if (t == 1) return state.second;
        return state.grid / strides_[t - 2] % (types_[t].copies + 1);
    }

    State with(State state, std::size_t t) const
    {
        if (t == 0)
            ++state.first;
        else if (t == 1)
            ++state.second;
        else
            state.grid += strides_[t - 2];
        return state;
    }

    bool has_left(const State &state, std::size_t t) const { return number(state, t) < types_[t].copies; }

    void reach(const State &state, double sum, std::int64_t parent, std::size_t type)
    {
        pending_[std::ilogb(sum)].push_back({state, sum, parent, type});
        constexpr auto bytes_an_entry = static_cast<std::int64_t>(3 * sizeof(Entry));
        if (++reached_ > control_.memory_limit() / bytes_an_entry) fail_memory(control_.memory_limit());
    }

    void finish(double sum, std::int64_t entry)
    {
        if (sum >= least_) return;
        least_ = sum;
        last_ = entry;
    }

    // The least entry of each state, by grid, then by the second number.
    static void drop_repeated(std::vector<Entry> &entries)
    {
        const auto key = [](const Entry &entry) {
            return std::make_tuple(entry.state.grid, entry.state.second, entry.state.first);
        };
        std::stable_sort(entries.begin(), entries.end(), [&](const Entry &a, const Entry &b) {
            return key(a) != key(b) ? key(a) < key(b) : a.sum < b.sum;
        });
        const auto same = [](const Entry &a, const Entry &b) { return a.state == b.state; };
        entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
    }

    void enter(int exponent, std::vector<Entry> entries)
    {
        drop_repeated(entries);
        // Rounding moves no sum by more than half a part of the first size: the margin at the binade's end holds.
        const bool drifts_little = std::ldexp(copies_, exponent - mantissa_bits) <= types_.front().cost;
        if (std::ldexp(1, exponent) >= walked_parts * dearest_ && drifts_little && round_costs(exponent))
            jump(exponent, entries);
        else
            walk(exponent, entries);
    }

    // False when a cost lies halfway.
    bool round_costs(int exponent)
    {
        bool any_halfway = false;
        rounded_.clear();
        for (const auto &type : types_) {
            const auto cost = std::ldexp(type.cost, mantissa_bits - exponent);
            const auto below = std::floor(cost);
            any_halfway = any_halfway || cost - below == 0.5;
            rounded_.push_back(static_cast<std::int64_t>(below) + (cost - below > 0.5 ? 1 : 0));
        }
        return !any_halfway;
    }

    std::int64_t rounded_sum(const State &state) const
    {
        std::int64_t sum = 0;
        for (std::size_t t = 0; t < types_.size(); ++t) sum += rounded_[t] * number(state, t);
        return sum;
    }

    // State by state; each becomes an entry, so that the way is kept.
    void walk(int exponent, const std::vector<Entry> &entries)
    {
        const auto key = [](const State &state) {
            return std::make_tuple(state.grid, state.first + state.second, state.second);
        };
        std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Entry> open;
        for (const auto &entry : entries) open.emplace(key(entry.state), entry);
        while (!open.empty()) {
            const auto entry = open.begin()->second;
            open.erase(open.begin());
            const auto index = static_cast<std::int64_t>(entries_.size());
            entries_.push_back(entry);
            pacer_.spend(walk_cost);
            if (entry.state == all_) finish(entry.sum, index);
            for (std::size_t t = 0; t < types_.size(); ++t) {
                if (!has_left(entry.state, t)) continue;
                const auto next = with(entry.state, t);
                const auto sum = entry.sum + types_[t].cost;
                if (std::ilogb(sum) != exponent) {
                    reach(next, sum, index, t);
                    continue;
                }
                const Entry fresh{next, sum, index, t};
                const auto [old, is_new] = open.emplace(key(next), fresh);
                if (is_new && ++reached_ > control_.memory_limit() / static_cast<std::int64_t>(3 * sizeof(Entry)))
                    fail_memory(control_.memory_limit());
                if (!is_new && sum < old->second.sum) old->second = fresh;
            }
        }
    }

    void jump(int exponent, const std::vector<Entry> &entries)
    {
        lines_.assign(static_cast<std::size_t>(grids_), {});
        for (const auto &entry : entries) {
            const auto index = static_cast<std::int64_t>(entries_.size());
            entries_.push_back(entry);
            const auto sum = static_cast<std::int64_t>(std::ldexp(entry.sum, mantissa_bits - exponent));
            lines_[static_cast<std::size_t>(entry.state.grid)].add(
                {entry.state.first, entry.state.second, sum - rounded_sum(entry.state), index});
        }
        for (auto &line : lines_)
            if (!line.empty()) line.prepare();
        // Beyond twice the binade's end the whole sum is not in it, and might not fit the integers.
        const auto *item = whole_ < std::ldexp(1, exponent + 2) ? least_below(all_) : nullptr;
        if (item != nullptr) {
            const auto sum = item->offset + rounded_sum(all_);
            if (sum < binade_end) finish(std::ldexp(static_cast<double>(sum), exponent - mantissa_bits), item->entry);
        }
        for (std::int64_t grid = 0; grid < grids_; ++grid) leave_line(exponent, grid);
    }

    const Line::Item *least_below(const State &state) const
    {
        const Line::Item *best = nullptr;
        for (std::int64_t grid = 0; grid <= state.grid; ++grid) {
            const auto &line = lines_[static_cast<std::size_t>(grid)];
            if (line.empty() || !is_below(grid, state)) continue;
            const auto *item = line.least_below(state.first, state.second);
            if (item != nullptr && (best == nullptr || item->offset < best->offset)) best = item;
        }
        return best;
    }

    bool is_below(std::int64_t grid, const State &state) const
    {
        const State other{grid, 0, 0};
        for (std::size_t t = 2; t < types_.size(); ++t)
            if (number(other, t) > number(state, t)) return false;
        return true;
    }

    // From the states of one grid from which one more part crosses the binade's end.
    void leave_line(int exponent, std::int64_t grid)
    {
        const auto end = std::ldexp(1, exponent + 1);
        double others = 0;
        for (std::size_t t = 2; t < types_.size(); ++t)
            others += types_[t].cost * static_cast<double>(number({grid, 0, 0}, t));
        const auto cost = types_[0].cost;
        const auto parts_in = [&](double sum) {
            return static_cast<std::int64_t>(std::floor(std::max(sum, 0.0) / cost));
        };
        for (std::int64_t second = 0; second <= all_.second; ++second) {
            const auto left = end - others - (types_.size() < 2 ? 0 : types_[1].cost * static_cast<double>(second));
            if (left < -dearest_ * margin) break;
            const auto low = std::max<std::int64_t>(0, parts_in(left - dearest_) - margin);
            const auto high = std::min(all_.first, parts_in(left) + margin);
            for (auto first = low; first <= high; ++first) leave_state(exponent, {grid, first, second});
        }
    }

    void leave_state(int exponent, const State &state)
    {
        pacer_.spend(jump_cost);
        const auto *item = least_below(state);
        if (item == nullptr) return;
        const auto units = item->offset + rounded_sum(state);
        if (units >= binade_end) return;
        const auto sum = std::ldexp(static_cast<double>(units), exponent - mantissa_bits);
        for (std::size_t t = 0; t < types_.size(); ++t)
            if (units + rounded_[t] >= binade_end && has_left(state, t))
                reach(with(state, t), sum + types_[t].cost, item->entry, t);
    }

    std::vector<std::int64_t> sizes() const
    {
        std::vector<std::int64_t> backwards;
        auto state = all_;
        for (auto index = types_.empty() ? -1 : last_; index >= 0;) {
            const auto &entry = entries_[static_cast<std::size_t>(index)];
            append_difference(backwards, entry.state, state);
            backwards.push_back(types_[entry.type].size);
            state = entry.state;
            step_back(state, entry.type);
            index = entry.parent;
        }
        std::reverse(backwards.begin(), backwards.end());
        for (auto part = free_.size(); part-- > 0;)
            backwards.insert(backwards.end(), static_cast<std::size_t>(free_[part].copies), free_[part].size);
        return backwards;
    }

    void step_back(State &state, std::size_t t) const
    {
        if (t == 0)
            --state.first;
        else if (t == 1)
            --state.second;
        else
            state.grid -= strides_[t - 2];
    }

    void append_difference(std::vector<std::int64_t> &out, const State &from, const State &to) const
    {
        for (std::size_t t = 0; t < types_.size(); ++t)
            out.insert(out.end(), static_cast<std::size_t>(number(to, t) - number(from, t)), types_[t].size);
    }

    static constexpr std::int64_t walk_cost = 64; // in the pacer's units
    static constexpr std::int64_t jump_cost = 32;

    Control &control_;
    Pacer pacer_;
    std::vector<CostedParts> types_; // of some cost, most copies first
    std::vector<CostedParts> free_;  // of none: last, in any order
    std::vector<std::int64_t> strides_;
    std::int64_t grids_ = 1;
    State all_{};
    double dearest_ = 0;
    double copies_ = 0;
    double whole_ = 0;                          // about the sum of all
    std::map<int, std::vector<Entry>> pending_; // by binade
    std::vector<Entry> entries_;
    std::int64_t reached_ = 0;
    std::vector<std::int64_t> rounded_;
    std::vector<Line> lines_;
    double least_ = infinity;
    std::int64_t last_ = -1;
};

} // namespace

Ordered order_by_binades(const std::vector<CostedParts> &parts, Control &control)
{
    return BinadeOrders(parts, control).run();
}

} // namespace hpart
