// Problem: one point of each class's core, shifts from the base summing to the residual T, with the least sum of reduced costs, at most
// a cap.
//
// States are sums of shifts, a layer is a dense interval of them; a class is one (min,+) convolution of the layer with its points.
// - Stride. Only sums congruent to T modulo the greatest common divisor of all shifts still to come can end at T: a layer is stored at
//   that stride. In the best order the classes come by divisor, then by span, both rising: fine sizes first, while the layers are
//   short.
// - Bounds. For any slope s and a rest R still to be made up, sum r >= s R - sum over the classes to come of max (s a - r): a
//   Lagrangian bound, for a fixed set of slopes. It bounds the intervals beforehand and drops states from both ends of a layer.
// - Layers are kept for the walk back, or each kth, the others made again from it, where memory does not hold them.
// Each layer's intervals follow from the instance and the cap alone, and the states dropped are provably above the cap: the walk back
// finds the least sum, and at each class the points that attain it. It says whether any other choice comes within the margin of the
// one found: two choices that differ have a last stage where they part, at the same sum. core.cpp decides among several.
// Time: sum over the classes of interval x points / vector length. Source: design of hpart.
#include "partitioners/search/core_program.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/simd/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hpart
{

namespace
{

constexpr std::int64_t farthest = std::numeric_limits<std::int64_t>::max() / 2; // sums of shifts stay within

std::int64_t clamp(double value) { return static_cast<std::int64_t>(std::clamp(value, -0x1p61, 0x1p61)); }

std::int64_t bounded_add(std::int64_t a, std::int64_t b)
{
    return std::clamp(saturating_add(a, b), -farthest, farthest);
}

} // namespace

CoreProgram::CoreProgram(const CoreProblem &problem, const Core &core, double cap, double margin, CoreOrder order)
    : problem_(problem), cap_(cap), margin_(margin), order_(order)
{
    take_classes(core);
    if (!possible_) return;
    if (order_ == CoreOrder::best) sort_stages();
    set_slopes();
    sum_from_the_end();
    possible_ = bound_intervals();
    if (possible_) estimate();
}

void CoreProgram::take_classes(const Core &core)
{
    points_.reserve(core.points.size());
    struct List {
        std::size_t begin;
        std::size_t end;
        std::int64_t divisor = 0;
    };
    std::vector<List> lists;
    lists.reserve(core.lists());
    for (std::size_t l = 0; l < core.lists(); ++l) {
        List list{points_.size(), 0};
        const auto points = core.list(l);
        for (auto k = points.size(); k-- > 0;)
            if (points[k].reduced <= cap_) points_.push_back(points[k]);
        list.end = points_.size();
        if (list.begin == list.end) {
            possible_ = false;
            return;
        }
        for (auto k = list.begin; k < list.end && list.divisor != 1; ++k)
            list.divisor = std::gcd(list.divisor, points_[k].shift);
        lists.push_back(list);
    }
    stages_.reserve(core.owners.size());
    for (std::size_t c = 0; c < core.owners.size(); ++c) {
        const auto &[begin, end, divisor] = lists[core.list_of[c]];
        const bool is_fixed = end - begin == 1 && points_[begin].shift == 0; // at its base
        if (is_fixed) continue;
        stages_.push_back({});
        auto &stage = stages_.back();
        stage.owner = core.owners[c];
        stage.begin = begin;
        stage.end = end;
        stage.divisor = divisor;
    }
}

void CoreProgram::sort_stages()
{
    const auto span = [&](const Stage &stage) { return points_[stage.begin].shift - points_[stage.end - 1].shift; };
    std::stable_sort(stages_.begin(), stages_.end(), [&](const Stage &a, const Stage &b) {
        if (a.divisor != b.divisor) return a.divisor < b.divisor;
        if (span(a) != span(b)) return span(a) < span(b);
        return problem_.sum.function_of[a.owner] < problem_.sum.function_of[b.owner]; // copies stand together
    });
}

void CoreProgram::set_slopes()
{
    double widest = 1;
    for (const auto &point : points_) widest = std::max(widest, std::abs(static_cast<double>(point.shift)));
    for (std::size_t k = 0; k < half_slopes; ++k) {
        const auto slope = std::ldexp(cap_ / widest, static_cast<int>(k) - 1);
        slopes_[k] = slope;
        slopes_[half_slopes + k] = -slope;
    }
}

void CoreProgram::sum_from_the_end()
{
    slack_ = 4 * unit_roundoff * (static_cast<double>(stages_.size()) + 8);
    least_left_.assign(stages_.size() + 1, 0);
    most_left_.assign(stages_.size() + 1, 0);
    PerSlope gain{};
    PerSlope most{};
    std::int64_t divisor = 0;
    for (auto z = stages_.size(); z-- > 0;) {
        auto &stage = stages_[z];
        least_left_[z] = bounded_add(least_left_[z + 1], points_[stage.end - 1].shift);
        most_left_[z] = bounded_add(most_left_[z + 1], points_[stage.begin].shift);
        divisor = std::gcd(divisor, stage.divisor);
        stage.divisor = divisor;
        const bool is_copy = z + 1 < stages_.size() && stages_[z + 1].begin == stage.begin;
        if (!is_copy) most.fill(-infinity);
        for (auto k = stage.begin; k < stage.end && !is_copy; ++k) {
            const auto shift = static_cast<double>(points_[k].shift);
            const auto reduced = points_[k].reduced;
            for (std::size_t s = 0; s < most.size(); ++s) most[s] = std::max(most[s], slopes_[s] * shift - reduced);
        }
        for (std::size_t s = 0; s < gain.size(); ++s) gain[s] += std::max(0.0, most[s]);
        stage.gain = gain;
    }
    costs_.reserve(points_.size());
    for (const auto &point : points_) costs_.push_back(point.reduced);
}

std::int64_t CoreProgram::align_up(std::int64_t sum, std::int64_t divisor) const
{
    auto rest = (problem_.base.residual - sum) % divisor;
    if (rest < 0) rest += divisor;
    return sum + rest;
}

std::int64_t CoreProgram::align_down(std::int64_t sum, std::int64_t divisor) const
{
    auto rest = (sum - problem_.base.residual) % divisor;
    if (rest < 0) rest += divisor;
    return sum - rest;
}

// Least sum of reduced costs of the stages from `stage` on that makes up `left`, from below.
double CoreProgram::least_rest(std::size_t stage, std::int64_t left) const
{
    if (stage == stages_.size()) return left == 0 ? 0 : infinity;
    const auto &gain = stages_[stage].gain;
    const auto distance = static_cast<double>(left);
    double least = 0;
    for (std::size_t s = 0; s < gain.size(); ++s)
        least = std::max(least, slopes_[s] * distance * (1 - 8 * unit_roundoff) - gain[s] * (1 + slack_));
    return least;
}

bool CoreProgram::bound_intervals()
{
    const auto target = problem_.base.residual;
    if (stages_.empty()) return target == 0;
    if (target % stages_.front().divisor != 0) return false;
    std::int64_t least = 0; // sums of the shifts before
    std::int64_t most = 0;
    for (std::size_t z = 0; z < stages_.size(); ++z) {
        auto &stage = stages_[z];
        auto rest_low = least_left_[z];
        auto rest_high = most_left_[z];
        for (std::size_t s = 0; s < half_slopes; ++s) {
            const auto reach = [&](double gain) {
                return clamp((cap_ + gain * (1 + slack_)) / slopes_[s] * (1 + 16 * unit_roundoff) + 1);
            };
            if (!(slopes_[s] > 0)) continue;
            rest_high = std::min(rest_high, reach(stage.gain[s]));
            rest_low = std::max(rest_low, -reach(stage.gain[half_slopes + s]));
        }
        stage.low = align_up(std::max(least, bounded_add(target, -rest_high)), stage.divisor);
        stage.high = align_down(std::min(most, bounded_add(target, -rest_low)), stage.divisor);
        if (stage.low > stage.high) return false;
        least = bounded_add(least, points_[stage.end - 1].shift);
        most = bounded_add(most, points_[stage.begin].shift);
    }
    return least <= target && target <= most;
}

void CoreProgram::estimate()
{
    constexpr double sparse_cost = 32; // of a state in a sorted list, in pairs of a dense layer
    double states = 1;
    double sparse = 0;
    for (std::size_t z = 0; z < stages_.size(); ++z) {
        const auto count = static_cast<double>(stages_[z].end - stages_[z].begin);
        const auto width = [&](std::size_t at, std::int64_t divisor) {
            return static_cast<double>(stages_[at].high - stages_[at].low) / static_cast<double>(divisor) + 1;
        };
        states = std::min(states, width(z, stages_[z].divisor));
        sparse += sparse_cost * states * count;
        states *= count;
        bytes_ += (width(z, stages_[z].divisor) + 3 * layer_padding) * sizeof(double);
        if (z + 1 == stages_.size()) break;
        work_ += (width(z + 1, stages_[z].divisor) + 4 * layer_padding) * count;
        bytes_ +=
            (stages_[z + 1].divisor != stages_[z].divisor ? width(z + 1, stages_[z].divisor) : 0) * sizeof(double);
    }
    // Many choices may share few sums: where the layers are long, these are counted as far as counting costs little.
    constexpr double pairs_for_one = 2048, most_counted = 2e6; // an eighth of the work; a fifth of a second
    sparse_ = work_ > sparse + 1e6 || (work_ > 1e8 && sums_are_at_most(std::min(work_ / pairs_for_one, most_counted)));
}

// True if all layers together have so few states at most, whatever their values.
bool CoreProgram::sums_are_at_most(double most) const
{
    std::vector<std::int64_t> sums{0}, next;
    double all = 0;
    for (std::size_t z = 0; z + 1 < stages_.size(); ++z) {
        const auto &stage = stages_[z];
        all += static_cast<double>(sums.size()) * static_cast<double>(stage.end - stage.begin);
        if (all > most) return false;
        next.clear();
        for (auto k = stage.begin; k < stage.end; ++k)
            for (const auto sum : sums) {
                const auto after = sum + points_[k].shift;
                if (after >= stages_[z + 1].low && after <= stages_[z + 1].high) next.push_back(after);
            }
        std::sort(next.begin(), next.end());
        next.erase(std::unique(next.begin(), next.end()), next.end());
        std::swap(sums, next);
    }
    return true;
}

std::size_t CoreProgram::longest_skip() const
{
    return static_cast<std::size_t>(std::sqrt(static_cast<double>(stages_.size()))) + 1;
}

// Every so manieth layer, and those in between for one such stretch.
double CoreProgram::least_bytes() const
{
    const auto skip = static_cast<double>(longest_skip());
    return std::min(1.0, 2 * (skip + 1) / static_cast<double>(stages_.size() + 1)) * bytes_;
}

// True if no choice within the cap passes through that state before the stage.
bool CoreProgram::is_hopeless(std::size_t stage, std::int64_t sum, double value) const
{
    return value + least_rest(stage, problem_.base.residual - sum) > cap_;
}

CoreProgram::Layer CoreProgram::first_layer()
{
    Layer layer;
    layer.count = 1;
    layer.first = layer_padding;
    layer.room = std::make_unique<double[]>(3 * layer_padding);
    std::fill_n(layer.room.get(), 3 * layer_padding, infinity);
    layer.data()[0] = 0;
    return layer;
}

void CoreProgram::trim(std::size_t stage, Layer &layer) const
{
    const auto stride = stages_[stage].divisor;
    const auto sum = [&](std::size_t k) { return layer.low + static_cast<std::int64_t>(k) * stride; };
    const auto is_dropped = [&](std::size_t k) {
        auto &value = layer.data()[k];
        if (value != infinity && !is_hopeless(stage, sum(k), value)) return false;
        value = infinity;
        return true;
    };
    while (layer.count > 0 && is_dropped(layer.count - 1)) --layer.count;
    std::size_t first = 0;
    while (first < layer.count && is_dropped(first)) ++first;
    layer.low = sum(first);
    layer.count -= first;
    layer.first += first;
}

CoreProgram::Layer CoreProgram::next_layer(std::size_t z, const Layer &layer)
{
    const auto &stage = stages_[z];
    const auto &next = stages_[z + 1];
    const auto stride = stage.divisor;
    Layer out;
    out.first = layer_padding;
    if (layer.count == 0) return out;
    const auto last = layer.low + static_cast<std::int64_t>(layer.count - 1) * stride;
    out.low = align_up(std::max(next.low, bounded_add(layer.low, points_[stage.end - 1].shift)), next.divisor);
    const auto high = align_down(std::min(next.high, bounded_add(last, points_[stage.begin].shift)), next.divisor);
    if (out.low > high) return out;
    offsets_.clear();
    for (auto k = stage.begin; k < stage.end; ++k)
        offsets_.push_back((out.low - layer.low - points_[k].shift) / stride);
    const auto count = static_cast<std::size_t>((high - out.low) / stride) + 1;
    out.count = static_cast<std::size_t>((high - out.low) / next.divisor) + 1;
    const auto room = [](std::size_t values) { return (values / layer_padding + 3) * layer_padding; };
    const bool thins = next.divisor != stride;
    out.room.reset(new double[room(out.count)]); // written whole below
    if (thins) wide_.resize(room(count));
    auto *values = thins ? wide_.data() : out.data();
    // Slices of about a millisecond.
    const auto slice =
        std::max<std::size_t>(1, (std::size_t{1} << 22U) / (layer_padding * offsets_.size())) * layer_padding;
    for (std::size_t from = 0; from < count; from += slice) {
        const auto to = std::min(count, from + slice);
        min_plus(problem_.sum.functions.simd_level(), layer.data(), layer.count, offsets_, costs_.data() + stage.begin,
                 values, from, to);
        if (pacer_ != nullptr) pacer_->spend(static_cast<std::int64_t>((to - from) * offsets_.size() / 4));
    }
    if (thins) {
        const auto ratio = static_cast<std::size_t>(next.divisor / stride);
        for (std::size_t k = 0; k < out.count; ++k) out.data()[k] = wide_[k * ratio];
    }
    std::fill_n(out.room.get(), layer_padding, infinity);
    std::fill(out.data() + out.count, out.room.get() + room(out.count), infinity);
    trim(z + 1, out);
    return out;
}

// Makes the layer before `stage` again, and those from the last kept one on.
void CoreProgram::restore(std::size_t stage)
{
    auto from = stage;
    while (!layers_[from].room) --from;
    for (; from < stage; ++from) layers_[from + 1] = next_layer(from, layers_[from]);
}

// False when a layer is empty: no choice is within the cap.
bool CoreProgram::fill(Control &control)
{
    ++control.counters.searches;
    if (!possible_) return false;
    if (bytes_ > static_cast<double>(control.memory_limit())) keep_every_ = longest_skip();
    Pacer pacer(control, "searching the least sum");
    pacer_ = &pacer;
    layers_.resize(stages_.size());
    if (!stages_.empty()) layers_[0] = first_layer();
    for (std::size_t z = 0; z + 1 < stages_.size(); ++z) {
        layers_[z + 1] = next_layer(z, layers_[z]);
        control.counters.states += static_cast<std::int64_t>(layers_[z + 1].count);
        if (layers_[z + 1].count == 0) return false;
        if (z % keep_every_ != 0) layers_[z].room.reset();
    }
    pacer_ = nullptr;
    return true;
}

std::optional<CoreAnswer> CoreProgram::run(Control &control)
{
    if (!fill(control)) return std::nullopt;
    Pacer pacer(control, "searching the least sum");
    pacer_ = &pacer;
    auto answer = walk_back();
    pacer_ = nullptr;
    return answer;
}

std::optional<CoreAnswer> CoreProgram::walk_back()
{
    CoreAnswer answer{problem_.base.points, 0, true, true};
    auto sum = problem_.base.residual;
    for (auto z = stages_.size(); z-- > 0;) {
        restore(z);
        const auto &stage = stages_[z];
        const auto &layer = layers_[z];
        auto least = infinity;
        std::size_t best = stage.end;
        const auto value_from = [&](std::size_t k) { return value_before(stage, layer, k, sum) + costs_[k]; };
        for (auto k = stage.begin; k < stage.end; ++k) { // by falling size: the smallest of equals stays
            const auto value = value_from(k);
            if (value > least || value == infinity) continue;
            least = value;
            best = k;
        }
        if (best == stage.end) return std::nullopt;
        if (z + 1 == stages_.size()) {
            if (least > cap_) return std::nullopt;
            answer.value = least;
        }
        for (auto k = stage.begin; k < stage.end && answer.is_only; ++k)
            answer.is_only = k == best || value_from(k) > least + margin_;
        auto &chosen = answer.points[stage.owner];
        chosen = {points_[best].point, chosen.size + points_[best].shift, points_[best].cost};
        sum -= points_[best].shift;
        if (z % keep_every_ != 0) layers_[z].room.reset();
    }
    answer.is_best = answer.is_only;
    return answer;
}

} // namespace hpart
