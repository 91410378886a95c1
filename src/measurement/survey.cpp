#include "measurement/survey.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "measurement/resumable_file.hpp"
#include "models/platform_file.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

// A point of a file that says nothing of its interval.
constexpr double unknown_half_width = 0.025;
constexpr std::int64_t unknown_repetitions = 10;
// Repetitions of a point of a file, which must agree.
constexpr std::int64_t checked_repetitions = 3;

} // namespace

Survey::Survey(const Team &team, const OptimizeRequest &request, optimum::Search &search, const Poll &poll)
    : team_(team), request_(request), search_(search), poll_(poll), last_sizes_(team.count()),
      platform_(platform_of(team, !is_in_turn(), Statistic::median)), counts_of_each_(team.count()),
      failed_(team.count())
{
    if (search.kind() == FunctionKind::energy) {
        require_meters(team);
        energy_.emplace(team, request.energy, true);
    }
    start_platform();
    if (!energy_) return;
    energy_->prepare(platform_, poll_);
    search_.set_base_power(platform_.base_power(), half_width_of(energy_->base_power(), request.race.confidence));
}

void Survey::start_platform()
{
    if (!request_.file.empty()) {
        require_writable_file(request_.file);
        lock_file(request_.file, lock_);
        if (auto found = read_to_continue(request_.file, platform_)) return go_on(std::move(*found));
    }
    platform_.facts.state(Topic::sizes_of_search, "");
    if (energy_) energy_->describe(platform_);
}

void Survey::go_on(Platform found)
{
    if (energy_ && has_energies(found)) {
        if (const auto reason = energy_->resume(found); !reason.empty()) refuse_file(request_.file, reason);
    } else if (energy_) {
        energy_->describe(found);
    }
    platform_ = std::move(found);
    has_file_ = true;
    take_known(FunctionKind::time);
    check_kernel();
    if (energy_) take_known(FunctionKind::energy);
}

void Survey::take_known(FunctionKind kind)
{
    for (std::size_t i = 0; i < team_.count(); ++i) {
        const auto &points = platform_.points(static_cast<std::int64_t>(i));
        auto &function = search_.function(i, kind);
        for (std::size_t k = 0; k < points.count(); ++k) {
            const double value = points.values(kind)[k];
            const auto at = search_.index_of(i, points.sizes[k]);
            if (std::isnan(value) || at == function.count() || function.sizes()[at] != points.sizes[k]) continue;
            if (kind == FunctionKind::energy && value == 0)
                continue; // measured below 0, by an amount that the file lacks
            double half_width = unknown_half_width * value;
            std::int64_t repetitions = unknown_repetitions;
            if (points.intervals && !std::isnan(points.intervals->high(kind)[k]))
                half_width = std::max(points.intervals->high(kind)[k] - value, value - points.intervals->low(kind)[k]);
            if (kind == FunctionKind::time && points.intervals && points.intervals->repetitions[k] > 0)
                repetitions = points.intervals->repetitions[k];
            function.add_known(at, value, half_width, repetitions);
            if (kind == search_.kind()) ++known_points_;
        }
    }
}

// The machine may be another one, and a program, or a kernel without a name, may have changed since the file was written.
void Survey::check_kernel()
{
    const double tolerance = tolerance_of(platform_, team_, request_.resume_tolerance);
    if (!is_to_be_checked(platform_, team_) || std::isinf(tolerance)) return;
    std::vector<Batch> batches;
    for (std::size_t i = 0; i < team_.count(); ++i) {
        std::vector<std::int64_t> known;
        for (std::size_t k = 0; k < times(i).count(); ++k)
            if (times(i).is_measured(k)) known.push_back(times(i).sizes()[k]);
        if (const auto size = size_to_check({known})) batches.push_back({i, *size, checked_repetitions, {}, ""});
    }
    run_step(batches);
    for (auto &batch : batches) {
        if (batch.seconds.empty()) continue;
        const auto before = times(batch.processor).interval(search_.index_of(batch.processor, batch.size));
        require_agreement(request_.file, platform_,
                          {team_.member(batch.processor).name, batch.size, before.value, median(batch.seconds),
                           before.high - before.value},
                          tolerance);
    }
    note_origin(platform_, team_);
}

void Survey::run(std::span<const optimum::Request> requests, const Budget &budget)
{
    measure_times(requests, budget);
    if (energy_) measure_energies(requests, budget);
}

void Survey::measure_times(std::span<const optimum::Request> requests, const Budget &budget)
{
    std::vector<std::deque<Batch>> left(team_.count());
    for (const auto &[i, k, repetitions, kind] : requests)
        if (kind == FunctionKind::time) left[i].push_back({i, times(i).sizes()[k], repetitions, {}, ""});
    for (auto step = take_step(left); !step.empty(); step = take_step(left)) {
        counts_.add(run_step(step));
        for (const auto &batch : step) {
            const auto k = search_.index_of(batch.processor, batch.size);
            // Company has seconds if an application ran it. If it fails now, its earlier measurements stay.
            if (batch.repetitions == 0 && (batch.seconds.empty() || !batch.failure.empty())) continue;
            if (!batch.failure.empty()) {
                exclude(batch.processor, k, batch.failure);
                continue;
            }
            times(batch.processor).add(k, batch.seconds, team_.member(batch.processor).kernel->printed_step());
            keep(batch.processor, k);
            last_sizes_[batch.processor] = batch.size;
        }
        if (seconds_since(written_) > least_seconds_between_writes) write();
        if (budget.is_up()) return;
    }
}

// One after another, if processors never run together.
BatchCounts Survey::run_step(std::span<Batch> step)
{
    BatchCounts counts;
    const auto length = is_in_turn() ? 1 : std::max<std::size_t>(1, step.size());
    for (std::size_t at = 0; at < step.size(); at += length) {
        const auto together = step.subspan(at, length);
        const auto begin = Clock::now();
        try {
            counts.add(run_batches(team_, together, request_.batches, counts_of_each_, poll_));
        } catch (...) { // the budget ended, or an interrupt
            note_unfinished(together, seconds_since(begin));
            throw;
        }
    }
    return counts;
}

// The next step runs them again, so that they have not failed. Runs that lasted no longer than known ones had just begun.
void Survey::note_unfinished(std::span<const Batch> step, double seconds)
{
    const auto longest_known = [&](std::size_t i) {
        double longest = 0;
        for (std::size_t k = 0; k < times(i).count(); ++k)
            if (times(i).is_measured(k)) longest = std::max(longest, times(i).interval(k).value);
        return longest;
    };
    const bool all_ready = std::all_of(step.begin(), step.end(), [](const auto &batch) { return batch.is_ready; });
    unfinished_.clear();
    for (const auto &batch : step)
        if ((all_ready ? batch.repetitions > 0 && batch.seconds.empty() : !batch.is_ready) &&
            seconds > static_cast<double>(batch.repetitions + 1) * longest_known(batch.processor))
            unfinished_ += text(unfinished_.empty() ? "" : "; ", team_.member(batch.processor).name, " size ",
                                batch.size, " after ", std::round(10 * seconds) / 10, " s");
}

// The next batch of each processor. A processor without one keeps the others company, at the size that it measured last.
std::vector<Batch> Survey::take_step(std::vector<std::deque<Batch>> &left) const
{
    std::vector<Batch> step;
    if (std::all_of(left.begin(), left.end(), [](const auto &batches) { return batches.empty(); })) return step;
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (!left[i].empty()) {
            step.push_back(std::move(left[i].front()));
            left[i].pop_front();
        } else if (last_sizes_[i] > 0 && request_.is_simultaneous()) {
            step.push_back({i, last_sizes_[i], 0, {}, ""});
        }
    }
    return step;
}

void Survey::measure_energies(std::span<const optimum::Request> requests, const Budget &budget)
{
    for (const auto &[i, k, repetitions, kind] : requests) {
        auto &function = search_.function(i);
        if (kind != FunctionKind::energy || function.is_excluded(k)) continue;
        if (budget.is_up()) return;
        std::vector<Slice> slices(team_.count());
        slices[i] = {0, function.sizes()[k]};
        const auto begin = Clock::now();
        try {
            const auto measured = energy_->windows(std::move(slices), repetitions, poll_);
            energy_->require_no_less_than_nothing(i, function.sizes()[k], measured.estimates.front());
            function.add(k, measured.samples);
            function.set_systematic_error(k, measured.estimates.front().base_half_width);
            counts_.repetitions += measured.repetitions;
        } catch (const PointFailure &failure) {
            exclude(i, k, failure.reason());
        } catch (const MeterFailure &failure) { // its time stays; another point may have its energy
            exclude(i, k, text("no energy: ", failure.what()));
        }
        counts_.seconds += seconds_since(begin);
        keep(i, k);
        write(); // a round of windows may take minutes
    }
}

void Survey::exclude(std::size_t processor, std::size_t point, const std::string &reason)
{
    auto &function = search_.function(processor);
    if (function.is_excluded(point)) return;
    search_.exclude(processor, point);
    auto &failed = failed_[processor];
    if (failed.count++ == 0) failed = {1, function.sizes()[point], reason};
    note_failure(platform_.facts, team_.member(processor).name, function.sizes()[point], reason);
}

void Survey::keep(std::size_t processor, std::size_t point)
{
    const auto &time = times(processor), &function = search_.function(processor);
    if (!time.is_measured(point) || function.is_excluded(point)) return;
    const auto i = static_cast<std::int64_t>(processor);
    const auto size = time.sizes()[point];
    note_failure(platform_.facts, team_.member(processor).name, size, "");
    const auto seconds = time.interval(point);
    if (time.has_samples(point))
        platform_.set_point(i, FunctionKind::time, size,
                            {seconds.value, seconds.low, seconds.high, time.repetitions(point)});
    if (!is_energy() || !function.has_samples(point)) return;
    const auto joules = function.interval(point);
    platform_.set_point(i, FunctionKind::energy, size, measured_point(joules.value, joules.low, joules.high));
    const auto &name = team_.member(processor).name;
    platform_.facts.erase_if<Note>([&](const Note &note) {
        if (note.kind != NoteKind::imprecise || !note.is_at(name, size)) return false;
        const auto known = Imprecision::read(note.text);
        return known && known->is_energy;
    });
    const double measured = function.measured_median(point);
    if (measured >= 0) return;
    const auto known = imprecise_energy(measured, measured + joules.high - joules.value, function.repetitions(point));
    platform_.facts.add(Note{NoteKind::imprecise, name, size, known.line()});
}

std::int64_t Survey::keep_all()
{
    std::int64_t points = 0;
    for (std::size_t i = 0; i < team_.count(); ++i)
        for (std::size_t k = 0; k < search_.function(i).count(); ++k) {
            if (!search_.function(i).is_measured(k)) continue;
            keep(i, k);
            ++points;
        }
    write();
    return points;
}

void Survey::keep_choice(const ChosenDistribution &choice)
{
    note_choice(platform_.facts, choice);
    write();
}

void Survey::write()
{
    written_ = Clock::now();
    note_time_doubt(platform_.facts, team_.time_doubt());
    if (request_.file.empty()) return;
    for (std::size_t i = 0; i < team_.count() && !has_file_; ++i)
        if (platform_.points(static_cast<std::int64_t>(i)).count() == 0) return;
    write_platform(platform_, request_.file);
    has_file_ = true;
}

void Survey::add_energies(const std::vector<Slice> &slices, const EnergyMeasurement &measured)
{
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < slices.size(); ++i)
        if (slices[i].rows > 0) active.push_back(i);
    const auto meters = measured.estimates.size();
    if (meters != active.size()) return; // one of the node, for several
    for (std::size_t a = 0; a < meters; ++a) {
        const auto k = search_.index_of(active[a], slices[active[a]].rows);
        std::vector<double> samples;
        for (std::size_t s = a; s < measured.samples.size(); s += meters) samples.push_back(measured.samples[s]);
        auto &function = search_.function(active[a], FunctionKind::energy);
        function.add(k, samples);
        function.set_systematic_error(k, measured.estimates[a].base_half_width);
    }
}

double Survey::joules_of(const std::vector<Slice> &slices)
{
    const auto measured = energy_->windows(slices, 2, poll_);
    add_energies(slices, measured);
    double joules = 0, seconds = 0;
    for (const auto &estimate : measured.estimates) {
        joules += estimate.joules;
        seconds = std::max(seconds, estimate.seconds);
    }
    return joules + (objective_kind(search_.rules().objective).needs_base_power ? platform_.base_power() * seconds : 0);
}

} // namespace hpart
