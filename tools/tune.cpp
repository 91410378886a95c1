// hpart tune: the certified optimum of this machine's processors.
#include "tune.hpp"

#include "core/numbers.hpp"
#include "core/text.hpp"
#include "file.hpp"
#include "library.hpp"
#include "output.hpp"
#include "table.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include <unistd.h>

namespace hpart_command
{

namespace
{

using Arguments = TuneArguments;

struct Tuned {
    std::vector<std::string> processors;
    std::vector<std::int64_t> x;
    double value = std::numeric_limits<double>::quiet_NaN();
    Platform platform;
    Report report;
    Searched searched;
};

std::vector<std::string_view> goals()
{
    auto names = objective_names(hpart::is_any_objective);
    names.push_back(front_goal);
    return names;
}

Tuned tune(const Arguments &arguments, std::int64_t size, const std::vector<std::int64_t> &sizes)
{
    const auto objective = parse_objective(arguments.objective, hpart::is_any_objective);
    Tuned tuned;
    tuned.searched = search(arguments, [&](hpart_team *team, const hpart_options *options) {
        tuned.x.resize(static_cast<std::size_t>(hpart_team_processors(team)));
        return hpart_team_optimize(team, objective, size, static_cast<std::int64_t>(sizes.size()), sizes.data(),
                                   options, tuned.x.data(), &tuned.value, Filled(tuned.platform), Filled(tuned.report));
    });
    tuned.processors = processor_names(tuned.platform.get());
    return tuned;
}

Json baselines_of(const Tuned &tuned, bool is_energy)
{
    Json all = Json::array();
    for (const auto &row : report_rows(tuned.report, "baselines")) {
        Json baseline;
        baseline["method"] = report_text(row, "method");
        const auto parts = report_doubles(row, "distribution");
        baseline["distribution"] = std::vector<std::int64_t>(parts.begin(), parts.end());
        baseline["among_measured_sizes"] = report_int(row, "among_measured") == 1;
        Json also = Json::array(); // the methods of the same distribution
        for (const auto &same : report_rows(row, "same_split")) also.push_back(report_text(same, "method"));
        baseline["same_split"] = std::move(also);
        const auto number = [&](const char *key) {
            const auto value = report_double(row, key);
            return value ? Json(*value) : Json(nullptr); // not run
        };
        baseline[is_energy ? "energy" : "time"] = number(is_energy ? "joules" : "seconds");
        for (const auto *key : {"ratio", "ratio_low", "ratio_high"}) baseline[key] = number(key);
        all.push_back(std::move(baseline));
    }
    return all;
}

Json json_of(const Arguments &arguments, const Tuned &tuned, std::int64_t size, const std::vector<std::int64_t> &sizes)
{
    const auto number = [&](const char *key) { return report_double(tuned.report, key).value_or(NAN); };
    Json result;
    result["objective"] = arguments.objective;
    result["size"] = size;
    result["kernel"] = kernel_of(tuned.platform.get());
    result["processors"] = tuned.processors;
    result["distribution"] = tuned.x;
    const std::string value = arguments.is_energy() ? "energy" : "time";
    result[value] = tuned.value;
    result[value + "_low"] = number((value + "_low").c_str());
    result[value + "_high"] = number((value + "_high").c_str());
    result["certified"] = report_int(tuned.report, "certified") == 1;
    result["one_time"] = report_int(tuned.report, "one_time") == 1;
    for (const auto *key : {"runs", "distributions", "failed_runs"})
        if (const auto count = report_int(tuned.report, key)) result[key] = *count;
    result["note"] = report_text(tuned.report, "note");
    result["lower_bound"] = number("lower_bound");
    result["upper_bound"] = number("upper_bound");
    const auto processors = tuned.processors.size();
    const auto points = hpart::possible_sizes(sizes, processors, size).size() * processors;
    describe_search(result, tuned.report, tuned.searched.seconds, result["one_time"].get<bool>() ? 0 : points);
    result["median"] = number("median");
    result["race_failure"] = report_text(tuned.report, "race_failure");
    result["baselines"] = baselines_of(tuned, arguments.is_energy());
    result["winner"] = report_text(tuned.report, "winner");
    result["stop_reason"] = report_text(tuned.report, "stop_reason");
    result["file"] = arguments.output;
    if (arguments.is_energy()) tuned.searched.meter.describe(result);
    return result;
}

// The words that depend on the objective.
struct Words {
    std::string value; // "time"
    std::string key;   // of JSON
    std::string (*number)(double);
    const char *less, *more; // of another distribution
    const char *kind;        // "faster"
};

Words words_of(const Json &result)
{
    const auto &kind = hpart::objective_named(result["objective"].get<std::string>());
    if (!kind.needs_energies) return {std::string(kind.quantity), "time", seconds_text, "faster", "slower", "faster"};
    return {std::string(kind.quantity), "energy", joules_text, "less", "more", "more frugal"};
}

// "1.48 (1.44 to 1.52): slower".
std::string against_first(const Json &baseline, const Words &words)
{
    if (baseline["ratio"].is_null()) return "";
    const auto ratio = baseline["ratio"].get<double>(), low = baseline["ratio_low"].get<double>(),
               high = baseline["ratio_high"].get<double>();
    const auto *verdict = low > 1 ? words.more : high < 1 ? words.less : "cannot be told apart";
    if (!is_telling(ratio, {low, high})) return verdict;
    return text(ratio_text(ratio, {low, high}), ": ", verdict);
}

// "may take up to 7.5 times the least time": a bound that is no further than twice the least is a percentage.
std::string excess_text(double upper, double lower, const std::string &value)
{
    constexpr double twice = 2;
    const double ratio = upper / lower;
    return ratio < twice ? text("may take up to ", percent_text(ratio - 1), " more than the least ", value)
                         : text("may take up to ", fixed_text(ratio, ratio < 10 ? 1 : 0), " times the least ", value);
}

// The search's bounds are within the precision where this is true.
bool is_within_precision(const Json &result)
{
    return result["upper_bound"].get<double>() <=
           (1 + result["precision"].get<double>()) * result["lower_bound"].get<double>();
}

std::string not_certified_text(const Json &result, const Words &words, const std::string &confidence)
{
    const auto note = result["note"].get<std::string>();
    const auto stop = result["stop_reason"].get<std::string>();
    if (stop == "refuted" || stop == "exhausted")
        return text("Not certified: ", note.empty() ? end_of_search(result) : note, ".");
    const bool can_repeat = stop == "max_repetitions" && note.empty();
    auto out = text("Not certified: ", end_of_search(result),
                    can_repeat ? "; give --option max_repetitions=N with a larger N. " : ". ");
    const auto lower = result["lower_bound"].get<double>(), upper = result["upper_bound"].get<double>();
    if (is_within_precision(result))
        out += text("The bounds are within ", percent_text(result["precision"].get<double>()),
                    ", but some points have too few times.");
    else if (lower > 0)
        out +=
            text("Until then ",
                 result["winner"] == result["baselines"].front()["method"] ? "this split " : "the split of the search ",
                 excess_text(upper, lower, words.value), confidence);
    else
        out += text("No bound of the least ", words.value, " is known yet.");
    return note.empty() ? out : text(out, "\n", note);
}

std::string certificate_text(const Json &result, const Words &words)
{
    if (result["one_time"].get<bool>()) return result["note"].get<std::string>() + "\n";
    const auto lower = result["lower_bound"].get<double>(), upper = result["upper_bound"].get<double>();
    const auto precision = percent_text(result["precision"].get<double>());
    const auto confidence = text(" (", confidence_text(result["confidence"].get<double>()), " confidence).");
    const auto first = result["baselines"].front()["method"].get<std::string>();
    auto out = !result["certified"].get<bool>() ? not_certified_text(result, words, confidence)
               : words.key == "time"
                   ? text("Certified: no other split is more than ", precision, " ", words.kind, confidence)
                   : text("Certified: no other split takes over ", precision, " less ", words.value, confidence);
    out += "\n";
    if (lower > 0)
        out += text("By single processors: least ", words.value, " >= ", words.number(lower), ", ",
                    result["winner"] == first ? "this split" : "the split of the search", " <= ", words.number(upper),
                    ".", assumption_text(result["jaggedness"].get<double>(), words.kind), "\n");
    const auto median = result["median"].get<double>();
    constexpr double noticeable = 1.05;
    if (result["winner"] == first && median > noticeable * upper)
        out += text("Whole runs take ", fixed_text(median / upper, 2),
                    " times as long as single processors predict (median ", words.number(median),
                    "): processors disturb each other, or other work did.\n");
    return out;
}

std::string race_text(const Json &result, const Words &words)
{
    const auto first = result["baselines"].front()["method"].get<std::string>();
    Table race({"split", "distribution", ">" + words.value, "against " + first});
    bool any_among_measured = false;
    for (const auto &baseline : result["baselines"]) {
        const auto &value = baseline[words.key];
        const bool is_among_measured = baseline["among_measured_sizes"].get<bool>();
        any_among_measured = any_among_measured || is_among_measured;
        auto name = baseline["method"].get<std::string>();
        for (const auto &other : baseline["same_split"]) name += ", " + other.get<std::string>();
        race.add({name + (is_among_measured ? " *" : ""),
                  distribution_text(baseline["distribution"].get<std::vector<std::int64_t>>()),
                  value.is_null() ? "-" : words.number(value.get<double>()),
                  baseline["method"] == first ? "" : against_first(baseline, words)});
    }
    return text(
        "\nRun against each other (means, ratios of means):\n", race.text(),
        any_among_measured ? "* of measured sizes only: the budget ended before the method's own were measured\n" : "");
}

// "45 runs of 41 distributions, and the comparison, in 12.3 s; the search ended because no other is likely to gain".
std::string runs_text(const Json &result)
{
    const auto stop = result["stop_reason"].get<std::string>();
    const auto *const why = stop == "settled"    ? "no other distribution is likely to gain"
                            : stop == "max_runs" ? "max_runs were done"
                                                 : "--budget was spent";
    const auto reason = result["failed"].get<std::string>();
    return text("\n", hpart::pluralise(result["runs"].get<std::size_t>(), "run"), " of ",
                hpart::pluralise(result["distributions"].get<std::size_t>(), "distribution"),
                result["baselines"].front()["ratio"].is_null() ? "" : ", and the comparison,", " in ",
                hpart::brief_seconds(result["seconds"].get<double>()), "; the search ended because ", why, "\n",
                reason.empty() ? "" : "failed: " + reason + "\n");
}

std::string for_people(const Tuned &tuned, const Json &result, bool confirms)
{
    const auto words = words_of(result);
    Table shares({"processor", ">size"});
    for (std::size_t i = 0; i < tuned.x.size(); ++i) shares.add({tuned.processors[i], std::to_string(tuned.x[i])});
    const auto number = [&](const std::string &key) { return words.number(result[key].get<double>()); };
    const Interval interval{result[words.key + "_low"].get<double>(), result[words.key + "_high"].get<double>()};
    const auto heading = words.key == "time" ? words.value : energy_heading(words.value, result["energy_method"]);
    const bool is_raced = !result["baselines"].front()["ratio"].is_null();
    auto out =
        busy_text(result) + shares.text() +
        text("\n", is_raced || result["one_time"].get<bool>() ? "measured " : "predicted ", heading, " ",
             words.key == "time" ? seconds_text(tuned.value, interval) : joules_text(tuned.value, interval),
             is_raced ? text(", the mean of runs of the whole split; median ", number("median"), "\n")
             : result["one_time"].get<bool>() ? std::string(", the mean of its runs, from the least to the largest\n")
                                              : std::string(", by the medians of single processors\n"),
             certificate_text(result, words));
    const auto race_failure = result["race_failure"].get<std::string>();
    if (!race_failure.empty())
        out += text("Not run against the usual splits: ", race_failure, "\n");
    else if (result["baselines"].size() > 1)
        out += race_text(result, words);
    else if (result["stop_reason"] == "max_total_seconds")
        out += "The budget ended before another split of the usual methods was measured.\n";
    else if (confirms)
        out += "equal, cpm, fpm and balanced find the same split: there is no other to run against it.\n";
    const auto winner = result["winner"].get<std::string>();
    const auto first = result["baselines"].front()["method"].get<std::string>();
    if (winner != first)
        out += text("The result, at the top, is the split of ", winner, ": it took less than ", first,
                    " when they ran.\n");
    return out + (result["one_time"].get<bool>() ? runs_text(result) : measured_text(result));
}

void check_objective(const Arguments &arguments)
{
    parse_choice("--objective", arguments.objective, goals());
    if (arguments.is_energy() && !arguments.meter.spec)
        refuse("--objective ", arguments.objective,
               " needs --meter; hpart info lists this machine's meters, and --meter estimate:WATTS estimates");
    if (!arguments.is_energy() && arguments.meter.spec)
        refuse("--meter belongs to --objective energy, total-energy and front");
    if (arguments.energy && !arguments.is_front()) refuse("--energy belongs to --objective front");
    if (arguments.has_no_confirmation && arguments.is_front())
        refuse("--no-confirm does not belong to --objective front, whose distributions are never run");
}

void run(const Arguments &arguments)
{
    const auto sizes = parse_sizes("--sizes", arguments.sizes);
    const auto size = parse_positive("--size", arguments.size);
    check_objective(arguments);
    if (arguments.is_front()) return run_front(arguments, size, sizes);
    const auto tuned = tune(arguments, size, sizes);
    const auto result = json_of(arguments, tuned, size, sizes);
    emit(arguments.common, result, [&] {
        return for_people(tuned, result, !arguments.has_no_confirmation) +
               (result["one_time"].get<bool>() ? "" : left_out_text(size, sizes, tuned.processors.size()));
    });
    note_end_of_search(result);
}

// "; the best split so far is 512 | 1536, ..." by the points or runs of the file; "" where it has none.
std::string best_so_far(const Arguments &arguments)
{
    Platform platform;
    if (hpart_platform_read(arguments.output.c_str(), Filled(platform)) != HPART_SUCCESS) return "";
    if (arguments.is_front()) return "";
    const auto objective = parse_objective(arguments.objective, hpart::is_any_objective);
    const auto facts = facts_of(platform.get());
    if (const auto [run, mean] = facts.fastest_run(parse_positive("--size", arguments.size)); !run.empty())
        return text("; the best split so far is ", distribution_text(run), ", ", seconds_text(mean));
    std::vector<std::int64_t> x(static_cast<std::size_t>(hpart_platform_processors(platform.get())));
    double seconds = 0, joules = 0;
    if (hpart_partition(platform.get(), objective, parse_positive("--size", arguments.size), nullptr, x.data(),
                        &seconds, &joules, nullptr) != HPART_SUCCESS)
        return "";
    return text("; the best split so far is ", distribution_text(x), ", ",
                arguments.is_energy() ? joules_text(joules) : seconds_text(seconds));
}

} // namespace

Searched search(const TuneArguments &arguments,
                const std::function<hpart_status(hpart_team *, const hpart_options *)> &call)
{
    ProgressBar bar;
    watch_for_interrupts(text("interrupted in the midst of a repetition; points measured before, if any, are in ",
                              in_quotes(arguments.output), " and the same call goes on from there"));
    const auto options = make_options(arguments.common);
    const auto set = [&](const char *key, const char *argument, const std::optional<std::string> &value) {
        if (value) set_option(options, arguments.common, key, argument, *value);
    };
    set("precision", "--precision", arguments.precision);
    set("confidence", "--confidence", arguments.confidence);
    set("shares", "--shares", arguments.shares);
    set_budget(options, arguments.common, arguments.budget);
    if (arguments.has_no_confirmation) set_option(options, arguments.common, "confirm", "--no-confirm", "0");
    if (arguments.output.empty()) refuse("-o is ''; it must be the name of the platform file to write");
    claim_output("-o", arguments.output, true);
    set_option(options, arguments.common, "checkpoint_file", "-o", arguments.output);
    bar.attach(options.get());
    const auto team = arguments.team.make();
    TeamMeter meter(arguments.meter, text("--objective ", arguments.objective));
    meter.attach(team.get());
    meter.set_options(options.get());
    bar.warn_when_begun(disturbances_now(arguments.quiet) + arguments.team.warning());
    const auto begin = std::chrono::steady_clock::now();
    const auto status = call(team.get(), options.get());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    bar.clear();
    if (status == HPART_ERR_CANCELLED && ::access(arguments.output.c_str(), F_OK) == 0)
        give_up("interrupted; what was measured is in ", in_quotes(arguments.output),
                " and the same call goes on from there", best_so_far(arguments));
    if (status == HPART_ERR_CANCELLED) give_up("interrupted; nothing was measured");
    check(status, Files::written);
    return {std::move(meter), seconds};
}

void describe_search(Json &result, const Report &report, double seconds, std::size_t points)
{
    result["seconds"] = seconds;
    for (const auto *key : {"precision", "confidence", "jaggedness"})
        result[key] = report_double(report, key).value_or(NAN);
    for (const auto *key : {"measured_points", "repetitions", "contaminated"})
        result[key] = report_int(report, key).value_or(0);
    result["busy"] = report_text(report, "busy");
    note_time_doubt(report_text(report, "time_doubt"));
    // Points of the file may have lost their energies.
    result["known_points"] =
        std::min(report_int(report, "known_points").value_or(0), result["measured_points"].get<std::int64_t>());
    for (const auto *key : {"failed", "unfinished"}) result[key] = report_text(report, key);
    result["measuring_seconds"] = report_double(report, "measuring_seconds").value_or(NAN);
    const auto measured = result["measured_points"].get<std::int64_t>();
    const auto now = measured - result["known_points"].get<std::int64_t>();
    const auto missing = static_cast<std::int64_t>(points) - measured;
    const bool is_ended = report_text(report, "stop_reason") == "max_total_seconds";
    result["complete"] = !is_ended;
    result["budget_needed"] = budget_needed(seconds, is_ended ? now : 0, static_cast<double>(missing));
}

void note_end_of_search(const Json &result)
{
    if (result["complete"].get<bool>()) return;
    note_end_of_budget("The budget ended before the search did", result["budget_needed"]);
}

std::string busy_text(const Json &result)
{
    const auto busy = result["busy"].get<std::string>();
    const auto disturbed = result["contaminated"].get<std::int64_t>(), all = result["repetitions"].get<std::int64_t>();
    if (busy.empty() && !are_many(disturbed, all)) return "";
    return text(
        "The machine was busy: ", busy.empty() ? text(disturbed, " of ", all, " repetitions were disturbed") : busy,
        ". On a quiet machine the times, and the best split, may differ.\n\n");
}

std::string end_of_search(const Json &result)
{
    if (result["stop_reason"] == "exhausted") return "more repetitions would narrow no interval";
    if (result["stop_reason"] != "max_total_seconds") return "max_repetitions ended the search";
    const auto &needed = result["budget_needed"];
    return text("the budget ended first. Run it again to continue",
                is_worth_a_budget(needed)
                    ? text("; ", about_text(needed.get<double>()), " would measure the remaining sizes")
                    : "");
}

std::string left_out_text(std::int64_t size, const std::vector<std::int64_t> &sizes, std::size_t processors)
{
    const auto left_out = sizes.size() - hpart::possible_sizes(sizes, processors, size).size();
    if (left_out == 0) return "";
    return text("Left out: ", left_out, " of the ", hpart::pluralise(sizes.size(), "size"), ", which no split of ",
                size, " into these sizes has\n");
}

std::string assumption_text(double jaggedness, const std::string &kind)
{
    if (jaggedness <= 1) return "";
    return text("\nAssumed: no unmeasured size is over ", fixed_text(jaggedness, 1), " times ", kind,
                " than its neighbours.");
}

std::string measured_text(const Json &result)
{
    const auto failed = result["failed"].get<std::string>();
    std::string out;
    if (!failed.empty()) out += text("Failed, ", failed, "\n");
    if (const auto unfinished = result["unfinished"].get<std::string>(); !unfinished.empty())
        out += text("Not finished at the end of the budget: ", unfinished, "; --timeout leaves out what never ends.\n");
    const auto points = result["measured_points"].get<std::int64_t>(),
               known = result["known_points"].get<std::int64_t>();
    return out + text("measured ", hpart::pluralise(points - known, known > 0 ? "more point" : "point"), " in ",
                      hpart::brief_seconds(result["seconds"].get<double>()), "; ", result["file"].get<std::string>(),
                      " has ", points, "\n");
}

void add_tune(CLI::App &app)
{
    auto arguments = std::make_shared<Arguments>();
    auto *sub = app.add_subcommand(
        "tune",
        "finds the fastest distribution of a size, that of least energy, or the front of both, from few measurements, "
        "with a certificate");
    add_team_arguments(*sub, arguments->team);
    sub->add_option("--sizes", arguments->sizes, "sizes that processors may get: a range, a list, or ranges in a list")
        ->required()
        ->type_name("A:B:STEP|A,B,C");
    sub->add_option("--size", arguments->size, "the size to distribute")->required()->type_name("N");
    sub->add_option("--objective", arguments->objective,
                    "time (default); sum-time: the sum of times of processors that run in turn; by --meter dynamic "
                    "energy, total energy, or the front")
        ->type_name(choices_text(goals()));
    add_optional(*sub, "--energy", arguments->energy, "energy of the front: dynamic (default) or total")
        ->type_name("dynamic|total");
    add_optional(*sub, "--shares", arguments->shares, "shares of a distribution to compare with, as 20:12:8")
        ->type_name("A:B:C");
    add_optional(*sub, "--precision", arguments->precision,
                 "relative excess over the least value that is good enough (default 0.05)")
        ->type_name("RATIO");
    add_optional(*sub, "--confidence", arguments->confidence,
                 "confidence level of the certificate and the intervals (default 0.95)")
        ->type_name("P");
    add_optional(*sub, "--budget", arguments->budget, "end near this time, certified or not (default 5m)")
        ->type_name("TIME");
    sub->add_flag("--no-confirm", arguments->has_no_confirmation, "do not run the distribution against the usual ones");
    add_meter_arguments(*sub, arguments->meter);
    add_quiet_arguments(*sub, arguments->quiet);
    add_platform_output(*sub, arguments->output, "the platform file, which the search continues");
    add_common(*sub, arguments->common);
    sub->footer(
        "Example: hpart tune --processor 'CPU=./app {size}' --processor 'GPU=./app --gpu {size}' --sizes 1k:64k:1k "
        "--size 64k -o app.csv\n"
        "Example: hpart tune --application 'mpirun -n 2 ./app {x}' --processors CPU,GPU --time-from stdout "
        "--sizes 1k:64k:1k --size 64k -o app.csv\n"
        "Example: hpart tune --kernel dgemm --dims n=512,k=512 --sizes 64:2048:64 --size 2048 -o dgemm.csv");
    sub->callback([arguments] {
        arguments->common.settle();
        arguments->meter.settle(arguments->common);
        run(*arguments);
    });
}

} // namespace hpart_command
