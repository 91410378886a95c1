#include "measurement/optimize_request.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "measurement/distributions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace hpart
{

namespace
{

// Intervals have a width.
constexpr double least_quantile = 0.25;
// Student's t with so many degrees of freedom is the normal distribution.
constexpr std::int64_t many_degrees = 1000000000;

// "20:12:8"; commas do as well.
std::vector<double> shares_of(std::string_view list)
{
    std::vector<double> shares;
    const auto all = list;
    while (!list.empty()) {
        const auto end = std::min(list.find_first_of(":,"), list.size());
        const auto share = parse_double(trim(list.substr(0, end)));
        if (!share || !std::isfinite(*share) || *share < 0)
            fail_option("shares", " is ", in_quotes(all), "; it must be numbers that are not negative, as '20:12:8'");
        shares.push_back(*share);
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    if (!shares.empty() && std::all_of(shares.begin(), shares.end(), [](double share) { return share == 0; }))
        fail_option("shares", " is ", in_quotes(all), "; one share must be above 0");
    return shares;
}

} // namespace

OptimizeRequest OptimizeRequest::from(Objective objective, std::int64_t size, std::span<const std::int64_t> sizes,
                                      const Options &options)
{
    if (size < 1) fail_argument("size is ", size, "; it must be positive");
    constexpr auto largest = std::int64_t{1} << std::numeric_limits<double>::digits;
    if (size > largest)
        fail_argument("size is ", size, "; a search takes sizes up to ", largest, ": its report has parts as doubles");
    OptimizeRequest request;
    request.sizes.assign(sizes.begin(), sizes.end());
    std::sort(request.sizes.begin(), request.sizes.end());
    for (std::size_t k = 0; k < request.sizes.size(); ++k) {
        if (request.sizes[k] < 1) fail_argument("sizes has ", request.sizes[k], "; sizes must be positive");
        if (k > 0 && request.sizes[k] == request.sizes[k - 1])
            fail_argument("sizes has ", request.sizes[k], " twice; they must be distinct");
    }
    request.race = StopRule::from(options, call_optimize);
    request.race.statistic = Statistic::mean; // of the runs against each other
    request.rules.objective = objective;
    request.rules.size = size;
    request.energy = EnergyRequest::from(options);
    request.rules.precision = request.race.precision;
    request.rules.quantile = std::max(least_quantile, t_quantile(request.race.confidence, many_degrees));
    request.rules.jaggedness = options.find_double("jaggedness").value_or(0);
    request.rules.all_sizes = options.get_text("sizes") == "all";
    request.rules.max_repetitions = request.race.max_repetitions;
    request.confirms = options.get_int("confirm") == 1;
    if (!request.sizes.empty()) request.batches.smallest_size = request.sizes.front();
    request.batches.warmup = options.get_int("warmup");
    request.batches.precision = request.race.precision;
    request.batches.repeats_contaminated = request.race.repeats_contaminated;
    request.batches.counters = counters_of_thread;
    request.max_total_seconds = options.get_double("max_total_seconds");
    request.resume_tolerance = options.find_double("resume_tolerance");
    request.file = options.get_text("checkpoint_file");
    request.shares = shares_of(options.get_text("shares"));
    request.max_runs = options.find_int("max_runs");
    return request;
}

} // namespace hpart
