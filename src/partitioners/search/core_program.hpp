// Dynamic program over the core: the least sum within a cap, on dense layers.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/break_solution.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/core.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace hpart
{

struct CoreProblem {
    const SumOverFunctions &sum;
    const BreakSolution &base;
};

// The order of the classes.
enum class CoreOrder : std::uint8_t {
    best,      // that keeps the layers smallest
    of_classes // from the first to the last, so that a tie is decided by the instance alone
};

struct CoreAnswer {
    std::vector<BasePoint> points; // of each class
    double value;                  // sum of reduced costs
    bool is_only;                  // no other choice is within `margin` of it, but for exchanges among copies
    bool is_best;                  // its exact sum of costs is least, and it is the choice among equals
};

class CoreProgram
{
  public:
    // All choices whose reduced costs sum to at most `cap`, which is at most the core's.
    CoreProgram(const CoreProblem &problem, const Core &core, double cap, double margin, CoreOrder order);

    // False: proved that there is none.
    bool is_possible() const { return possible_; }
    double work() const { return work_; }      // pairs of a sum and a point
    double least_bytes() const;                // of the layers that must be kept
    bool is_sparse() const { return sparse_; } // most of the layers would be empty

    // The least sum of reduced costs, as double adds them; of several in the order of classes, the smallest size of the last class, then of
    // the class before it, and so on. Nothing if no choice is within the cap. Throws Status::limit.
    std::optional<CoreAnswer> run(Control &control);

    // After run(), where other choices are within `margin` of its answer: the least exact sum of costs among them, and of several the
    // same choice as above. It stops where that takes more than so many pairs of a sum and a point, and in the best order where
    // equals are left: the answer is then not best.
    void decide(CoreAnswer &answer, double most_pairs, Control &control);

  private:
    static constexpr std::size_t half_slopes = 8;
    using PerSlope = std::array<double, 2 * half_slopes>;

    // A class with a choice to make; states are sums of shifts before it.
    struct Stage {
        std::size_t owner = 0;
        std::size_t begin = 0; // of its points, by falling shift
        std::size_t end = 0;
        std::int64_t divisor = 0; // of all shifts from this stage on: the layer's stride
        std::int64_t low = 0;     // shifts summed before this stage that can matter
        std::int64_t high = 0;
        PerSlope gain{}; // sum over the stages from this on of the largest slope x shift - reduced
    };
    // Values between paddings of infinity, at the stride of the stage after it.
    struct Layer {
        std::int64_t low = 0;
        std::size_t count = 0;
        std::unique_ptr<double[]> room; // null where not kept
        std::size_t first = 0;          // of the values in the room

        double *data() const { return room.get() + first; }
    };

    std::size_t longest_skip() const;
    void take_classes(const Core &core);
    void sort_stages();
    void sum_from_the_end();
    void set_slopes();
    bool bound_intervals();
    void estimate();
    bool sums_are_at_most(double most) const;
    std::int64_t align_up(std::int64_t sum, std::int64_t divisor) const;
    std::int64_t align_down(std::int64_t sum, std::int64_t divisor) const;
    double least_rest(std::size_t stage, std::int64_t left) const;
    bool is_hopeless(std::size_t stage, std::int64_t sum, double value) const;
    static Layer first_layer();
    Layer next_layer(std::size_t z, const Layer &layer); // before stage z + 1
    void trim(std::size_t stage, Layer &layer) const;
    void restore(std::size_t stage);
    bool fill(Control &control);
    // Value of the layer before the stage from which the point makes `sum`.
    double value_before(const Stage &stage, const Layer &layer, std::size_t point, std::int64_t sum) const
    {
        const auto distance = sum - points_[point].shift - layer.low;
        if (distance < 0 || distance / stage.divisor >= static_cast<std::int64_t>(layer.count))
            return std::numeric_limits<double>::infinity();
        return layer.data()[distance / stage.divisor];
    }
    std::optional<CoreAnswer> walk_back();
    // Sums before each stage, and at the end, through which a choice within the margin passes; increasing.
    using NearOptimalSums = std::vector<std::vector<std::int64_t>>;
    NearOptimalSums near_optimal_sums(double &pairs_left, Control &control);
    // True if the class of stage z has the function of the class before it, in the best order.
    bool continues_copies(std::size_t z) const
    {
        const auto function = [&](std::size_t stage) { return problem_.sum.function_of[stages_[stage].owner]; };
        return order_ == CoreOrder::best && z > 0 && z < stages_.size() && function(z) == function(z - 1);
    }
    template <typename Exact>
    void decide_among(const NearOptimalSums &sums, const std::vector<Exact> &costs, double pairs_left,
                      CoreAnswer &answer, Control &control) const;

    CoreProblem problem_;
    double cap_;
    double margin_;
    CoreOrder order_;
    bool possible_ = true;
    bool sparse_ = false;
    double work_ = 0;
    double bytes_ = 0;
    double slack_ = 0; // relative rounding of the sums of gains
    PerSlope slopes_{};
    std::vector<Stage> stages_;
    std::vector<CorePoint> points_;        // of the stages
    std::vector<double> costs_;            // reduced, of the points
    std::vector<std::int64_t> least_left_; // sums of the smallest and largest shifts from a stage on
    std::vector<std::int64_t> most_left_;
    std::vector<Layer> layers_; // before each stage; empty where not kept
    std::size_t keep_every_ = 1;
    std::vector<std::int64_t> offsets_;
    std::vector<double> wide_;
    Pacer *pacer_ = nullptr;
};

} // namespace hpart
