#include "measurement/race.hpp"

#include "measurement/energy.hpp"
#include "measurement/team_run.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

// It takes at most so many times the seconds of the search, or these.
constexpr double longest_race_share = 2, usual_race_seconds = 10;

} // namespace

void run_race(Optimum &out, const Team &team, const OptimizeRequest &request, double spent,
              const std::function<void()> &look, const std::function<double(const std::vector<Slice> &)> &turn)
{
    if (out.rivals.size() == 1) return;
    auto rule = request.race;
    rule.sees_steps = !turn; // a window's energy is a quotient
    rule.max_seconds =
        std::min(request.max_total_seconds - spent, std::max(longest_race_share * spent, usual_race_seconds));
    std::vector<std::vector<Slice>> slices;
    for (const auto &rival : out.rivals) slices.push_back(team.slices(rival.x));
    const auto begin = Clock::now();
    try {
        out.race =
            turn ? compare(
                       rule, slices.size(),
                       [&](std::size_t d) {
                           look();
                           return turn(slices[d]);
                       },
                       [&] { return seconds_since(begin); })
                 : compare(
                       team, slices,
                       {rule, request.batches.warmup, request.is_simultaneous(), {}, [&](double, const std::string &) {
                            look();
                        }});
    } catch (const PointFailure &failure) { // what was found stays
        out.race_failure = failure.what();
        return;
    } catch (const MeterFailure &failure) {
        out.race_failure = failure.what();
        return;
    } catch (const BudgetEnded &ended) {
        out.race_failure = ended.what();
        return;
    }
    // Without a certificate the runs are the best that is known, though they may not tell two splits apart.
    const auto &ratios = out.race->ratios;
    const bool is_certified = out.certificate.certified && !out.one_time;
    for (std::size_t r = 1; r < ratios.size(); ++r) {
        const bool is_less = ratios[r].high < 1 || (!is_certified && ratios[r].value < 1 - request.rules.precision);
        if (is_less && ratios[r].value < ratios[out.winner].value) out.winner = r;
    }
    const auto &estimate = out.race->estimates[out.winner];
    out.value = {estimate.mean, estimate.low, estimate.high};
    out.median = estimate.median;
}

} // namespace hpart
