// A platform: p abstract processors, each with discrete functions of time and dynamic energy against problem size.
#pragma once

#include "core/numbers.hpp"
#include "core/text.hpp"
#include "models/facts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hpart
{

// One quantity of a function, point by point. The idle point's value, 0, stands before the first: partitioners use the array as it is.
// Copies share the array until one of them is edited.

template <typename Value> class Column
{
  public:
    using value_type = Value;
    using const_iterator = const Value *;
    using Array = std::vector<Value>; // with the idle point's value

    Column() : Column(Array{0}) {}
    explicit Column(Array with_idle) : array_(std::make_shared<Array>(std::move(with_idle))) {}

    std::size_t size() const { return array_->size() - 1; }
    bool empty() const { return size() == 0; }
    const Value *data() const { return array_->data() + 1; }
    const Value *begin() const { return data(); }
    const Value *end() const { return data() + size(); }
    const Value &front() const { return (*array_)[1]; }
    const Value &back() const { return array_->back(); }
    const Value &operator[](std::size_t k) const { return (*array_)[k + 1]; }
    operator Array() const { return {begin(), end()}; }

    const std::shared_ptr<Array> &with_idle() const { return array_; }
    void share(std::shared_ptr<Array> equal) { array_ = std::move(equal); }
    Array &edit()
    {
        if (array_.use_count() > 1) array_ = std::make_shared<Array>(*array_);
        return *array_;
    }

    friend bool operator==(const Column &a, const Column &b) { return a.array_ == b.array_ || *a.array_ == *b.array_; }
    friend bool operator==(const Column &a, const Array &b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

  private:
    std::shared_ptr<Array> array_;
};

// Confidence intervals of the points of a function, and the numbers of repetitions behind them.

enum class FunctionKind : std::uint8_t { time, energy };
enum class Bound : std::uint8_t { estimate, low, high };

// A measured value; NaN ends and 0 repetitions: unknown.
struct MeasuredPoint {
    double value = 0;
    double low = std::numeric_limits<double>::quiet_NaN();
    double high = std::numeric_limits<double>::quiet_NaN();
    std::int64_t repetitions = 0;
};

// One entry per point in each array; NaN, and 0 repetitions, where unknown. A file may give one end of an interval alone.
struct Intervals {
    Intervals() = default;
    explicit Intervals(std::size_t points)
        : time_low(points, std::numeric_limits<double>::quiet_NaN()), time_high(time_low), energy_low(time_low),
          energy_high(time_low), repetitions(points, 0)
    {
    }

    std::vector<double> &low(FunctionKind kind) { return kind == FunctionKind::time ? time_low : energy_low; }
    std::vector<double> &high(FunctionKind kind) { return kind == FunctionKind::time ? time_high : energy_high; }
    const std::vector<double> &low(FunctionKind kind) const
    {
        return kind == FunctionKind::time ? time_low : energy_low;
    }
    const std::vector<double> &high(FunctionKind kind) const
    {
        return kind == FunctionKind::time ? time_high : energy_high;
    }

    std::vector<double> time_low, time_high, energy_low, energy_high;
    std::vector<std::int64_t> repetitions;
};

// Equal functions of a platform are stored once: a cluster has many copies of few. So are equal sizes of different functions.

struct Points;

// Values in use elsewhere, by a hash of their content. Unused ones are dropped from time to time.
template <typename Value> class WeakStore
{
  public:
    template <typename IsSame> std::shared_ptr<Value> find(std::uint64_t hash, const IsSame &is_same) const
    {
        const auto [begin, end] = values_.equal_range(hash);
        for (auto entry = begin; entry != end; ++entry)
            if (auto stored = entry->second.lock(); stored && is_same(*stored)) return stored;
        return nullptr;
    }

    void add(std::uint64_t hash, const std::shared_ptr<Value> &value)
    {
        if (values_.size() >= room_) {
            std::erase_if(values_, [](const auto &entry) { return entry.second.expired(); });
            room_ = 2 * values_.size() + 64;
        }
        values_.emplace(hash, value);
    }

  private:
    std::unordered_multimap<std::uint64_t, std::weak_ptr<Value>> values_;
    std::size_t room_ = 64;
};

class FunctionStore
{
  public:
    // The stored function that is equal to `points`, bit by bit; they themselves when there is none yet.
    std::shared_ptr<const Points> share(Points points);

  private:
    WeakStore<const Points> functions_;
    WeakStore<std::vector<std::int64_t>> sizes_;
};

// A stored function's points have this in common.
struct PointsSummary {
    std::uint64_t hash_of_sizes = 0;
    std::uint64_t hash_of_times = 0; // of sizes and seconds
    std::uint64_t hash = 0;          // of sizes, seconds and joules
    std::int64_t smallest = 0;       // size
    std::int64_t step = 0;           // distance of neighbouring sizes if it is the same for all; else 0
    bool has_all_seconds = false;    // of every size
    bool has_all_joules = false;
    double longest_seconds = 0; // of the known ones
    double most_joules = 0;
};

// A processor's points in increasing size, one array per kind of value; NaN where a size has no such value.
struct Points {
    Column<std::int64_t> sizes;
    Column<double> seconds;
    Column<double> joules;
    std::shared_ptr<const Intervals> intervals; // null where none is known
    PointsSummary summary{};                    // of a stored function

    const Column<double> &values(FunctionKind kind) const { return kind == FunctionKind::time ? seconds : joules; }
    std::size_t count() const { return sizes.size(); }
    // Index of a size; count() when it is not there. O(log count).
    std::size_t find(std::int64_t size) const;
};

// An estimate as a point: nothing is below 0, and ends that are not finite are unknown.
MeasuredPoint measured_point(double value, double low, double high, std::int64_t repetitions = 0);

// With the time intervals and repetitions of `old`, of the sizes that both have.
Points with_time_intervals(Points points, const Points &old);

// Strictly: the sizes are sorted and distinct.
bool is_increasing(std::span<const std::int64_t> sizes);

struct Limits {
    std::int64_t smallest = 1;
    std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    bool operator==(const Limits &) const = default;
};

struct Link {
    double latency_seconds = 0;
    double bytes_per_second = std::numeric_limits<double>::infinity();
    double joules_per_byte = 0;
    bool operator==(const Link &) const = default;
};

// Processors first .. last, which need the power while one of them works.
struct Node {
    std::int64_t first = 0;
    std::int64_t last = 0;
    double watts = 0;
    bool operator==(const Node &) const = default;
};

struct Processor {
    std::string name;
    std::shared_ptr<const Points> function; // processors with equal functions share them
    Limits limits;
    Link host_link;

    const Points &points() const { return *function; }
};

// Fails when a name does not fit a CSV field as it is.
void check_processor_name(const std::string &name);
// Fails when a description of a kernel is not one line.
void check_kernel_text(const std::string &kernel);

struct Cost {
    double seconds = 0;  // largest; NaN when a processor used has no time at its size
    ExactSum energy{};   // joules; NaN when a processor used has no energy value
    ExactSum of_nodes{}; // joules of the nodes that work, beyond the base power

    // The sums, rounded once.
    double joules() const { return energy.rounded(); }
    double total_energy(double base_power) const
    {
        auto sum = energy + of_nodes;
        sum.add_product(base_power, seconds);
        return sum.rounded();
    }
};

class HPART_PRIVATE Platform
{
  public:
    explicit Platform(std::int64_t processors);

    std::int64_t count() const { return static_cast<std::int64_t>(processors_.size()); }
    // Every call with an index fails when it is out of range.
    const Processor &processor(std::int64_t i) const;
    const Points &points(std::int64_t i) const { return processor(i).points(); }

    void set_name(std::int64_t i, const std::string &name);
    // Sets all names at once, so that two processors can exchange their names.
    void set_names(const std::vector<std::string> &names);
    void set_time_function(std::int64_t i, std::span<const std::int64_t> sizes, std::span<const double> seconds);
    void set_energy_function(std::int64_t i, std::span<const std::int64_t> sizes, std::span<const double> joules);
    // Sets intervals of points that have a value, low <= value <= high; NaN: unknown. Without repetitions the points keep theirs. A new
    // function drops its own intervals; a new time function drops all.
    void set_interval(std::int64_t i, FunctionKind kind, std::span<const std::int64_t> sizes,
                      std::span<const double> low, std::span<const double> high,
                      std::span<const std::int64_t> repetitions = {});
    // Sets one value, with its interval, and leaves the other points as they are. Energies without repetitions keep the time's.
    void set_point(std::int64_t i, FunctionKind kind, std::int64_t size, const MeasuredPoint &point);
    void set_repetitions(std::int64_t i, std::span<const std::int64_t> sizes,
                         std::span<const std::int64_t> repetitions);
    void set_limits(std::int64_t i, Limits limits);
    void set_host_link(std::int64_t i, Link link);
    void set_link(std::int64_t from, std::int64_t to, Link link);
    Link link(std::int64_t from, std::int64_t to) const;
    const std::map<std::pair<std::int64_t, std::int64_t>, Link> &links() const { return links_; }

    void set_base_power(double watts);
    bool has_base_power() const { return base_power_ == base_power_; }
    double base_power() const { return base_power_; } // NaN until set
    // 0 watts: no node.
    void set_node(Node node);
    const std::vector<Node> &nodes() const { return nodes_; } // by increasing processor; none overlaps another
    void set_border_bytes(double bytes);
    double border_bytes() const { return border_bytes_; } // 0 until set
    void set_kernel(const std::string &kernel);
    const std::string &kernel() const { return kernel_; }

    // Facts and comments of the file, kept when it is written again.
    Facts facts;

    Platform replicate(std::int64_t copies) const; // Status::out_of_memory with the number of processors
    // The same with one end of each known interval in place of the value, and without intervals.
    Platform at_bound(Bound bound) const;
    // False only where no processor has one: at no cost.
    bool may_have_intervals() const { return may_have_intervals_; }
    // Fails when x has a size that its function has not.
    Cost evaluate(std::span<const std::int64_t> x) const;

  private:
    Platform of_copies(std::int64_t copies, std::int64_t total, double power) const;
    Processor &at(std::int64_t i);
    void check_index(std::int64_t i) const;
    void index_names();
    void set_points(Processor &processor, Points points, Intervals intervals);

    std::vector<Processor> processors_;
    FunctionStore functions_;
    std::map<std::string, std::int64_t, std::less<>> index_of_name_; // of all, or empty until a name is set
    std::map<std::pair<std::int64_t, std::int64_t>, Link> links_;
    std::vector<Node> nodes_;
    bool may_have_intervals_ = false;
    double base_power_ = std::numeric_limits<double>::quiet_NaN();
    double border_bytes_ = 0;
    std::string kernel_;
};

} // namespace hpart
