// The shape that every problem here takes: choose one option of each class so that the sizes sum to a target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hpart
{

// Options of all classes, one array a quantity, class after class; sizes increase within a class.
struct Choices {
    std::vector<std::size_t> first{0}; // options of class i: first[i] .. first[i + 1] - 1
    std::vector<std::int64_t> sizes;   // >= 0
    std::vector<double> costs;         // finite and >= 0

    std::size_t classes() const { return first.size() - 1; }
    std::size_t count(std::size_t i) const { return first[i + 1] - first[i]; }
    std::span<const std::int64_t> sizes_of(std::size_t i) const { return {sizes.data() + first[i], count(i)}; }
    std::span<const double> costs_of(std::size_t i) const { return {costs.data() + first[i], count(i)}; }

    void add(std::int64_t size, double cost = 0)
    {
        sizes.push_back(size);
        costs.push_back(cost);
    }
    void end_class() { first.push_back(sizes.size()); }
};

enum class Outcome : std::uint8_t {
    found,
    none, // proved: there is no choice
    limit // time or memory was up first; the best known is given, if any
};

// Counters for the report.
struct Work {
    std::int64_t sum_tests = 0; // exact tests whether the target is a sum
    std::int64_t searches = 0;  // searches for the least sum under a cap
    std::int64_t states = 0;    // partial sums that they kept
    std::int64_t nodes = 0;     // of a search tree that were entered
    std::int64_t cuts = 0;      // of them: dropped, their workload being too large
    std::int64_t recalled = 0;  // of them: answered from memory
};

} // namespace hpart
