#include "interference.hpp"

#include "core/option_keys.hpp"
#include "failure.hpp"
#include "numbers.hpp"
#include "progress_bar.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpart_command
{

namespace
{

constexpr double unbounded = std::numeric_limits<double>::infinity();

struct Times {
    std::vector<double> seconds, low, high; // one per processor
};

class Measurer
{
  public:
    Measurer(hpart_team *team, const std::vector<std::int64_t> &x, const Common &common, double most_seconds)
        : team_(team), x_(x), options_(make_options(options_of(common, hpart::call_measure),
                                                    {{"max_seconds", std::to_string(most_seconds).c_str()}}))
    {
        bar_.attach(options_.get());
    }
    // Only these processors at work.
    Times operator()(const std::vector<std::size_t> &active)
    {
        std::vector<std::int64_t> sizes(x_.size(), 0);
        for (const auto i : active) sizes[i] = x_[i];
        Times out;
        out.seconds.resize(x_.size());
        Report report;
        const auto status =
            hpart_team_measure(team_, sizes.data(), options_.get(), out.seconds.data(), nullptr, Filled(report));
        if (status == HPART_ERR_CANCELLED) give_up("interrupted");
        check(status);
        one_time_ = report_int(report, "one_time") == 1;
        out.low = report_doubles(report, "interval_low");
        out.high = report_doubles(report, "interval_high");
        return out;
    }

    // The last one was of all, not of each.
    bool gave_one_time() const { return one_time_; }

  private:
    hpart_team *team_;
    const std::vector<std::int64_t> &x_;
    bool one_time_ = false;
    ProgressBar bar_;
    Options options_;
};

bool is_slower(const Times &together, const Times &alone, std::size_t i) { return together.low[i] > alone.high[i]; }

} // namespace

std::vector<Slowdown> interference(hpart_team *team, const std::vector<std::string> &names,
                                   const std::vector<std::int64_t> &x, const Common &common, double most_seconds)
{
    Measurer measure(team, x, common, most_seconds);
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] > 0) active.push_back(i);
    const auto together = measure(active);
    if (measure.gave_one_time()) return {};
    std::vector<Times> alone(x.size());
    std::vector<Slowdown> out;
    for (const auto i : active) {
        alone[i] = measure({i});
        out.push_back({names[i],
                       x[i],
                       alone[i].seconds[i],
                       together.seconds[i],
                       std::max(0.0, together.low[i]) / alone[i].high[i],
                       alone[i].low[i] > 0 ? together.high[i] / alone[i].low[i] : unbounded,
                       {}});
    }
    // Pairs: the other processor of a pair disturbs.
    for (std::size_t a = 0; a < active.size(); ++a)
        for (std::size_t b = a + 1; b < active.size(); ++b) {
            if (!out[a].is_slower() && !out[b].is_slower()) continue;
            const auto i = active[a], j = active[b];
            const auto pair = active.size() == 2 ? together : measure({i, j});
            if (is_slower(pair, alone[i], i)) out[a].disturbed_by.push_back(names[j]);
            if (is_slower(pair, alone[j], j)) out[b].disturbed_by.push_back(names[i]);
        }
    return out;
}

Json interference_json(const std::vector<Slowdown> &slowdowns)
{
    auto out = Json::array();
    for (const auto &of : slowdowns)
        out.push_back({{"processor", of.processor},
                       {"size", of.size},
                       {"alone_seconds", of.alone},
                       {"together_seconds", of.together},
                       {"ratio", of.together / of.alone},
                       {"ratio_low", of.ratio_low},
                       {"ratio_high", of.ratio_high},
                       {"disturbed_by", of.disturbed_by}});
    return out;
}

std::string interference_text(const std::vector<Slowdown> &slowdowns)
{
    std::string out;
    for (const auto &of : slowdowns) {
        if (!of.is_slower()) continue;
        out +=
            text("interference: ", of.processor, " takes ",
                 ratio_text(of.together / of.alone, {of.ratio_low, of.ratio_high}, " x"), " as long together as alone");
        for (std::size_t k = 0; k < of.disturbed_by.size(); ++k)
            out += (k == 0 ? ", disturbed by " : " and ") + of.disturbed_by[k];
        out += "\n";
    }
    if (out.empty() && !slowdowns.empty()) out = "interference: none; each processor takes as long together as alone\n";
    return out;
}

} // namespace hpart_command
