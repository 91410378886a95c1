// A study in words and tables.

#include "core/text.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "study.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace hpart_command
{

namespace
{

using hpart::pluralise;

constexpr std::size_t most_listed = 50; // sizes that a terminal shows

// "12", "3.4", "0": without the sign of per cent.
std::string percent_number(double share)
{
    constexpr double least_shown = 0.05, most_with_decimals = 9.95;
    const double percent = 100 * share;
    if (std::abs(percent) < least_shown) return "0";
    if (std::isinf(percent)) return percent < 0 ? "-inf" : "inf";
    return fixed_text(percent, std::abs(percent) < most_with_decimals ? 1 : 0);
}

std::string saved_text(double share) { return std::isnan(share) ? "" : percent_number(share) + " %"; }

std::string range_text(const Statistics &of)
{
    return text(percent_number(of.least), " to ", percent_number(of.most), " %");
}

std::string in_words(const std::string &method)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> words = {
        {{"equal", "equal parts"},
         {"cpm", "CPM's"},
         {"fpm", "FPM's"},
         {"smooth-fpm", "smooth FPM's"},
         {"balanced", "balanced ones"},
         {fastest, "the fastest ones"},
         {least_energy, "those of least dynamic energy"}}};
    for (const auto &[name, said] : words)
        if (name == method) return std::string(said);
    return method + "'s"; // cpm@4096
}

struct Named {
    std::string method;
    Statistics statistics;
};

// Two methods to compare with in a sentence, those that everybody has in mind first.
std::vector<Named> compared(const Study &study, std::optional<Goal> goal)
{
    std::vector<Named> found;
    const auto order = goal && *goal != goal_time
                           ? std::vector<std::string>{"equal", fastest, "fpm", "balanced", "cpm", "smooth-fpm"}
                           : std::vector<std::string>{"equal", "fpm", "balanced", "cpm", "smooth-fpm"};
    for (const auto &method : order)
        if (const auto of = statistics_of(study, method, goal); of.count > 0 && found.size() < 2)
            found.push_back({method, of});
    return found;
}

std::size_t feasible_sizes(const Study &study)
{
    return static_cast<std::size_t>(
        std::count_if(study.sizes.begin(), study.sizes.end(), [](const auto &size) { return !size.failure; }));
}

// "12 % less"
std::string less_or_more(double gain)
{
    const auto number = percent_number(std::abs(gain));
    return text(number, " % ", gain >= 0 || number == "0" ? "less" : "more");
}

// "12 % less time than equal parts (0 to 34 %)"
std::string comparison(const Named &with, std::string_view what, std::size_t sizes)
{
    const auto &of = with.statistics;
    auto range = of.least < 0 ? text(less_or_more(of.least), " to ", less_or_more(of.most)) : range_text(of);
    if (of.count < sizes) range += text(", ", pluralise(of.count, "size"));
    return text(less_or_more(of.mean), what.empty() ? "" : " ", what, " than ", in_words(with.method),
                sizes > 1 ? text(" (", range, ")") : "");
}

// "take 12 % less time than equal parts (0 to 34 %). They take 3 % less than FPM's (0 to 9 %)."
std::string comparisons(const std::vector<Named> &methods, std::string_view verb, std::string_view what,
                        std::size_t sizes)
{
    auto out = text(verb, " ", comparison(methods.front(), what, sizes));
    if (methods.size() > 1) out += text(". They ", verb, " ", comparison(methods.back(), "", sizes));
    return out + ".\n";
}

// The number of sizes at which the intervals confirm a gain; without intervals, that this is not known.
std::string certainty(const std::vector<Named> &methods)
{
    std::string out;
    bool has_unsure = false;
    for (const auto &[method, of] : methods) {
        if (!of.sure) continue;
        out += text(out.empty() ? "By the intervals the gain against " : ". Against ", in_words(method),
                    out.empty() ? " is sure at " : " it is sure at ", *of.sure, " of ", pluralise(of.count, "size"));
        if (of.sure_losses > 0) out += text(" (a loss at ", of.sure_losses, ")");
        if (of.same > 0) out += text(" (the same split at ", of.same, ")");
        has_unsure = has_unsure || of.count > *of.sure + of.sure_losses + of.same;
    }
    if (out.empty()) return "The file has no intervals for these points, so no gain is known to be sure.\n";
    return out + (has_unsure ? ". Elsewhere they cannot be told apart.\n" : ".\n");
}

void add_rows(Table &table, const Study &study, std::string_view what, std::optional<Goal> goal)
{
    for (const auto &method : methods_of(study, goal)) {
        const auto of = statistics_of(study, method, goal);
        if (of.count == 0 && goal && *goal != goal_time) continue; // its sizes have no energies
        const auto sure = [&](std::size_t sizes) { return of.sure ? std::to_string(sizes) : of.count > 0 ? "-" : ""; };
        std::vector<std::string> cells = {std::string(what),
                                          method,
                                          std::to_string(of.count),
                                          saved_text(of.least),
                                          saved_text(of.mean),
                                          saved_text(of.most),
                                          std::isfinite(of.ratio_mean) ? fixed_text(of.ratio_mean, 3) : "",
                                          sure(of.sure.value_or(0))};
        if (study.is_run) cells.push_back(sure(of.sure_losses)); // predictions have none
        cells.push_back(of.count > 0 ? std::to_string(of.same) : "");
        table.add(std::move(cells));
    }
}

std::string summary_table(const Study &study)
{
    std::vector<std::string> headings = {"saved", "against",  ">sizes",      ">least",
                                         ">mean", ">largest", ">mean ratio", ">sure"};
    if (study.is_run) headings.emplace_back(">sure losses");
    headings.emplace_back(">same split");
    Table table(headings);
    if (study.is_run) add_rows(table, study, text("measured ", study.time()), std::nullopt);
    add_rows(table, study, study.time(), goal_time);
    if (study.has_energy) add_rows(table, study, hpart::objective_kind(hpart::Objective::energy).quantity, goal_energy);
    if (study.has_energy && study.base_power)
        add_rows(table, study, hpart::objective_kind(hpart::Objective::total_energy).quantity, goal_total);
    return table.text();
}

std::string front_text(const Study &study)
{
    std::string out;
    const auto all = front_statistics(study);
    const auto find = [&](const std::string &key) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto &each) { return each.first == key; });
        return found == all.end() ? Statistics{} : found->second;
    };
    const auto shown = [](const Statistics &of) { return text(saved_text(of.mean), " (", range_text(of), ")"); };
    for (const auto &[prefix, energy] : {std::pair{"", "dynamic energy"}, std::pair{"total_", "total energy"}}) {
        const auto points = find(std::string(prefix) + "front_points");
        if (points.count == 0) continue;
        const auto of = [&, &start = prefix](const char *key) { return shown(find(text(start, key))); };
        out += text("The front of time and ", energy, " has ", fixed_text(points.mean, 1), " points (",
                    fixed_text(points.least, 0), " to ", fixed_text(points.most, 0),
                    "). Within 1.05 of the least time it saves ", of("energy_saved_1.05"), " of ", energy,
                    ". Within 1.2 times that time it saves ", of("energy_saved_1.2"),
                    ". Within 1.05 of the least energy it saves ", of("time_saved_1.05"), " of time.\n");
    }
    return out;
}

std::string run_text(const Study &study)
{
    if (!study.is_run) return {};
    const auto shown = [](const Statistics &of) { return text(saved_text(of.mean), " (", range_text(of), ")"); };
    auto out = text("Measured times of the optimal distributions differ from predicted ones by ",
                    shown(prediction_errors(study)), ".\n");
    if (const auto errors = additivity_errors(study); errors.count > 0)
        out += text(energy_heading("Energies in parallel", study.energy_method),
                    " differ from the sums of the functions by ", shown(errors), ".\n");
    return out;
}

// "3.4 %", "3.4 % ~" if it is not sure, "0 % =" of the same split; empty if the method has no distribution.
std::string gain_cell(const Row &row, const Gain &gain)
{
    if (row.x.empty()) return "";
    return saved_text(gain.value) + (gain.is_same ? " =" : gain.is_sure == false ? " ~" : "");
}

std::string sizes_table(const Study &study)
{
    if (study.sizes.size() > most_listed)
        return text("More than ", most_listed, " sizes are not listed here: --format csv has them, and -o FOLDER.\n");
    std::vector<std::string> headings = {">size", ">optimal"};
    if (study.is_run) headings.emplace_back(">measured");
    for (const auto &baseline : study.baselines) headings.push_back('>' + baseline.name);
    if (study.has_energy) headings.emplace_back(">least energy");
    Table table(headings);
    bool has_unsure = false, has_same = false;
    for (const auto &size : study.sizes) {
        if (size.failure) continue;
        const auto &best = size.rows.front();
        std::vector<std::string> cells = {std::to_string(size.size),
                                          seconds_text(best.costs[goal_time].value, best.costs[goal_time].interval)};
        if (study.is_run)
            cells.push_back(best.execution ? seconds_text(best.execution->time.value, best.execution->time.interval)
                                           : "");
        for (std::size_t k = 1; k <= study.baselines.size(); ++k) {
            const auto &gain = study.is_run ? size.rows[k].measured : size.rows[k].gains[goal_time];
            cells.push_back(gain_cell(size.rows[k], gain));
            has_same = has_same || gain.is_same;
            has_unsure = has_unsure || (gain.is_sure == false && !gain.is_same);
        }
        if (study.has_energy) {
            const auto &least = size.rows[study.baselines.size() + 1];
            cells.push_back(least.x.empty() ? "" : joules_text(least.costs[goal_energy].value));
        }
        table.add(cells);
    }
    return text("Saved ", study.is_run ? "measured " : "", study.time(), " against each, by size:\n", table.text(),
                has_same ? "= the same split\n" : "", has_unsure ? "~ cannot be told apart\n" : "");
}

std::string skipped_text(const Study &study)
{
    const auto skipped = study.sizes.size() - feasible_sizes(study);
    if (skipped == 0) return {};
    const auto first =
        std::find_if(study.sizes.begin(), study.sizes.end(), [](const auto &size) { return size.failure; });
    return text("skipped: ", pluralise(skipped, "size"), " of ", study.sizes.size(), ", the first one ", first->size,
                ": ", first->failure->what(), "\n");
}

std::string why_no_baseline(const Study &study)
{
    for (const auto &size : study.sizes)
        for (const auto &row : size.rows)
            if (row.failure) return row.failure->what();
    return "none has a value";
}

} // namespace

std::string study_sentences(const Study &study)
{
    const auto goal = study.is_run ? std::nullopt : std::optional<Goal>(goal_time);
    const auto methods = compared(study, goal);
    const auto sizes = feasible_sizes(study);
    auto out = methods.empty() ? text("No baseline has a distribution to compare with: ", why_no_baseline(study), ".\n")
                               : text(study.is_run ? "Run here, over " : "Over ", pluralise(sizes, "size"),
                                      ", optimal distributions ", comparisons(methods, "take", study.time(), sizes),
                                      certainty(methods));
    for (const auto &[each, what] : {std::pair{goal_energy, "dynamic energy"}, std::pair{goal_total, "total energy"}}) {
        if (const auto known = compared(study, each); !known.empty())
            out += text("Distributions of least ", what, " ", comparisons(known, "need", "of it", sizes));
    }
    return out;
}

std::string study_remarks(const Study &study) { return front_text(study) + run_text(study) + skipped_text(study); }

std::string study_text(const Study &study)
{
    const auto apart = [](const std::string &lines) { return lines.empty() ? lines : lines + "\n"; };
    const auto skipped = skipped_text(study);
    return study_sentences(study) + "\n" + summary_table(study) + "\n" + apart(front_text(study)) +
           apart(run_text(study)) + sizes_table(study) + (skipped.empty() ? "" : "\n") + skipped +
           energy_warning(study.energy_source);
}

} // namespace hpart_command
