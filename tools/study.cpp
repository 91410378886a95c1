// hpart study: whether optimal distributions are worth it on a machine, from its functions or by running them.
#include "study.hpp"
#include "execution.hpp"
#include "file.hpp"

#include "core/file.hpp"
#include "core/option_keys.hpp"
#include "core/text.hpp"
#include "gnuplot.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "plot.hpp"
#include "table.hpp"
#include "team.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>

#include <unistd.h>

namespace hpart_command
{

namespace
{

struct StudyArguments {
    Common common;
    std::string sizes, objective = "time";
    FileTeam team;
    MeterArguments meter;
    std::optional<std::string> speed_sizes, base_power, budget, output, copies;
    bool run = false, dynamic = false;
};

void require_options(const StudyArguments &arguments)
{
    constexpr auto of_runs = hpart::call_compare | hpart::call_measure | hpart::call_meter;
    require_options_of(arguments.common, hpart::call_partition | (arguments.run ? of_runs : 0U) |
                                             (arguments.dynamic ? hpart::call_schedule : 0U));
    for (const auto key : not_of_study)
        if (arguments.common.has_option(key))
            refuse("option '", key,
                   "' does not belong to hpart study, which compares all methods without it; hpart partition has it");
    if (arguments.run && arguments.copies) refuse("--copies belongs to predictions; --run executes on this node");
    if (arguments.run) return;
    const auto refuse_without_run = [](const char *what) { refuse(what, " belongs to --run, which is not given"); };
    if (arguments.meter.spec) refuse_without_run("--meter");
    if (arguments.budget) refuse_without_run("--budget");
    if (arguments.team.are_given())
        refuse_without_run("what names a kernel, its processors or its programs (--kernel, --dims, --memory-limit, "
                           "--processor, --time-from, --time-pattern, --time-unit, --protocol, --timeout)");
}

std::vector<Method> baselines_of(const StudyArguments &arguments)
{
    std::vector<Method> baselines;
    if (arguments.speed_sizes && arguments.common.has_option("speed_size"))
        refuse("--speed-sizes and --option speed_size are the same; give only one of them");
    for (const std::string name : usual_methods) {
        if (name == "balanced") baselines.push_back({"smooth-fpm", "smooth-fpm"});
        baselines.push_back({name, name});
        if (name == "cpm" && arguments.speed_sizes)
            for (const auto size : parse_sizes("--speed-sizes", *arguments.speed_sizes))
                baselines.push_back({text("cpm@", size), "cpm", size});
    }
    return baselines;
}

std::optional<double> base_power_of(const StudyArguments &arguments, const hpart_platform *platform)
{
    double watts = 0;
    check(hpart_platform_get_base_power(platform, &watts));
    if (arguments.base_power) return watts;
    return watts > 0 ? std::optional(watts) : std::nullopt; // a file that does not say it has 0
}

// The folder of the results. It must be writable before the work begins. A new folder that stays empty is removed.
class Folder
{
  public:
    explicit Folder(std::string path) : path_(std::move(path))
    {
        if (path_.empty() || path_ == "-")
            refuse("-o is ", in_quotes(path_), "; it must be the name of a folder or a file");
        std::error_code error;
        is_new_ = std::filesystem::create_directory(path_, error); // an existing folder is no error
        if (error) give_up("cannot make the folder ", in_quotes(path_), ": ", error.message());
        for (const auto *name : {"report.json", "study.csv"}) require_writable(path_ + "/" + name);
        for (const auto &name : drawings_of_study()) claim_output("-o", path_ + "/" + name);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    ~Folder()
    {
        if (is_new_) ::rmdir(path_.c_str()); // fails where files are
    }
    const std::string &path() const { return path_; }

  private:
    std::string path_;
    bool is_new_ = false;
};

// Takes the one of least energy among the fastest distributions: gains in energy must not depend on the choice.
Row fastest_row(const Problem &problem, std::int32_t objective)
{
    auto any = predict(problem, {fastest, "exact"}, objective);
    if (!problem.has_energy || any.x.empty()) return any;
    auto frugal = predict(problem, {fastest, "exact"}, HPART_OBJECTIVE_ENERGY, "slowdown=1");
    // It is slower if the fastest points have no energy.
    const bool is_fastest = !frugal.x.empty() && frugal.costs[goal_time].value <= any.costs[goal_time].value;
    return is_fastest ? frugal : any;
}

// The part of it that is saved within a ratio of the least time, and of the least energy; as budgets are relative to the optimum.
void add_front(const Problem &problem, std::int32_t energy, const std::string &prefix, SizeStudy &size)
{
    const auto options = make_options(options_of(problem.common, hpart::call_front));
    problem.bar->attach(options.get());
    Front front;
    const auto status = hpart_front_compute(problem.platform, problem.size, energy, options.get(), Filled(front));
    if (has_no_answer(status)) return;
    check(status);
    std::vector<double> seconds, joules;
    for (std::int64_t k = 0; k < hpart_front_count(front.get()); ++k)
        check(hpart_front_point(front.get(), k, &seconds.emplace_back(), &joules.emplace_back(), nullptr));
    if (seconds.empty()) return;
    const auto saved = [](double most, double least) { return most > 0 ? 1 - least / most : 0; };
    size.front.emplace_back(prefix + "front_points", static_cast<double>(seconds.size()));
    for (const auto &[words, ratio] : {std::pair{"1.05", 1.05}, std::pair{"1.2", 1.2}}) {
        std::size_t last = 0;
        while (last + 1 < seconds.size() && seconds[last + 1] <= ratio * seconds.front()) ++last;
        size.front.emplace_back(text(prefix, "energy_saved_", words), saved(joules.front(), joules[last]));
    }
    std::size_t first = seconds.size() - 1;
    while (first > 0 && joules[first - 1] <= 1.05 * joules.back()) --first;
    size.front.emplace_back(prefix + "time_saved_1.05", saved(seconds.back(), seconds[first]));
}

void set_gains(std::vector<Row> &rows)
{
    constexpr std::array<const char *, goal_count> best_names = {fastest, least_energy, least_total_energy};
    for (std::size_t goal = 0; goal < goal_count; ++goal) {
        const auto best = std::ranges::find(rows, best_names[goal], &Row::method);
        for (auto &row : rows)
            if (best != rows.end() && !best->x.empty() && !row.x.empty())
                row.gains[goal] =
                    gain_of(best->costs[goal], row.costs[goal], row.kind != RowKind::dynamic && row.x == best->x);
    }
}

// Solves one size with the options of --option.
SizeStudy study_size(const Study &study, const Problem &problem)
{
    SizeStudy found{problem.size};
    auto best = fastest_row(problem, study.objective);
    found.failure = best.failure;
    if (found.failure) return found;
    found.rows.push_back(std::move(best));
    for (const auto &baseline : study.baselines) found.rows.push_back(predict(problem, baseline, study.objective));
    const auto add_least = [&](const char *name, std::int32_t objective) -> Row & {
        found.rows.push_back(predict(problem, {name, "exact"}, objective));
        found.rows.back().kind = RowKind::least_energy;
        return found.rows.back();
    };
    if (study.has_energy) {
        add_least(least_energy, HPART_OBJECTIVE_ENERGY);
        add_front(problem, HPART_ENERGY_DYNAMIC, "", found);
    }
    if (study.has_energy && study.base_power) {
        auto &row = add_least(least_total_energy, HPART_OBJECTIVE_TOTAL_ENERGY);
        // The same distribution has the same energies to the last digit.
        for (const auto &other : found.rows)
            if (!row.x.empty() && other.x == row.x) row.costs = other.costs;
        add_front(problem, HPART_ENERGY_TOTAL, "total_", found);
    }
    if (study.has_dynamic)
        for (const auto *method : dynamic_methods) found.rows.push_back(simulate(problem, method));
    set_gains(found.rows);
    return found;
}

// The gains in measured time. Self-scheduling was not measured in turns with the splits: its gain is of means.
void set_measured_gains(std::vector<Row> &rows)
{
    const auto saved = [](double ratio) { return ratio > 0 ? 1 - 1 / ratio : unknown; };
    const auto &best = rows.front();
    for (auto &row : rows) {
        if (!row.execution) continue;
        const auto &[ratio, interval] = row.execution->ratio;
        row.measured = row.kind == RowKind::dynamic ? gain_of(best.execution->time, row.execution->time, false)
                                                    : Gain{saved(ratio),
                                                           {saved(interval.low), saved(interval.high)},
                                                           row.execution->is_distinguishable(),
                                                           row.x == best.x};
    }
}

// --run: each size's distributions in turns, in an equal share of the time that is left.
Json execute_sizes(const StudyArguments &arguments, const hpart_platform *platform, Study &study)
{
    auto team_arguments = arguments.team;
    team_arguments.program = arguments.team.program.within(arguments.budget, least_timeout);
    const auto team = make_team(team_arguments, platform);
    TeamMeter meter(arguments.meter);
    meter.attach(team.get());
    const TimeBudget budget(parse_seconds("--budget", arguments.budget.value_or("5m")));
    auto left =
        static_cast<std::size_t>(std::ranges::count_if(study.sizes, [](const auto &size) { return !size.failure; }));
    std::int64_t executed = 0, not_executed = 0, failed = 0;
    bool has_begun = false;
    for (auto &size : study.sizes) {
        if (size.failure) continue;
        if (std::exchange(has_begun, true) && budget.is_up()) {
            ++not_executed;
            continue;
        }
        // With a meter about half of the time is for the energies.
        const auto executions = study.baselines.size() + 1 + (study.has_dynamic ? dynamic_methods.size() : 0);
        const double share = budget.share(1, left-- * (meter.works() ? 2 : 1) * executions);
        const ExecutionSettings settings{arguments.common, !arguments.team.runs_programs(),
                                         !hpart::objective_kind(study.objective).adds_times,
                                         std::clamp(share, 1e-3, most_seconds_a_split)};
        try {
            const auto rounds = execute_rows(team.get(), size.rows, settings, meter);
            if (rounds.failure) throw Failure(*rounds.failure);
            execute_dynamic(team.get(), platform, size.size, size.rows, settings);
        } catch (const Failure &failure) { // the others' results stay
            for (auto &row : size.rows) row.execution.reset();
            if (executed == 0 && (left == 0 || interrupted_by() != 0)) throw;
            if (interrupted_by() != 0) break;
            std::cerr << one_line(text("hpart: size ", size.size, " was not executed: ", failure.what())) << "\n";
            ++failed;
            continue;
        }
        ++executed;
        set_measured_gains(size.rows);
    }
    if (executed == 0 && not_executed > 0) give_up("the budget ended before any size was executed");
    study.energy_method = meter.method();
    Json run;
    meter.describe(run);
    run["complete"] = interrupted_by() == 0 && not_executed == 0 && failed == 0;
    if (not_executed > 0)
        note_short_budget(text("The budget ended with ", executed, " of ", hpart::pluralise(study.sizes.size(), "size"),
                               " executed; the others are predictions alone"));
    run["sizes_executed"] = executed;
    run["libraries"] = libraries_json();
    return run;
}

// For the CSV: a row per method, and no column that no row fills.
Json rows_of(const Json &result, bool has_energy)
{
    Json rows{{"processors", result["processors"]}, {"sizes", result["sizes"]}};
    for (auto &size : rows["sizes"])
        for (auto &row : size["methods"])
            if (!has_energy) row.erase("energy");
    return rows;
}

void write_folder(const Study &study, const hpart_platform *platform, const Json &result, const std::string &folder)
{
    write_file(folder + "/report.json", json_text(result));
    write_file(folder + "/study.csv", csv_text(rows_of(result, study.has_energy)));
    if (interrupted_by() == 0 && can_draw())
        draw_study(result, platform, folder);
    else if (interrupted_by() == 0)
        std::cerr << "hpart: gnuplot was not found on the PATH, so there are no drawings in " << in_quotes(folder)
                  << "\n";
}

// By its ending; any other name is a folder's.
bool is_file(const std::string &name) { return is_drawing(name) || name.ends_with(".json") || name.ends_with(".csv"); }

void write_as_named(const Study &study, const Json &result, const std::string &name)
{
    if (!is_drawing(name)) {
        write_file(name, name.ends_with(".csv") ? csv_text(rows_of(result, study.has_energy)) : json_text(result));
    } else if (interrupted_by() == 0) {
        Plot plot(name);
        plot_study(plot, result, study.file);
    }
}

void run_study(const StudyArguments &arguments)
{
    require_options(arguments);
    const auto sizes = parse_sizes("--sizes", arguments.sizes);
    Study study;
    study.objective = parse_time_objective(arguments.objective, arguments.meter);
    const bool is_of_sums = hpart::objective_kind(study.objective).adds_times;
    if (arguments.dynamic) require_queues(study.objective, arguments.team);
    study.baselines = baselines_of(arguments);
    const auto platform = read_platform(arguments.team.file, arguments.copies);
    if (arguments.base_power)
        check(hpart_platform_set_base_power(platform.get(), parse_watts("--base-power", *arguments.base_power)));
    // Methods among the few sizes of a search are the methods only at the sizes that it was for.
    const auto facts = facts_of(platform.get());
    for (const auto size : sizes)
        if (facts.has_sizes_of_search && !facts.chosen_split(arguments.objective, size))
            refuse(input_name(arguments.team.file),
                   " has only the sizes that hpart tune measured, and not for --sizes ", size,
                   "; hpart tune with --size ", size, ", the same processors and -o ", arguments.team.file,
                   " measures them");
    study.file = arguments.team.file;
    study.processors = processor_names(platform.get());
    study.kernel = kernel_of(platform.get());
    study.energy_source = facts.energy_source();
    study.has_energy = !is_of_sums && has_energy(platform.get(), 0);
    if (study.has_energy)
        study.energy_note = left_out_text(platform.get());
    else if (!is_of_sums && has_energy(platform.get()))
        study.energy_note = "the file's energies are all 0: they are left out, nothing was measured\n";
    study.base_power = base_power_of(arguments, platform.get());
    study.is_run = arguments.run;
    study.has_dynamic = arguments.dynamic;
    watch_for_interrupts("interrupted; nothing was written");
    std::optional<Folder> folder;
    const bool has_file = arguments.output && is_file(*arguments.output);
    if (has_file) require_writable(*arguments.output);
    if (has_file && is_drawing(*arguments.output)) require_gnuplot();
    if (arguments.output && !has_file) folder.emplace(*arguments.output);

    {
        ProgressBar bar;
        for (const auto size : sizes) {
            const auto done = static_cast<double>(study.sizes.size()), all = static_cast<double>(sizes.size());
            bar.set_part(done / all, 1 / all, text("size ", size));
            study.sizes.push_back(study_size(study, {platform.get(), size, arguments.common, hpart::call_partition,
                                                     study.has_energy, study.base_power, &bar}));
            if (interrupted_by() != 0) give_up("interrupted; nothing was written");
        }
    }
    if (std::all_of(study.sizes.begin(), study.sizes.end(), [](const auto &size) { return size.failure; }))
        throw Failure(*study.sizes.front().failure);
    Json ran;
    if (arguments.run) ran = execute_sizes(arguments, platform.get(), study);

    const auto result = study_json(study, ran);
    std::optional<Failure> unwritten; // a full disk loses no measurement
    try {
        if (has_file) write_as_named(study, result, *arguments.output);
        if (folder) write_folder(study, platform.get(), result, folder->path());
    } catch (const Failure &failure) {
        unwritten = failure;
    }
    emit(arguments.common, arguments.common.csv ? rows_of(result, study.has_energy) : result, [&] {
        return study_text(study) + study.energy_note +
               (arguments.output && !unwritten ? text("\nwritten to ", in_quotes(*arguments.output), "\n") : "");
    });
    if (unwritten) throw Failure(*unwritten);
    const auto executed = arguments.run ? ran["sizes_executed"].get<std::int64_t>() : 0;
    if (arguments.run && interrupted_by() != 0)
        give_up("interrupted; ", executed, " of ", hpart::pluralise(sizes.size(), "size"),
                " were executed, the others are predictions alone",
                folder ? text("; the drawings in ", in_quotes(folder->path()), " were not made")
                : has_file && is_drawing(*arguments.output) ? text("; ", in_quotes(*arguments.output), " was not drawn")
                                                            : "");
}

} // namespace

void add_study(CLI::App &app)
{
    auto arguments = std::make_shared<StudyArguments>();
    auto *sub = app.add_subcommand("study", "the gain of optimal distributions over the usual ones, over many sizes");
    sub->add_option("FILE", arguments->team.file, "platform file: functions of time and energy (CSV)")->required();
    sub->add_option("--sizes", arguments->sizes, "the workloads: a range, a list, or ranges in a list")
        ->required()
        ->type_name("A:B:STEP|A,B,C");
    add_optional(*sub, "--speed-sizes", arguments->speed_sizes,
                 "sizes whose speeds CPM uses, in addition to size / processors")
        ->type_name("A,B,C");
    add_copies(*sub, arguments->copies);
    add_optional(*sub, "--base-power", arguments->base_power, "static power of the node, instead of the file's")
        ->type_name("WATTS");
    sub->add_option("--objective", arguments->objective,
                    "time (default); sum-time: processors run one after another, and their times add up")
        ->type_name(choices_text(objective_names(is_of_times)));
    sub->add_flag("--run", arguments->run, "execute the distributions too, as hpart run does");
    sub->add_flag("--dynamic", arguments->dynamic, "simulate self-scheduling too: fixed, guided, factoring, sigmoid");
    add_optional(*sub, "--budget", arguments->budget, "with --run: time for all executions (default 5m)")
        ->type_name("TIME");
    add_optional(*sub, "--meter", arguments->meter.spec,
                 "with --run: measure the dynamic energy too, with a meter that hpart info lists")
        ->type_name("SPEC");
    add_file_team(*sub, arguments->team);
    add_optional(*sub, "-o,--output", arguments->output,
                 "the gains as a drawing, or the result as JSON or CSV, by the ending; another name is a folder, which "
                 "gets report.json, study.csv and all drawings (SVG)")
        ->type_name("OUT.svg|.png|.pdf|.json|.csv|FOLDER");
    add_common(*sub, arguments->common);
    sub->footer(
        "A gain is the share of a baseline's time, or energy, that the optimal distribution saves. It is sure if the\n"
        "intervals of the two do not overlap. A family's slice comes from hpart slice; hpart group compares "
        "groupings.\n"
        "Example: hpart study --sizes 64:2048:64 -o study dgemm.csv");
    sub->callback([arguments] {
        arguments->common.settle();
        if (arguments->meter.spec) arguments->meter.base_power = arguments->base_power;
        arguments->meter.settle(arguments->common);
        run_study(*arguments);
    });
}

} // namespace hpart_command
