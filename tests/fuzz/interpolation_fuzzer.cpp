// Any platform file, partitioned between its sizes: the size asked for stands before the first blank. The parts sum to it and lie between
// the ends of their functions, or the call is refused with one of its statuses.
#include "core/text.hpp"
#include "fuzz.hpp"
#include "models/platform_file.hpp"
#include "partitioners/calls/partition.hpp"

namespace
{

void check(const hpart::Platform &platform, std::int64_t size, const char *kind)
{
    constexpr double seconds = 0.05;
    constexpr std::int64_t bytes = 1 << 22;
    hpart::Control control(nullptr, seconds, bytes);
    hpart::PartitionRequest request{hpart::Objective::time, size};
    request.options.set_text("interpolate", kind);
    const auto found = hpart::partition(platform, request, control);
    if (!found.feasible) return; // the limit came first
    std::int64_t left = size;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto x = found.x[static_cast<std::size_t>(i)];
        if (x == 0) continue;
        const auto &sizes = platform.points(i).sizes;
        if (sizes.empty() || x < sizes.front() || x > sizes.back()) std::abort();
        left -= x;
    }
    if (left != 0 || !(found.seconds >= 0)) std::abort();
}

} // namespace

void fuzz(std::string_view content)
{
    using hpart::Status;
    const auto blank = std::min(content.find(' '), content.size());
    const auto asked = hpart::parse_int(content.substr(0, blank));
    if (!asked || *asked < 0) return;
    for (const auto *kind : {"linear", "akima"})
        done_or_refused({Status::format, Status::infeasible, Status::limit, Status::invalid_argument}, [&] {
            check(hpart::parse_platform(content.substr(std::min(blank + 1, content.size())), "fuzz"), *asked, kind);
        });
}
