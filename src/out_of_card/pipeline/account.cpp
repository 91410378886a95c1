#include "out_of_card/pipeline/account.hpp"

#include "core/text.hpp"

namespace hpart
{

namespace
{

double gflops(double flops, double seconds) { return seconds > 0 ? flops / seconds * 1e-9 : 0; }

void report_parts(const std::vector<DevicePart> &parts, Report &report)
{
    std::string devices;
    std::vector<double> shares, seconds;
    for (const auto &part : parts) {
        devices += text(devices.empty() ? "" : ", ", part.device);
        shares.push_back(part.share);
        seconds.push_back(part.seconds);
    }
    report.set("devices", devices);
    report.set("device_shares", shares);
    report.set("device_seconds", seconds);
}

} // namespace

void Account::report(Report &report) const
{
    report.set("method", method);
    report.set("plan", plan);
    report.set("tiles", tiles);
    if (kernel) report.set("kernel", *kernel);
    report.set("seconds", seconds);
    report.set("setup_seconds", setup_seconds);
    if (flops) report.set("gflops", gflops(*flops, seconds));
    if (flops && in_card_seconds > 0) report.set("in_card_gflops", gflops(*flops, in_card_seconds));
    report.set("bytes_to_device", moved.bytes_to_device);
    report.set("bytes_from_device", moved.bytes_from_device);
    report.set("staged_bytes", moved.staged_bytes);
    report.set("kernel_seconds", moved.kernel_seconds);
    report.set("transfer_seconds", moved.transfer_seconds);
    report.set("overlap", moved.transfer_seconds > 0 ? moved.overlap_seconds / moved.transfer_seconds : 0.0);
    report.set("memory_retries", retries);
    if (expected) {
        report.set("bytes_planned", expected->bytes);
        report.set("lower_bound_bytes", expected->lower_bound_bytes);
        report.set("predicted_seconds", expected->seconds);
    }
    if (!bound_by.empty()) report.set("bound_by", bound_by);
    if (device_bytes > 0) report.set("device_bytes", device_bytes);
    if (least_memory > 0) report.set("least_memory", least_memory);
    if (advised_memory > 0) report.set("advised_memory", advised_memory);
    if (!parts.empty()) report_parts(parts, report);
}

} // namespace hpart
