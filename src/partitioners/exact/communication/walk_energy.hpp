// Problem: of the walks of a graph whose sizes sum to n and whose loads are within a limit, the one of least energy: the energies of the
// points, of the exchanges, and of the nodes switched on, watts x a given time.
//
// For any multiplier l, D(l) = l n + the least sum of energy - l x size over all walks is a lower bound. Newton's chords find a good l.
// A dynamic program over (graph node, total) then keeps the states that may end within D + theta, for growing theta: a walk found
// within theta is the best, since all others are above. Of two states of a node and total the one of less energy stays, compared
// exactly. Bounds are computed in double: `margin_` covers their roundings, so that no state is dropped wrongly.
// Time a multiplier: O(p m + edges log m); the program: states x edges x points of small reduced cost. Source: design of hpart.
#pragma once

#include "core/numbers.hpp"
#include "partitioners/exact/communication/walks.hpp"
#include "partitioners/search/cost_functions.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace hpart
{

// The energy of exchanges, processor by processor, and of nodes: a watt for so many seconds in two doubles, whose sum is exact.
struct WalkCosts {
    const Communication *communication = nullptr; // null: exchanges cost nothing
    std::vector<double> nodes;                    // two each
};

template <typename Graph> class WalkEnergy
{
  public:
    // hint: a multiplier nearby to begin with, if known, and then the one found.
    WalkEnergy(const Graph &graph, const Instance &instance, const FittingSizes &fitting, std::int64_t total,
               std::optional<double> &hint, Control &control)
        : graph_(graph), instance_(instance), fitting_(fitting), total_(total), control_(control),
          pacer_(control, "searching the least energy"), hint_(hint)
    {
    }

    // The sizes of a walk of loads <= limit whose energy is least; nothing if that is above the cap by more than its rounding.
    std::optional<std::vector<std::int64_t>> least(double limit, const WalkCosts &costs, double cap)
    {
        limit_ = limit;
        costs_ = &costs;
        find_multiplier(cap);
        const auto gap = cap - bound_;
        if (gap < -margin_) return std::nullopt;
        auto all = instance_.all_joules();
        const auto first_exchange = all.size();
        if (exchanges_cost()) {
            const auto p = instance_.processors();
            for (std::size_t a = 0; a < p; ++a)
                for (std::size_t b = 0; b < p; ++b) all.push_back(costs.communication->exchange_energy(a, b));
        }
        const auto first_node = all.size();
        all.insert(all.end(), costs.nodes.begin(), costs.nodes.end());
        return with_exact_costs(all, 4 * instance_.processors() + 4, [&](const auto &exact, const auto &) {
            const auto last = gap + 4 * margin_;
            auto theta = std::max(gap / first_share, margin_);
            while (theta < last) {
                if (auto found = program(exact, first_exchange, first_node, theta)) return found;
                theta *= growth;
            }
            return program(exact, first_exchange, first_node, last);
        });
    }

  private:
    static constexpr auto nobody = WalkEdge::nobody;
    static constexpr double first_share = 64;
    static constexpr double growth = 8;
    static constexpr int most_probes = 40;
    static constexpr std::int64_t bytes_of_node = 48; // of the program and of the bounds

    template <typename Exact> struct State {
        std::int64_t total;
        double nearly;
        Exact energy;
        std::size_t from; // its trail
        std::size_t processor;
        std::int64_t size;
    };

    struct Trail {
        std::size_t from;
        std::size_t processor;
        std::int64_t size;
    };

    struct Probe {
        double multiplier, size, energy, bound;
    };

    bool exchanges_cost() const
    {
        return costs_->communication != nullptr && costs_->communication->pattern() == Pattern::chain;
    }

    double exchange_of(const WalkEdge &edge) const
    {
        return exchanges_cost() && edge.next != nobody
                   ? costs_->communication->exchange_energy(edge.processor, edge.next)
                   : 0;
    }
    double node_of(const WalkEdge &edge) const
    {
        return edge.node == nobody ? 0 : costs_->nodes[2 * edge.node] + costs_->nodes[2 * edge.node + 1];
    }

    // The least of energy - multiplier x size among the first points of each function by time.
    void reduce(double multiplier)
    {
        multiplier_ = multiplier;
        least_.clear();
        first_least_.assign(1, 0);
        for (std::size_t f = 0; f < instance_.functions(); ++f) {
            const auto &function = instance_.of_function[f];
            auto least = infinity;
            std::size_t at = 0;
            for (const auto k : fitting_.points_of(f)) {
                const auto reduced = reduced_of(function, k);
                if (reduced < least) {
                    least = reduced;
                    at = k;
                }
                least_.emplace_back(least, at);
            }
            first_least_.push_back(least_.size());
        }
        pacer_.spend(static_cast<std::int64_t>(least_.size()));
    }

    double reduced_of(const FunctionPoints &function, std::size_t k) const
    {
        return function.joules[k] - multiplier_ * static_cast<double>(function.sizes[k]);
    }

    // Sets left_, the least that may follow each node, at the multiplier.
    Probe probe(double multiplier)
    {
        reduce(multiplier);
        left_.assign(graph_.nodes(), infinity);
        sizes_.assign(graph_.nodes(), 0);
        left_.back() = 0;
        for (auto node = graph_.nodes() - 1; node-- > 0;) {
            std::int64_t edges = 0;
            graph_.for_each_edge(node, [&](const WalkEdge &edge) {
                ++edges;
                if (left_[edge.to] == infinity) return;
                double cost = 0, size = 0;
                if (edge.processor != nobody) {
                    const auto fit = fitting_.count_within(edge.processor, edge.before, edge.after, limit_);
                    if (fit == 0) return;
                    const auto &[least, k] = least_[first_least_[instance_.function_of[edge.processor]] + fit - 1];
                    cost = least + (exchange_of(edge) + node_of(edge));
                    size = static_cast<double>(instance_.of(edge.processor).sizes[k]);
                }
                if (cost + left_[edge.to] < left_[node]) {
                    left_[node] = cost + left_[edge.to];
                    sizes_[node] = size + sizes_[edge.to];
                }
            });
            pacer_.spend(8 * edges);
        }
        const auto size = sizes_.front();
        return {multiplier, size, left_.front() + multiplier * size,
                left_.front() + multiplier * static_cast<double>(total_)};
    }

    // Any multiplier is right; the one of the largest bound makes the least work.
    void find_multiplier(double cap)
    {
        const auto target = static_cast<double>(total_);
        std::optional<Probe> below, above, best;
        auto next = hint_.value_or(cap / target);
        if (!std::isfinite(next)) next = 0;
        auto step = std::max(std::abs(next), 1e-3 * cap / target);
        for (int count = 0; count < most_probes && std::isfinite(next); ++count) {
            const auto probed = probe(next);
            if (!best || probed.bound > best->bound) best = probed;
            if (probed.size == target || probed.bound >= cap) break;
            auto &side = probed.size < target ? below : above;
            const bool is_new = !side || side->size != probed.size;
            side = probed;
            if (below && above) {
                if (!is_new || !(above->size > below->size)) break;
                next = (above->energy - below->energy) / (above->size - below->size);
                if (next == below->multiplier || next == above->multiplier) break;
            } else {
                next += below ? step : -step;
                step *= 4;
            }
        }
        const auto chosen = best ? best->multiplier : 0;
        bound_ = probe(chosen).bound;
        hint_ = chosen;
        double largest = target;
        for (std::size_t i = 0; i < instance_.processors(); ++i)
            largest += static_cast<double>(std::max<std::int64_t>(0, fitting_.largest(i)));
        const auto terms = static_cast<double>(instance_.processors() + 8);
        const auto magnitude = std::abs(left_.front()) + 2 * std::abs(chosen) * largest + cap;
        // The smallest doubles are rounded by an amount of their own; so it is never 0.
        using Doubles = std::numeric_limits<double>;
        margin_ = 8 * terms * (Doubles::epsilon() * magnitude + Doubles::denorm_min());
    }

    template <typename Exact>
    std::optional<std::vector<std::int64_t>> program(const std::vector<Exact> &exact, std::size_t first_exchange,
                                                     std::size_t first_node, double theta)
    {
        ++control_.counters.searches;
        using List = std::vector<State<Exact>>;
        std::vector<List> states(graph_.nodes());
        std::vector<std::size_t> settled(graph_.nodes(), 0); // states that were merged already
        trails_ = {};
        held_ = static_cast<std::int64_t>(graph_.nodes()) * bytes_of_node;
        const auto most = bound_ + theta + margin_;
        const auto slack_of = [&](std::size_t node, std::int64_t total, double nearly) {
            return most - (nearly + (left_[node] + multiplier_ * static_cast<double>(total_ - total)));
        };
        grow(states.front(), 1);
        states.front().push_back({0, 0, Exact{}, 0, nobody, 0});
        for (std::size_t node = 0; node + 1 < graph_.nodes(); ++node) {
            auto own = std::move(states[node]);
            states[node] = {};
            if (own.empty()) continue;
            merge(own);
            if (trails_.capacity() - trails_.size() < own.size()) grow(trails_, std::max(trails_.size(), own.size()));
            auto widest = -infinity;
            std::vector<double> slacks;
            grow(slacks, own.size());
            const auto first_trail = trails_.size();
            for (const auto &state : own) {
                slacks.push_back(slack_of(node, state.total, state.nearly));
                widest = std::max(widest, slacks.back());
                trails_.push_back({state.from, state.processor, state.size});
            }
            control_.counters.states += static_cast<std::int64_t>(own.size());
            graph_.for_each_edge(node, [&](const WalkEdge &edge) {
                if (left_[edge.to] == infinity) return;
                auto &target = states[edge.to];
                const auto give = [&](std::size_t s, std::int64_t size, double nearly, const Exact &energy) {
                    const auto &state = own[s];
                    if (size > total_ - state.total) return;
                    const auto total = state.total + size;
                    const auto sum = state.nearly + nearly;
                    if (slack_of(edge.to, total, sum) < 0) return;
                    if (target.size() == target.capacity()) make_room(target, settled[edge.to]);
                    target.push_back({total, sum, state.energy + energy, first_trail + s, edge.processor, size});
                };
                if (edge.processor == nobody) {
                    for (std::size_t s = 0; s < own.size(); ++s) give(s, 0, 0, Exact{});
                } else {
                    Exact beside{};
                    if (exchanges_cost() && edge.next != nobody)
                        beside = exact[first_exchange + edge.processor * instance_.processors() + edge.next];
                    if (edge.node != nobody)
                        beside = beside + exact[first_node + 2 * edge.node] + exact[first_node + 2 * edge.node + 1];
                    const auto nearly = exchange_of(edge) + node_of(edge);
                    const auto rest = nearly + left_[edge.to] - left_[node];
                    const auto fit = fitting_.count_within(edge.processor, edge.before, edge.after, limit_);
                    const auto f = instance_.function_of[edge.processor];
                    const auto &function = instance_.of_function[f];
                    const auto points = fitting_.points_of(f).first(fit);
                    pacer_.spend(static_cast<std::int64_t>(fit));
                    for (const auto k : points) {
                        const auto reduced = reduced_of(function, k) + rest;
                        if (reduced > widest + margin_) continue;
                        const auto energy = exact[instance_.first[f] + k] + beside;
                        pacer_.spend(4 * static_cast<std::int64_t>(own.size()));
                        for (std::size_t s = 0; s < own.size(); ++s)
                            if (reduced <= slacks[s] + margin_)
                                give(s, function.sizes[k], function.joules[k] + nearly, energy);
                    }
                }
            });
            held_ -= bytes_of(own) + bytes_of(slacks);
        }
        auto &ends = states.back();
        std::erase_if(ends, [&](const auto &state) { return state.total != total_; });
        merge(ends);
        // Beyond theta a walk that was dropped may be better.
        if (ends.empty() || ends.front().nearly > bound_ + theta) return std::nullopt;
        std::vector<std::int64_t> x(instance_.processors(), 0);
        if (ends.front().processor != nobody) x[ends.front().processor] = ends.front().size;
        for (auto at = ends.front().from; at != 0; at = trails_[at].from)
            if (trails_[at].processor != nobody) x[trails_[at].processor] = trails_[at].size;
        trails_ = {};
        return x;
    }

    template <typename Item> static std::int64_t bytes_of(const std::vector<Item> &list)
    {
        return static_cast<std::int64_t>(list.capacity() * sizeof(Item));
    }

    // Room for so many more; both the old and the new one are there while the items move.
    template <typename Item> void grow(std::vector<Item> &list, std::size_t more)
    {
        const auto before = bytes_of(list);
        held_ += static_cast<std::int64_t>((list.size() + more) * sizeof(Item));
        if (held_ > control_.memory_limit()) fail_memory(control_.memory_limit());
        list.reserve(list.size() + more);
        held_ -= before;
    }

    // For one more state: leaves one a total first where many have come since that was done.
    template <typename Exact> void make_room(std::vector<State<Exact>> &states, std::size_t &settled)
    {
        if (states.size() > 2 * settled + 1024) {
            merge(states);
            settled = states.size();
            if (2 * settled <= states.capacity()) return;
        }
        grow(states, std::max<std::size_t>(states.size(), 4));
    }

    // One state a total: the state of least energy. Ties: the smallest size, then the earliest node.
    template <typename Exact> void merge(std::vector<State<Exact>> &states)
    {
        std::sort(states.begin(), states.end(), paced(pacer_, [](const auto &a, const auto &b) {
                      if (a.total != b.total) return a.total < b.total;
                      if (a.energy < b.energy || b.energy < a.energy) return a.energy < b.energy;
                      return a.from != b.from ? a.from < b.from : a.size < b.size;
                  }));
        states.erase(
            std::unique(states.begin(), states.end(), [](const auto &a, const auto &b) { return a.total == b.total; }),
            states.end());
    }

    const Graph &graph_;
    const Instance &instance_;
    const FittingSizes &fitting_;
    std::int64_t total_;
    Control &control_;
    Pacer pacer_;
    double limit_ = infinity;
    const WalkCosts *costs_ = nullptr;
    std::optional<double> &hint_;
    double multiplier_ = 0;
    double bound_ = 0;
    double margin_ = 0;
    std::vector<std::pair<double, std::size_t>> least_; // with its point
    std::vector<std::size_t> first_least_;
    std::vector<double> left_;
    std::vector<double> sizes_;
    std::vector<Trail> trails_;
    std::int64_t held_ = 0; // bytes of the program
};

} // namespace hpart
