#include "measurement/optimize_front.hpp"

#include "core/text.hpp"

#include <cmath>

namespace hpart
{

OptimalFront optimize_front(const Team &team, const OptimizeRequest &request, Control &control)
{
    optimum::CertifiedFront search(std::vector(team.count(), request.sizes), request.rules);
    Rounds rounds(team, request, search, [&] {
        const auto &last = search.last();
        if (last.upper.empty()) return control.report_progress(-1, "measuring");
        const auto covered = std::floor(1000 * last.covered) / 10;
        control.report_progress(0.99 * last.covered, text(covered, " % of the lower front is covered").c_str());
    });
    rounds.run(1);
    OptimalFront out;
    out.rules = request.rules;
    out.confidence = request.race.confidence;
    out.certificate = search.certificate();
    out.jaggedness = search.jaggedness();
    rounds.keep_all();
    if (out.certificate.upper.empty()) rounds.fail_at_limit();
    for (const auto &point : out.certificate.upper) {
        out.times.push_back(search.value_of(point.x, Objective::time));
        out.energies.push_back(search.value_of(point.x, request.rules.objective));
    }
    static_cast<Findings &>(out) = rounds.findings();
    return out;
}

Report report_of(const OptimalFront &front)
{
    Report report;
    const auto &certificate = front.certificate;
    report.set("certified", std::int64_t{certificate.certified ? 1 : 0});
    report.set("covered", certificate.covered);
    report.set("points", static_cast<std::int64_t>(certificate.upper.size()));
    report.set("precision", front.rules.precision);
    report.set("confidence", front.confidence);
    report.set("jaggedness", front.jaggedness);
    front.add_to(report, certificate.certified);
    using optimum::Interval;
    const auto set = [&](const char *key, const auto &all, const auto &member) {
        std::vector<double> values;
        values.reserve(all.size());
        for (const auto &one : all) values.push_back(one.*member);
        report.set(key, std::move(values));
    };
    set("seconds", front.times, &Interval::value);
    set("time_low", front.times, &Interval::low);
    set("time_high", front.times, &Interval::high);
    set("joules", front.energies, &Interval::value);
    set("energy_low", front.energies, &Interval::low);
    set("energy_high", front.energies, &Interval::high);
    set("lower_seconds", certificate.lower, &FrontPoint::seconds);
    set("lower_joules", certificate.lower, &FrontPoint::joules);
    return report;
}

} // namespace hpart
