#include "measurement/compare.hpp"
#include "c_api/guard.hpp"
#include "c_api/handles.hpp"
#include "c_api/team.hpp"
#include "core/numbers.hpp"

#include <algorithm>

using namespace hpart;
using namespace hpart::c_api;

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
        if (rule.statistic == Statistic::minimum)
            fail_option("statistic", " is 'minimum'; distributions are compared by 'mean' or 'median'");
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
            members, slices,
            {rule, of_measurement.warmup, is_simultaneous, of_measurement.counters,
             [&](double fraction, const std::string &what) { control.report_progress(fraction, what.c_str()); }});
        auto about = report_of(found, rule);
        about.set("time_doubt", members.time_doubt());
        if (report != nullptr) *report = new hpart_report{std::move(about)}; // the last that can fail
        for (std::size_t d = 0; d < slices.size(); ++d) mean_seconds[d] = found.estimates[d].value;
        if (found.end == CompareEnd::cancelled) fail_cancelled(found.repetitions, "round");
    });
}

} // extern "C"
