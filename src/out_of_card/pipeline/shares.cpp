#include "out_of_card/pipeline/shares.hpp"

#include "core/progress.hpp"
#include "core/text.hpp"
#include "models/platform.hpp"
#include "partitioners/calls/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace hpart
{

namespace
{

// Shares of a whole at which a device's time is modelled.
constexpr double modelled_shares[] = {0, 0.125, 0.25, 0.5, 0.75, 1};
// Shorter parts tell more of the clock than of the device.
constexpr double shortest_to_learn_from = 2e-3;
constexpr double largest_correction = 100;

} // namespace

std::vector<double> seconds_of_units(std::int64_t units, const std::function<double(std::int64_t size)> &modelled)
{
    std::set<std::int64_t> sizes;
    for (const auto share : modelled_shares)
        sizes.insert(std::max<std::int64_t>(1, std::llround(share * static_cast<double>(units))));
    std::vector<double> result;
    double last = 0;
    for (const auto size : sizes) {
        const auto here = modelled(size);
        const auto before = static_cast<std::int64_t>(result.size());
        for (auto x = before + 1; x <= size; ++x)
            result.push_back(last +
                             (here - last) * static_cast<double>(x - before) / static_cast<double>(size - before));
        last = here;
    }
    return result;
}

std::vector<std::int64_t> shares_of_least_time(const std::vector<std::vector<double>> &seconds, std::int64_t size)
{
    Platform platform(static_cast<std::int64_t>(seconds.size()));
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(size));
    std::iota(sizes.begin(), sizes.end(), 1);
    for (std::size_t i = 0; i < seconds.size(); ++i)
        platform.set_time_function(static_cast<std::int64_t>(i), sizes, seconds[i]);
    PartitionRequest request;
    request.size = size;
    Control control;
    return partition(platform, request, control).x;
}

void Correction::learn(double expected_seconds, double seconds)
{
    if (std::min(expected_seconds, seconds) < shortest_to_learn_from) return;
    // Half of the way, in proportion: one call beside a stranger's load is not believed whole.
    factor_ = std::clamp(factor_ * std::sqrt(seconds / expected_seconds), 1 / largest_correction, largest_correction);
}

std::shared_ptr<Correction> correction_of(DeviceSession &session, const std::string &work)
{
    return session.kept<Correction>(text("correction of ", work), [] { return std::make_shared<Correction>(); });
}

} // namespace hpart
