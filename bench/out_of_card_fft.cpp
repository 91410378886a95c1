// Fourier transforms out of card against the same in a device that holds them whole, in turns; medians.
// Usage: bench_out_of_card_fft [device [bytes of its memory [repetitions [bytes a second of an emulated link]]]]
#include "core/text.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/fft/fft.hpp"
#include "support/slow_link_device.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <random>
#include <vector>

namespace
{

using namespace hpart;

double number(const Report &report, const char *key)
{
    const auto *value = report.find(key);
    if (value == nullptr) return 0;
    if (const auto *integer = std::get_if<std::int64_t>(value)) return static_cast<double>(*integer);
    return std::get<double>(*value);
}

// One way to do a transform, with its runs.
class Contender
{
  public:
    Contender(const std::string &device, std::int64_t limit, const char *plan, double link = 0)
    {
        Options opening;
        if (limit > 0) opening.set_int("memory_limit", limit);
        for (auto *options : {&opening, &options_}) options->set_text("zero_copy", "never");
        options_.set_text("fft_plan", plan);
        devices_ = open_devices(device, opening);
        if (link > 0) {
            const auto opened = devices_.sessions.front();
            const auto behind = std::make_shared<support::SlowLinkDevice>(
                std::shared_ptr<Device>(opened, &opened->device()), support::Link{link, link});
            devices_.sessions.front() = std::make_shared<DeviceSession>(behind, opened->memory_limit());
        }
    }

    void warm(const FftCall &call)
    {
        constexpr int before = 8; // compile and plan
        for (int k = 0; k < before; ++k) fft(devices_, call, options_, report_);
    }

    void run(const FftCall &call)
    {
        Report report;
        fft(devices_, call, options_, report);
        seconds_.push_back(number(report, "seconds"));
        report_ = report;
    }

    double median() const
    {
        auto sorted = seconds_;
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    }
    const Report &report() const { return report_; }

  private:
    DeviceGroup devices_;
    Options options_;
    std::vector<double> seconds_;
    Report report_; // of the last run
};

void print_row(const char *name, double share, const Contender &session, const Contender &whole, const Contender &host)
{
    const auto &report = session.report();
    const auto moved = number(report, "bytes_to_device") + number(report, "bytes_from_device");
    const auto *tiles = report.find("tiles");
    std::printf("| %s | %.2f | %.1f | %.1f | %.1f | %.2f | %.3f | %.2f | %s |\n", name, share, 1e3 * session.median(),
                1e3 * whole.median(), 1e3 * host.median(), session.median() / whole.median(),
                moved / number(report, "lower_bound_bytes"), number(report, "overlap"),
                tiles == nullptr ? "" : std::get<std::string>(*tiles).c_str());
    std::fflush(stdout);
}

void compare(const std::string &device, std::int64_t limit, const char *name, FftKind kind,
             std::vector<std::int64_t> dims, int repetitions, double link)
{
    FftCall call;
    call.kind = kind;
    call.dims = std::move(dims);
    std::int64_t points = 1;
    for (const auto n : call.dims) points *= n;
    const bool real = kind == FftKind::real_to_complex;
    std::vector<double> in(static_cast<std::size_t>((real ? 1 : 2) * points));
    std::vector<double> out(static_cast<std::size_t>(2 * points / call.dims.back() * (call.dims.back() / 2 + 1)) +
                            in.size());
    std::mt19937_64 random(1);
    for (auto &value : in) value = std::uniform_real_distribution<>(-1, 1)(random);
    call.in = in.data();
    call.out = out.data();
    Contender whole(device, 0, "in-card"), session(device, limit, "model", link), host(device, 0, "host");
    for (auto *contender : {&whole, &session, &host}) contender->warm(call);
    for (int k = 0; k < repetitions; ++k)
        for (auto *contender : {&whole, &session, &host}) contender->run(call);
    const auto bytes = static_cast<double>((real ? 8 : 16) * points);
    print_row(name, bytes / static_cast<double>(limit), session, whole, host);
}

} // namespace

int main(int count, char **arguments)
try {
    const std::string device = count > 1 ? arguments[1] : "opencl:0:0";
    const auto limit = parse_int(count > 2 ? arguments[2] : "16777216").value_or(1 << 24);
    const auto repetitions = static_cast<int>(parse_int(count > 3 ? arguments[3] : "5").value_or(5));
    const auto link = parse_double(count > 4 ? arguments[4] : "0").value_or(0);
    std::printf("| transform | n/S | out of card, ms | in card, ms | FFTW on the host, ms | out / in | bytes / least | "
                "overlap | plan |\n|---|---:|---:|---:|---:|---:|---:|---:|---|\n");
    compare(device, limit, "2048 x 2048", FftKind::complex, {2048, 2048}, repetitions, link);
    compare(device, limit, "4194304", FftKind::complex, {1 << 22}, repetitions, link);
    compare(device, limit, "128 x 128 x 128", FftKind::complex, {128, 128, 128}, repetitions, link);
    compare(device, limit, "2048 x 2048 real", FftKind::real_to_complex, {2048, 2048}, repetitions, link);
    compare(device, limit, "4194304 real", FftKind::real_to_complex, {1 << 22}, repetitions, link);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
