#include "random.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace support
{

Random seeded(std::uint64_t stream)
{
    const auto *wanted = std::getenv("HPART_TEST_SEED");
    const auto seed = wanted == nullptr ? 0 : hpart::parse_int(wanted).value_or(0);
    std::seed_seq words{static_cast<std::uint64_t>(seed), stream};
    return Random(words);
}

double real_between(Random &random, double low, double high)
{
    constexpr int unused_bits = 11; // of 64: a double has 53
    return low + (high - low) * (static_cast<double>(random() >> unused_bits) * 0x1p-53);
}

std::int64_t how_many(double share)
{
    const auto *wanted = std::getenv("HPART_TEST_INSTANCES");
    if (wanted == nullptr) wanted = std::getenv("HPART_TEST_USUAL_INSTANCES");
    const auto whole = wanted == nullptr ? 2000 : hpart::parse_int(wanted).value_or(2000);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(whole) * share));
}

double most_events(double probability, std::int64_t count)
{
    const double mean = probability * static_cast<double>(count);
    return mean + 3 * std::sqrt(mean * (1 - probability));
}

} // namespace support
