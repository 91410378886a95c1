// The question "is the target a sum of one size of each class" in its least form: is `goal` a sum of steps, of each class at most
// as many as it has copies, after one size of each is taken for granted and the common divisor is divided out.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/simd/kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hpart
{

// A row of bits with the one operation that sums of sets need.

class BitRow
{
  public:
    static constexpr std::int64_t word_bits = 64;

    // Bits 0 .. highest.
    explicit BitRow(std::int64_t highest, SimdLevel level = best_simd_level()) : or_shifted_(or_shifted_of(level))
    {
        words_.resize(word_of(highest) + 1);
    }

    static std::size_t word_of(std::int64_t bit) { return static_cast<std::size_t>(bit / word_bits); }
    bool test(std::int64_t bit) const { return ((words_[word_of(bit)] >> (bit % word_bits)) & 1U) != 0; }
    void set(std::int64_t bit) { words_[word_of(bit)] |= std::uint64_t{1} << (bit % word_bits); }
    std::uint64_t word(std::size_t w) const { return words_[w]; }
    std::size_t words() const { return words_.size(); }

    // This row's words 0 .. last become the words of `other`.
    void copy(const BitRow &other, std::size_t last) { std::copy_n(other.words_.begin(), last + 1, words_.begin()); }

    // this |= other << shift, in words 0 .. last; other is another row.
    void or_shifted(const BitRow &other, std::int64_t shift, std::size_t last)
    {
        const auto whole = word_of(shift);
        const auto rest = static_cast<unsigned>(shift % word_bits);
        if (whole > last) return;
        const auto *from = other.words_.data();
        auto *to = words_.data() + whole;
        if (rest == 0) {
            for (std::size_t w = 0; w <= last - whole; ++w) to[w] |= from[w];
            return;
        }
        to[0] |= from[0] << rest;
        or_shifted_(to + 1, from + 1, last - whole, rest);
    }

  private:
    OrShifted or_shifted_;
    std::vector<std::uint64_t> words_;
};

// A source of steps. It may make them on demand: a test that ends early never sees the rest.
class StepSource
{
  public:
    StepSource() = default;
    StepSource(const StepSource &) = default;
    StepSource &operator=(const StepSource &) = default;
    virtual ~StepSource() = default;

    virtual std::int64_t goal() const = 0;
    virtual std::size_t classes() const = 0;
    virtual std::int64_t copies(std::size_t) const { return 1; }
    // Increasing, 1 .. goal; valid until the next call.
    virtual std::span<const std::int64_t> steps_of(std::size_t c) const = 0;
};

// `copies` of the class's copies take that step.
struct TakenStep {
    std::size_t owner;
    std::int64_t step;
    std::int64_t copies;
};

// Nothing when the goal is no sum of steps. Both tests are exact.
using Steps = std::optional<std::vector<TakenStep>>;
// By bit sets of 0 .. goal.
Steps find_steps_by_bits(const StepSource &source, Control &control, SimdLevel level = best_simd_level());
// By two lists of sums that meet. Throws Status::limit above the memory given.
Steps meet_in_the_middle(const StepSource &source, std::int64_t memory_bytes, Control &control);
// By whichever suits: the steps and the memory limit decide.
Steps find_steps(const StepSource &source, Control &control, SimdLevel level = best_simd_level());
// The quick part of it, within so many units of work: nothing is proved when it finds nothing.
Steps find_steps_quickly(const StepSource &source, std::int64_t work);

// Memory and time of a test by bit sets.
struct BitCost {
    double bytes;
    double operations;
};
BitCost bit_cost(const StepSource &source);

// Steps of choices, a class a function, from the smallest sizes of all classes or from the largest, whichever sum is nearer to the target.
class ChoiceSteps : public StepSource
{
  public:
    explicit ChoiceSteps(ReducedChoices reduced);

    std::int64_t goal() const override { return goal_; }
    std::size_t classes() const override { return copies_.size(); }
    std::int64_t copies(std::size_t f) const override { return copies_[f]; }
    std::span<const std::int64_t> steps_of(std::size_t f) const override;

    std::vector<std::int64_t> sizes_after(const std::vector<TakenStep> &taken) const;

  private:
    ReducedChoices reduced_;
    std::vector<std::int64_t> copies_;
    bool downwards_ = false;
    std::int64_t goal_ = 0;
    mutable std::vector<std::int64_t> steps_; // downwards, of one function
};

// One size of each class, their sum the target; nothing when there is none. The same input gives the same sizes.
// Throws Status::limit, Status::cancelled.
std::optional<std::vector<std::int64_t>> reach_sum(const Choices &choices, std::int64_t target, Control &control);

// Units of work (choices.hpp) of a quick search, beside or after the call's own limits: some ten milliseconds on every machine.
constexpr std::int64_t brief_work = 10 << 20;

// The same within that work. Nothing proves nothing.
std::optional<std::vector<std::int64_t>> reach_sum_quickly(const Choices &choices, std::int64_t target);

// The nearest sum on one side of a target.
struct SumBeside {
    std::optional<std::int64_t> sum{};
    bool is_none = false; // proved: there is none on that side

    bool is_known() const { return is_none || sum; }
};

struct NearestSums {
    SumBeside below{};
    SumBeside above{};
};

// Valid sizes of classes that all offer 0. Unknown, if memory or a second of work does not suffice.
NearestSums nearest_sums(const Choices &choices, std::int64_t target, Control &control);

} // namespace hpart
