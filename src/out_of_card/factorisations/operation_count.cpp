#include "out_of_card/factorisations/operation_count.hpp"
#include "core/numbers.hpp"
#include "out_of_card/gemm/one_device.hpp"

namespace hpart
{

RecursionRules RecursionRules::of(const DeviceGroup &devices, const Options &options)
{
    RecursionRules rules;
    const auto width = options.get_int("panel_width");
    if (width > 0) rules.host_width = width;
    const auto is_host_in_place = [&](const DeviceSession &session) {
        return session.info().backend == Backend::host && works_in_place(session, options.get_text("zero_copy"));
    };
    rules.is_on_host = width == 0 && (devices.sessions.empty() ||
                                      (devices.sessions.size() == 1 && is_host_in_place(*devices.sessions.front())));
    return rules;
}

bool RecursionRules::is_small(std::int64_t m, std::int64_t n, std::int64_t k) const
{
    const auto width = static_cast<double>(host_width);
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) < width * width * width / 8;
}

bool RecursionRules::is_one_call(double flops) const
{
    constexpr double most = 2e10;
    return is_on_host && flops <= most;
}

double OperationCount::flops_of(Scalar type, const Sizes &sizes)
{
    return flops_per_product(type) * static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]) *
           static_cast<double>(sizes[2]);
}

void OperationCount::add(const LeftLookingRecord &record)
{
    auto sum = record;
    if (left_looking) {
        sum.seconds += left_looking->seconds;
        sum.flops += left_looking->flops;
        sum.least_bytes += left_looking->least_bytes;
    }
    left_looking = sum;
    flops += record.flops;
}

void OperationCount::add(const OperationCount &other, std::int64_t times)
{
    for (const auto &[sizes, count] : other.products) products[sizes] += times * count;
    for (const auto &[sizes, parts] : other.on_host) on_host[sizes] += static_cast<double>(times) * parts;
    for (const auto &[panel, count] : other.panels) panels[panel] += times * count;
    flops += static_cast<double>(times) * other.flops;
    least_bytes = saturating_add(least_bytes, saturating_mul(times, other.least_bytes));
}

} // namespace hpart
