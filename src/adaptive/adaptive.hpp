// A self-adaptable application's distribution: from the times of each iteration, the distribution of the next (Clarke,
// Lastovetsky, Rychkov 2011, for processors that are noisy, change their speed and stop). docs/background/adaptive.md has the rules.
#pragma once

#include "adaptive/partial_function.hpp"
#include "adaptive/trials.hpp"
#include "core/options.hpp"
#include "models/platform.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hpart
{

struct AdaptiveSettings {
    double tolerance = 0.05;        // of the time above the least
    double change = 0.25;           // a time that much off at a size that was run before tells of another speed
    double move_cost = 0;           // seconds for a unit of size that changes its processor
    double horizon = 100;           // iterations in which a move must pay
    std::vector<std::int64_t> from; // the first distribution; empty: equal parts

    static AdaptiveSettings from_options(const Options &options);
};

class Adaptive
{
  public:
    Adaptive(std::int64_t processors, std::int64_t size, AdaptiveSettings settings);

    std::int64_t processors() const { return static_cast<std::int64_t>(processors_.size()); }
    const std::vector<std::int64_t> &distribution() const { return current_; }
    bool converged() const { return state_ == State::converged || state_ == State::settled; }

    // The size from now on. Each part is taken to have grown or shrunk alike, and moves from there.
    void set_size(std::int64_t size);
    // Before the first iteration: the times of the platform's points, and its largest sizes. The next distribution is the best by these.
    void start_from(const Platform &platform);
    // smallest <= x[i] <= largest from now on. A processor that had stopped begins anew.
    void set_limits(std::int64_t processor, std::int64_t smallest, std::int64_t largest);
    // An iteration's sizes and times: infinity of a processor that has stopped; without meaning where the size is 0.
    void update(std::span<const std::int64_t> x, std::span<const double> seconds);

    Platform functions() const;
    Report report() const;

  private:
    enum class State : std::uint8_t {
        searching, // the next distribution differs, or the times of one were not enough to tell
        converged, // none is known to be better by more than the tolerance
        settled    // the best of those that were run: what the functions promised was not kept
    };
    static std::string_view name_of(State state);

    // A time that a processor's earlier ones at this size do not explain.
    struct Suspect {
        std::int64_t size;
        double seconds;
        bool is_slower;
        bool is_first; // the first time at its size
    };

    struct ProcessorState {
        SizeBounds limits{0, std::numeric_limits<std::int64_t>::max()};  // as they were set
        std::int64_t largest = std::numeric_limits<std::int64_t>::max(); // of the platform that it starts from
        PartialFunction function;
        std::optional<Suspect> suspect;
        bool has_stopped = false;
        bool starts_slowly = false;                // a first run of a size took far longer than the second
        bool varies = false;                       // its costs come in phases
        std::optional<bool> was_slower;            // after the last change of speed than before it
        std::int64_t returns = 0, returned_at = 0; // changes of speed that were undone; the last one's iteration
        std::int64_t deviations = 0; // in phases: times far above the mean in a row, or below it: negative
        std::int64_t calm = 0;       // times near it in a row

        std::int64_t most() const { return std::min(limits.largest, largest); }
    };

    struct Run {
        std::vector<std::int64_t> x;
        double seconds;
    };

    static void check_size(std::int64_t processors, std::int64_t size);
    void check_iteration(std::span<const std::int64_t> x, std::span<const double> seconds) const;
    void take_iteration(std::span<const std::int64_t> x, std::span<const double> seconds);
    bool is_far_above_prediction(const PartialFunction &function, std::int64_t size, double seconds) const;
    void fit(ProcessorState &processor, std::int64_t size, double seconds);
    void note_change(ProcessorState &processor, bool is_slower);
    // Returns whether the processor's speed has changed.
    bool observe(ProcessorState &processor, std::int64_t size, double seconds);
    bool returned(ProcessorState &processor) const;
    bool observe_phases(ProcessorState &processor, std::int64_t size, double seconds);
    void begin_search();
    void decide(bool has_changed);
    bool has_drifted(double seconds);
    void judge_run(double seconds);
    bool awaits_confirmation();
    bool has_phases() const;
    bool wants_idle(std::int64_t size) const;
    double least_by_functions(const std::vector<MonotoneCurve> &curves) const;
    void compare_with_best(double seconds);
    bool is_good_enough() const;
    void forget_other_sizes();
    void forget_cold_start();
    std::vector<std::int64_t> choose_move(double seconds) const;
    std::optional<std::vector<std::int64_t>> find_trial(double seconds);
    bool try_idle(double seconds, const std::vector<std::int64_t> &next);
    void move_to(std::vector<std::int64_t> x);
    std::vector<std::int64_t> best_by_points() const;
    bool is_within_bounds(const std::vector<std::int64_t> &x) const;
    void move_within_bounds();

    std::vector<MonotoneCurve> curves() const;
    bool knows_functions() const;
    std::vector<SizeBounds> bounds() const;
    void require_feasible() const;
    double current_seconds() const;
    // The largest deviation from the mean of `count` times at the same speed that is no change of speed; logarithms.
    double threshold(double count) const;
    // Iterations that the current distribution is kept before it is judged.
    std::int64_t hold() const;
    // Iterations that decide whether a trial gains.
    std::int64_t iterations_of_trial() const;
    // The share by which noise may raise the largest of the times at the current distribution.
    double margin() const;

    AdaptiveSettings settings_;
    std::int64_t size_;
    std::vector<ProcessorState> processors_;
    std::vector<std::int64_t> current_;
    State state_ = State::searching;

    std::int64_t iteration_ = 0;
    bool is_cold_ = false;             // nothing was known before the first iteration
    std::int64_t held_ = 0;            // iterations at the current distribution
    std::int64_t failures_ = 0;        // moves of this search that gained nothing
    std::int64_t failed_trials_ = 0;   // since the last trial that gained
    bool is_trying_ = false;           // the search looks for lucky sizes
    bool has_doubted_ = false;         // in this search
    std::vector<std::int64_t> origin_; // trials are so many steps off
    bool is_judged_ = false;           // the current distribution was compared with the best
    bool deferred_ = false;            // the last decision waited for a suspect
    std::optional<Run> best_;          // of this search
    double settled_seconds_ = 0, settled_excess_ = 0;

    Noise noise_;
    double imbalance_ = 0, excess_ = 0; // of the last iteration; of the current distribution
    std::int64_t moves_ = 0, moved_ = 0, changes_ = 0;
};

} // namespace hpart
