#include "c_api/team.hpp"

#include "c_api/device.hpp"
#include "c_api/handles.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "kernels/registry.hpp"
#include "measurement/additivity.hpp"
#include "measurement/application.hpp"
#include "measurement/compare.hpp"
#include "measurement/energy.hpp"
#include "measurement/measure.hpp"
#include "measurement/profile.hpp"
#include "measurement/team.hpp"
#include "measurement/team_run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hpart::c_api
{

hpart_status profile_team(hpart_team *team, std::int64_t points, const std::int64_t *sizes,
                          const hpart_options *options, hpart_platform **platform, std::string *failure) noexcept
{
    return guarded([&] {
        const auto &members = with_processors(team);
        if (points < 1) fail_argument("points is ", points, "; it must be at least 1");
        const auto wanted = array(sizes, points, "sizes");
        require(platform, "platform");
        const auto set = options_for(options, call_profile);
        std::vector<std::size_t> all(members.count());
        std::iota(all.begin(), all.end(), std::size_t{0});
        if (set.get_int("simultaneous") == 1) check_cores(members, set, all);
        auto control = control_of(set);
        auto result = profile(members, ProfileRequest::from(wanted, set), control);
        if (failure != nullptr) *failure = result.failure;
        if (failure == nullptr && !result.failure.empty())
            fail(Status::callback, "no point could be measured: ", result.failure);
        *platform = new hpart_platform{std::move(result.platform)};
        if (result.missing > 0)
            fail_option(Status::limit, "max_total_seconds", ", ", set.get_double("max_total_seconds"),
                        " s, did not suffice for ", result.missing, " of ",
                        pluralise(result.points, set.get_int("simultaneous") == 1 ? "size" : "point"),
                        result.missing < result.points ? "; the others are measured" : "", "; set it higher",
                        result.goes_on ? ", or call again to measure the missing ones" : "",
                        result.was_cut ? "; a program's timeout leaves out sizes that run for ever" : "");
    });
}

} // namespace hpart::c_api

using namespace hpart;
using namespace hpart::c_api;

namespace
{

constexpr std::int64_t whole_node = -1;

// A kernel of the user's, and the pointer it owns.
class UserKernel final : public Kernel
{
  public:
    UserKernel(hpart_kernel kernel, void *user) : kernel_(kernel), user_(user) {}
    UserKernel(const UserKernel &) = delete;
    UserKernel &operator=(const UserKernel &) = delete;
    ~UserKernel() override { free_quietly(free_user_, user_); }
    // Until then the caller owns the user pointer.
    void own(hpart_free free_user) { free_user_ = free_user; }

    void prepare(const Slice &slice) override { size_ = slice.rows; }
    void run() override
    {
        const int stop = call_("the kernel", [this] { return kernel_(size_, user_); });
        if (stop != 0) fail(Status::callback, "the kernel returned ", stop);
    }
    void release() noexcept override {}

  private:
    Callback call_;
    hpart_kernel kernel_;
    void *user_;
    hpart_free free_user_ = nullptr;
    std::int64_t size_ = 0;
};

// A platform file has commas between its fields: a processor's text loses them in its name.
std::string name_of_processor(const char *name, std::string processor)
{
    if (name != nullptr) return name;
    std::replace(processor.begin(), processor.end(), ',', '+');
    return processor;
}

// Report keys on processors that did not keep their cores.
std::string binding_warning(const Team &team, const Measurement &measurement, std::span<const std::size_t> active)
{
    std::string warning;
    for (std::size_t a = 0; a < active.size(); ++a)
        if (const auto &broken = measurement.broken_bindings[a]; !broken.empty())
            warning += text("processor ", in_quotes(team.member(active[a]).name), " ", broken, "; ");
    return warning.empty() ? warning : warning + std::string(binding_remedy());
}

// Dynamic joules as hpart_team_measure gives them: of the node, or of each processor, 0 where idle.
void write_joules(const Team &team, const EnergyMeasurement &energy, std::span<const std::size_t> active,
                  double *joules)
{
    const bool of_node = team.node_meter() != nullptr;
    std::fill_n(joules, of_node ? 1 : team.count(), 0.0);
    for (std::size_t k = 0; k < energy.estimates.size(); ++k)
        joules[of_node ? 0 : active[k]] = energy.estimates[k].joules;
}

double mean_of(const std::vector<double> &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// least, mean and largest difference in per cent, without their signs.
struct Differences {
    explicit Differences(const Additivity &found)
    {
        std::vector<double> sizes;
        for (const double difference : found.differences) sizes.push_back(std::abs(difference));
        least = *std::min_element(sizes.begin(), sizes.end());
        mean = mean_of(sizes);
        largest = *std::max_element(sizes.begin(), sizes.end());
    }
    double least = 0, mean = 0, largest = 0;
};

Report report_of(const Additivity &found, const Differences &differences, double bound, const Team &team)
{
    const bool is_additive = differences.mean <= bound;
    Report report;
    report.set("parallel", found.parallel);
    report.set("parallel_error", found.parallel_error);
    report.set("combined", found.combined);
    report.set("combined_error", found.combined_error);
    report.set("differences", found.differences);
    report.set("difference_errors", found.difference_errors);
    report.set("least_difference", differences.least);
    report.set("mean_difference", differences.mean);
    report.set("largest_difference", differences.largest);
    report.set("additivity_bound", bound);
    report.set("additive", std::int64_t{is_additive ? 1 : 0});
    report.set("warning", is_additive ? std::string()
                                      : text("the energy of all processors together differs by ",
                                             std::round(100 * differences.mean) / 100,
                                             " % in the mean from the sum of each alone, more than ", bound,
                                             " %: distributions for energy may be far from the best"));
    report.set("energy_method", energy_method(team));
    report.set("energy_meter", energy_meter(team));
    return report;
}

} // namespace

extern "C" {

hpart_status hpart_team_create(hpart_team **team)
{
    return guarded([&] {
        require(team, "team");
        *team = new hpart_team{};
    });
}

hpart_status hpart_team_add(hpart_team *team, const char *name, hpart_kernel kernel, void *user, hpart_free free_user,
                            const char *cores)
{
    return guarded([&] {
        require(team, "team");
        require(name, "name");
        if (kernel == nullptr) fail_argument("kernel is NULL; it must not be");
        auto bound = cores == nullptr ? CoreList{} : parse_cores(cores, usable_cores());
        auto owner = std::make_unique<UserKernel>(kernel, user);
        auto *added = owner.get();
        team->value.add({name, std::move(owner), std::move(bound)});
        added->own(free_user);
    });
}

hpart_status hpart_team_add_builtin(hpart_team *team, const char *name, const char *kernel, const char *processor,
                                    const hpart_options *options)
{
    return guarded([&] {
        require(team, "team");
        require(kernel, "kernel");
        require(processor, "processor");
        const auto set = options_for(options, call_builtin);
        auto made = make_builtin(kernel, processor, set.get_text("dims"), set);
        team->value.add({name_of_processor(name, processor), std::move(made.kernel), std::move(made.cores), nullptr,
                         made.memory_limit, std::move(made.occupied)});
    });
}

hpart_status hpart_team_add_program(hpart_team *team, const char *name, const char *command,
                                    const hpart_options *options)
{
    return guarded([&] {
        require(team, "team");
        require(name, "name");
        require(command, "command");
        auto made = make_external(command, options_for(options, call_program));
        team->value.add({name, std::move(made.kernel), std::move(made.cores)});
    });
}

int64_t hpart_team_processors(const hpart_team *team)
{
    return team == nullptr ? -1 : static_cast<std::int64_t>(team->value.count());
}

hpart_status hpart_team_set_kernel(hpart_team *team, const char *kernel)
{
    return guarded([&] {
        require(team, "team");
        require(kernel, "kernel");
        team->value.set_kernel(kernel);
    });
}

hpart_status hpart_team_get_kernel(const hpart_team *team, char *buffer, int64_t capacity, int64_t *needed)
{
    return guarded([&] {
        require(team, "team");
        copy_text(team->value.kernel(), buffer, capacity, needed);
    });
}

hpart_status hpart_team_set_meter(hpart_team *team, int64_t processor, hpart_meter *meter)
{
    return guarded([&] {
        require(team, "team");
        const auto count = static_cast<std::int64_t>(team->value.count());
        if (processor < whole_node || processor >= count)
            fail_argument("processor is ", processor, "; it must be -1, the whole node, or one of the team's ", count,
                          " processors");
        auto *const borrowed = meter == nullptr ? nullptr : &meter->value;
        if (processor == whole_node)
            team->value.set_node_meter(borrowed);
        else
            team->value.set_meter(static_cast<std::size_t>(processor), borrowed);
    });
}

hpart_status hpart_team_measure(hpart_team *team, const int64_t *x, const hpart_options *options, double *mean_seconds,
                                double *joules, hpart_report **report)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        const auto sizes = array(x, hpart_team_processors(team), "x");
        require(mean_seconds, "mean_seconds");
        if (joules != nullptr) require_meters(members);
        const auto set = options_for(options, call_measure);
        auto settings = MeasureSettings::from(set);
        settings.rule.keeps_cancelled = true;
        const auto energy_settings = EnergySettings::from(set);
        auto control = control_of(set);
        const auto slices = members.slices(sizes);
        const auto active = active_of(slices);
        check_cores(members, set, active);
        std::vector<BasePower> bases;
        if (joules != nullptr)
            bases = base_powers(members, energy_settings,
                                Poll([&] { control.report_progress(-1, "measuring the base power"); }));
        const double share = joules == nullptr ? 1 : 0.5; // of the times
        const auto result = measure(members, slices, settings, Poll([&](double fraction, const std::string &what) {
                                        control.report_progress(share * fraction, what.c_str());
                                    }));
        bool is_cancelled = result.reason == StopReason::cancelled;
        std::optional<EnergyMeasurement> energy;
        if (joules != nullptr && !is_cancelled) try {
                const auto begin = Clock::now();
                energy = measure_energy(members, slices, energy_settings, bases, Poll([&] {
                                            const double done =
                                                std::min(1.0, seconds_since(begin) / energy_settings.rule.max_seconds);
                                            control.report_progress(share + (1 - share) * done, "measuring the energy");
                                        }));
            } catch (const Error &error) {
                if (error.status() != Status::cancelled) throw;
                is_cancelled = true;
            }

        auto about = hpart::report_of(result, settings.rule.of_size(*std::max_element(sizes.begin(), sizes.end())),
                                      active, slices.size());
        const auto warning = binding_warning(members, result, active);
        about.set("binding_kept", std::int64_t{warning.empty() ? 1 : 0});
        about.set("binding_warning", warning);
        about.set("time_doubt", members.time_doubt());
        const auto *application = members.application();
        about.set("one_time", std::int64_t{application != nullptr && application->gave_one_time() ? 1 : 0});
        if (energy) add_energy(about, members, *energy, active);
        if (report != nullptr) *report = new hpart_report{std::move(about)}; // the last that can fail
        if (energy)
            write_joules(members, *energy, active, joules);
        else if (joules != nullptr)
            std::fill_n(joules, members.node_meter() != nullptr ? 1 : slices.size(),
                        std::numeric_limits<double>::quiet_NaN());
        std::fill_n(mean_seconds, slices.size(), 0.0);
        for (std::size_t a = 0; a < active.size(); ++a) mean_seconds[active[a]] = result.estimates[a].value;
        if (is_cancelled) fail_cancelled(result.repetitions, "repetition");
    });
}

hpart_status hpart_team_profile(hpart_team *team, int64_t points, const int64_t *sizes, const hpart_options *options,
                                hpart_platform **platform)
{
    return profile_team(team, points, sizes, options, platform, nullptr);
}

hpart_status hpart_team_execute(hpart_team *team, const int64_t *x, const hpart_options *options, double *seconds,
                                hpart_report **report)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        const auto sizes = array(x, hpart_team_processors(team), "x");
        require(seconds, "seconds");
        const auto set = options_for(options, call_execute);
        check_cores(members, set, active_of(members.slices(sizes)));
        auto control = control_of(set);
        const auto result = execute(members, sizes, set.get_int("warmup"), set.get_int("check") == 1, control);
        Report about;
        for (const auto &[key, values] : result.parts) about.set(key, values);
        about.set("checked", std::int64_t{result.check ? 1 : 0});
        if (result.check) {
            about.set("max_relative_error", result.check->max_relative_error);
            about.set("tolerance", result.check->tolerance);
        }
        if (report != nullptr) *report = new hpart_report{std::move(about)}; // the last that can fail
        std::copy(result.seconds.begin(), result.seconds.end(), seconds);
    });
}

hpart_status hpart_team_measure_links(hpart_team *team, const hpart_options *options, hpart_platform *platform)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        require(platform, "platform");
        const auto set = options_for(options, call_links);
        if (members.application() != nullptr)
            fail(Status::unsupported,
                 "an application runs these processors, and hpart does not know how they exchange messages; set links "
                 "with hpart_platform_set_link");
        const auto processors = static_cast<std::int64_t>(members.count());
        if (platform->value.count() != processors)
            fail_argument("the platform has ", pluralise(platform->value.count(), "processor"), ", the team ",
                          processors);
        auto control = control_of(set);
        auto changed = platform->value;
        measure_links(members, set.get_text("bandwidth") == "ring", changed, Poll(control));
        platform->prepared.forget();
        platform->value = std::move(changed);
    });
}

hpart_status hpart_energy_additivity(hpart_team *team, const hpart_platform *alone, int64_t distributions,
                                     const int64_t *x, const hpart_options *options, double *least, double *mean,
                                     double *largest, hpart_report **report)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        const auto processors = static_cast<std::int64_t>(members.count());
        if (members.node_meter() == nullptr)
            fail_argument("the team has no meter of the whole node; hpart_team_set_meter attaches one as processor -1");
        if (alone != nullptr && alone->value.count() != processors)
            fail_argument("alone has ", pluralise(alone->value.count(), "processor"), ", the team ", processors);
        if (distributions < 1) fail_argument("distributions is ", distributions, "; it must be at least 1");
        const auto length = checked_mul(distributions, processors);
        if (!length) fail_argument("distributions is ", distributions, ", more than fit memory");
        const auto all = array(x, *length, "x");
        const auto set = options_for(options, call_additivity);
        const auto settings = EnergySettings::from(set);
        std::vector<std::span<const std::int64_t>> rows;
        for (std::size_t k = 0; k < all.size(); k += members.count()) {
            rows.push_back(all.subspan(k, members.count()));
            check_cores(members, set, active_of(members.slices(rows.back())));
        }
        auto control = control_of(set);
        const auto bases =
            base_powers(members, settings, Poll([&] { control.report_progress(-1, "measuring the base power"); }));
        const auto found = additivity(members, alone == nullptr ? nullptr : &alone->value, rows, settings, bases,
                                      Poll([&] { control.report_progress(-1, "comparing energies"); }));
        const Differences differences(found);
        auto about = ::report_of(found, differences, set.get_double("additivity_bound"), members);
        if (report != nullptr) *report = new hpart_report{std::move(about)}; // the last that can fail
        if (least != nullptr) *least = differences.least;
        if (mean != nullptr) *mean = differences.mean;
        if (largest != nullptr) *largest = differences.largest;
    });
}

void hpart_team_destroy(hpart_team *team)
{
    const DefaultEnvironment environment;
    delete team;
}

} // extern "C"

namespace
{

template <typename Of> std::vector<double> one_each(std::size_t count, Of of)
{
    std::vector<double> values(count);
    for (std::size_t d = 0; d < count; ++d) values[d] = of(d);
    return values;
}

Report report_of(const Comparison &found, const StopRule &rule)
{
    const auto count = found.estimates.size();
    std::string warning;
    for (std::size_t d = 0; d < count; ++d)
        if (!found.broken[d].empty()) warning += text("distribution[", d, "]: ", found.broken[d], "; ");
    Report report;
    report.set("best", static_cast<std::int64_t>(found.best));
    report.set("statistic", std::string(statistic_name(rule.statistic)));
    report.set("confidence", rule.confidence);
    report.set("interval", describe(rule));
    report.set("interval_low", one_each(count, [&](auto d) { return found.estimates[d].low; }));
    report.set("interval_high", one_each(count, [&](auto d) { return found.estimates[d].high; }));
    report.set("ratios", one_each(count, [&](auto d) { return found.ratios[d].value; }));
    report.set("ratio_low", one_each(count, [&](auto d) { return found.ratios[d].low; }));
    report.set("ratio_high", one_each(count, [&](auto d) { return found.ratios[d].high; }));
    report.set("distinguishable",
               one_each(count, [&](auto d) { return found.ratios[d].is_distinguishable() ? 1.0 : 0.0; }));
    report.set("median", one_each(count, [&](auto d) { return found.estimates[d].median; }));
    report.set("minimum", one_each(count, [&](auto d) { return found.estimates[d].minimum; }));
    report.set("utilisation", found.utilisation);
    report.set("samples", found.samples);
    report.set("contaminated", found.contaminated);
    report.set("busy", found.busy);
    report.set("repetitions", found.repetitions);
    report.set("stop_reason", std::string(compare_end_name(found.end)));
    report.set("binding_kept", std::int64_t{warning.empty() ? 1 : 0});
    report.set("binding_warning", warning.empty() ? warning : warning + std::string(binding_remedy()));
    return report;
}

} // namespace

extern "C" {

hpart_status hpart_team_compare(hpart_team *team, int64_t distributions, const int64_t *x, const hpart_options *options,
                                double *mean_seconds, hpart_report **report)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        if (distributions < 1) fail_argument("distributions is ", distributions, "; it must be at least 1");
        const auto length = checked_mul(distributions, static_cast<std::int64_t>(members.count()));
        if (!length) fail_argument("distributions is ", distributions, ", more than fit memory");
        const auto all = array(x, *length, "x");
        require(mean_seconds, "mean_seconds");
        const auto set = options_for(options, call_compare);
        const auto of_measurement = MeasureSettings::from(set);
        auto rule = of_measurement.rule;
        rule.keeps_cancelled = true;
        const bool is_simultaneous = set.get_int("simultaneous") == 1;
        std::vector<std::vector<Slice>> slices;
        for (std::size_t k = 0; k < all.size(); k += members.count()) {
            slices.push_back(members.slices(all.subspan(k, members.count())));
            const auto active = active_of(slices.back());
            if (active.empty())
                fail_argument("distribution[", slices.size() - 1, "] gives no processor any work; each must");
            if (is_simultaneous) check_cores(members, set, active);
        }
        auto control = control_of(set);
        const auto found = compare(
            members, slices, {rule, of_measurement.warmup, is_simultaneous, of_measurement.counters}, Poll(control));
        auto about = report_of(found, rule);
        about.set("time_doubt", members.time_doubt());
        if (report != nullptr) *report = new hpart_report{std::move(about)}; // the last that can fail
        for (std::size_t d = 0; d < slices.size(); ++d) mean_seconds[d] = found.estimates[d].value;
        if (found.end == CompareEnd::cancelled) fail_cancelled(found.repetitions, "round");
    });
}

} // extern "C"
