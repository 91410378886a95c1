// The start of a search: at another size, or from known functions.
#include "adaptive/adaptive.hpp"

#include "adaptive/trials.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "partitioners/calls/partition.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hpart
{

namespace
{

// The same shares of another size.
std::vector<std::int64_t> scaled(const std::vector<std::int64_t> &x, std::int64_t from, std::int64_t to)
{
    std::vector<std::int64_t> out;
    std::int64_t sum = 0, given = 0;
    for (const auto part : x) {
        sum += part;
        const double share = static_cast<double>(sum) / static_cast<double>(from);
        const auto end = std::min(to, static_cast<std::int64_t>(std::llround(static_cast<double>(to) * share)));
        out.push_back(end - given);
        given = end;
    }
    return out;
}

std::vector<Observation> times_of(const Points &points)
{
    std::vector<Observation> times;
    for (std::size_t k = 0; k < points.count(); ++k) {
        if (std::isnan(points.seconds[k]) || points.sizes[k] > largest_size) continue;
        times.push_back({points.sizes[k], std::clamp(points.seconds[k], least_seconds, longest_seconds), 1, 0});
    }
    return times;
}

} // namespace

void Adaptive::set_size(std::int64_t size)
{
    check_size(processors(), size);
    if (size == size_) return;
    auto next = *this;
    next.size_ = size;
    next.require_feasible();
    next.begin_search();
    next.held_ = 0;
    next.is_judged_ = false;
    if (iteration_ == 0 && knows_functions())
        next.current_ = next.best_by_points();
    else
        next.current_ = size_ == 0 ? level(next.curves(), next.bounds(), size) : scaled(current_, size_, size);
    if (!next.is_within_bounds(next.current_)) {
        next.move_within_bounds();
    } else if (iteration_ > 0 && knows_functions()) {
        const double seconds = seconds_of(next.curves(), next.current_);
        next.compare_with_best(seconds);
        if (next.excess_ > settings_.tolerance) next.move_to(next.choose_move(seconds));
    }
    *this = std::move(next);
}

void Adaptive::start_from(const Platform &platform)
{
    if (iteration_ > 0)
        fail_argument(pluralise(iteration_, "iteration"), " came before; functions must be given before the first one");
    if (platform.count() != processors())
        fail_argument("the platform has ", pluralise(platform.count(), "processor"), "; it must have ", processors());
    auto next = *this;
    for (std::int64_t i = 0; i < processors(); ++i) {
        auto &processor = next.processors_[static_cast<std::size_t>(i)];
        processor.function.set(times_of(platform.points(i)));
        processor.largest = platform.processor(i).limits.largest;
        if (processor.largest < processor.limits.smallest)
            fail(Status::infeasible, "processor[", i, "] takes at most ", processor.largest,
                 " by the platform; its smallest size is ", processor.limits.smallest);
    }
    if (!next.knows_functions()) fail_argument("the platform has no time functions; profile them, or set them");
    next.require_feasible();
    next.begin_search();
    next.current_ = next.best_by_points();
    *this = std::move(next);
}

bool Adaptive::knows_functions() const
{
    return std::any_of(processors_.begin(), processors_.end(),
                       [](const auto &processor) { return processor.function.is_known(); });
}

// The exact optimum over the sizes that are known; where these leave gaps, and what lies between them promises far less, the best
// by the curves.
std::vector<std::int64_t> Adaptive::best_by_points() const
{
    const auto all_curves = curves();
    auto levelled = level(all_curves, bounds(), size_);
    PartitionRequest request;
    request.size = size_;
    request.wants_joules = false;
    auto control = limits_of_update();
    try {
        auto exact = partition(functions(), request, control);
        if (exact.x.empty()) return levelled;
        const bool is_near = exact.seconds <= seconds_of(all_curves, levelled) * (1 + settings_.change);
        if (is_near && is_within_bounds(exact.x)) return std::move(exact.x);
    } catch (const Error &error) {
        if (error.status() != Status::infeasible) throw; // the points do not sum to the size
    }
    return levelled;
}

} // namespace hpart
