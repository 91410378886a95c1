// The arrangements of active processors as walks of graphs (walks.hpp). The first node is the start, the last one the end; edges lead to
// later nodes.
#pragma once

#include "partitioners/exact/communication/walks.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace hpart
{

// The node, which can be switched off, of each processor: its place among the platform's nodes.
class NodeOfProcessor
{
  public:
    NodeOfProcessor() = default;
    explicit NodeOfProcessor(const Platform &platform)
    {
        if (!platform.nodes().empty()) of_.resize(static_cast<std::size_t>(platform.count()), WalkEdge::nobody);
        for (std::size_t k = 0; k < platform.nodes().size(); ++k)
            for (auto i = platform.nodes()[k].first; i <= platform.nodes()[k].last; ++i)
                of_[static_cast<std::size_t>(i)] = k;
    }

    bool is_empty() const { return of_.empty(); }
    std::size_t of(std::size_t i) const { return of_.empty() ? WalkEdge::nobody : of_[i]; }

  private:
    std::vector<std::size_t> of_;
};

// Nodes: the start, (a, b) with a < b or a = nobody, which is p, the end.
class ChainGraph
{
  public:
    ChainGraph(const Communication &communication, std::size_t processors, NodeOfProcessor nodes = {})
        : communication_(communication), p_(processors), nodes_(std::move(nodes))
    {
    }

    std::size_t nodes() const { return p_ * (p_ + 1) + 2; }

    template <typename Visit> void for_each_edge(std::size_t node, const Visit &visit) const
    {
        if (node == 0) {
            for (std::size_t b = 0; b < p_; ++b) visit(WalkEdge{node_of(p_, b)});
            return;
        }
        const auto b = (node - 1) / (p_ + 1);
        const auto a = (node - 1) % (p_ + 1);
        if (a >= b && a != p_) return;
        const auto before = a == p_ ? 0 : communication_.exchange(a, b);
        const auto on = a == p_ || nodes_.of(a) != nodes_.of(b) ? nodes_.of(b) : WalkEdge::nobody;
        for (auto next = b + 1; next < p_; ++next)
            visit(WalkEdge{node_of(b, next), b, before, communication_.exchange(b, next), next, on});
        visit(WalkEdge{nodes() - 1, b, before, 0, WalkEdge::nobody, on});
    }

  private:
    std::size_t node_of(std::size_t a, std::size_t b) const { return 1 + b * (p_ + 1) + a; }

    const Communication &communication_;
    std::size_t p_;
    NodeOfProcessor nodes_;
};

// Nodes: the start, (set, a, b) with a and b in the set or a = nobody, which is p, and the set {b}; the end.
class AnyOrderGraph
{
  public:
    AnyOrderGraph(const Communication &communication, std::size_t processors)
        : communication_(communication), p_(processors)
    {
    }

    std::size_t nodes() const { return (std::size_t{1} << p_) * p_ * (p_ + 1) + 2; }

    template <typename Visit> void for_each_edge(std::size_t node, const Visit &visit) const
    {
        if (node == 0) {
            for (std::size_t b = 0; b < p_; ++b) visit(WalkEdge{node_of(bit(b), p_, b)});
            return;
        }
        const auto a = (node - 1) % (p_ + 1);
        const auto b = (node - 1) / (p_ + 1) % p_;
        const auto set = (node - 1) / (p_ + 1) / p_;
        const bool exists = a == p_ ? set == bit(b) : a != b && (set & bit(a)) != 0 && (set & bit(b)) != 0;
        if (!exists) return;
        const auto before = a == p_ ? 0 : communication_.exchange(a, b);
        for (std::size_t next = 0; next < p_; ++next)
            if ((set & bit(next)) == 0)
                visit(WalkEdge{node_of(set | bit(next), b, next), b, before, communication_.exchange(b, next)});
        visit(WalkEdge{nodes() - 1, b, before, 0});
    }

  private:
    static std::size_t bit(std::size_t b) { return std::size_t{1} << b; }
    std::size_t node_of(std::size_t set, std::size_t a, std::size_t b) const
    {
        return 1 + (set * p_ + b) * (p_ + 1) + a;
    }

    const Communication &communication_;
    std::size_t p_;
};

// Nodes: (processors decided, of them active, the last one's node is on). any_number of active ones is not counted.
class CountGraph
{
  public:
    static constexpr std::size_t any_number = 0;

    CountGraph(std::size_t processors, std::size_t active, NodeOfProcessor nodes = {})
        : p_(processors), active_(active), nodes_(std::move(nodes)), states_(nodes_.is_empty() ? 1 : 2)
    {
    }

    std::size_t nodes() const { return (p_ + 1) * (active_ + 1) * states_; }

    template <typename Visit> void for_each_edge(std::size_t node, const Visit &visit) const
    {
        const auto i = node / states_ / (active_ + 1);
        const auto so_far = node / states_ % (active_ + 1);
        if (i == p_) return;
        const auto own = nodes_.of(i);
        const bool is_on = own != WalkEdge::nobody && i > 0 && node % states_ == 1 && nodes_.of(i - 1) == own;
        visit(WalkEdge{node_of(i + 1, so_far, is_on)});
        if (active_ != any_number && so_far == active_) return;
        const auto active = active_ == any_number ? so_far : so_far + 1;
        visit(WalkEdge{node_of(i + 1, active, own != WalkEdge::nobody), i, 0, 0, WalkEdge::nobody,
                       is_on ? WalkEdge::nobody : own});
    }

  private:
    // All ends are one.
    std::size_t node_of(std::size_t i, std::size_t active, bool is_on) const
    {
        return (i * (active_ + 1) + active) * states_ + (states_ == 2 && (is_on || i == p_) ? 1 : 0);
    }

    std::size_t p_;
    std::size_t active_;
    NodeOfProcessor nodes_;
    std::size_t states_;
};

} // namespace hpart
