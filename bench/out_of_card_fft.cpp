// Fourier transforms of sizes from a half to eight times a card's memory against the same in a card that holds them whole.
// Usage: bench_out_of_card_fft [device [rows of the square matrix [repetitions]]]
#include "core/text.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/fft/fft.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <random>

namespace
{

using namespace hpart;

struct Result {
    double seconds = 1e9;
    Report report; // of the fastest
};

double number(const Report &report, const char *key)
{
    const auto *value = report.find(key);
    if (value == nullptr) return 0;
    if (const auto *integer = std::get_if<std::int64_t>(value)) return static_cast<double>(*integer);
    return std::get<double>(*value);
}

Result fastest(const std::string &device, std::int64_t limit, const FftCall &call, const char *plan, int repetitions)
{
    Options opening, options;
    if (limit > 0) opening.set_int("memory_limit", limit);
    opening.set_text("zero_copy", "never");
    options.set_text("zero_copy", "never");
    options.set_text("fft_plan", plan);
    auto cards = open_cards(device, opening);
    Result result;
    constexpr int before = 8; // compile and plan
    for (int k = 0; k < repetitions + before; ++k) {
        Report report;
        fft(cards, call, options, report);
        const auto seconds = number(report, "seconds");
        if (k >= before && seconds < result.seconds) result = {seconds, report};
    }
    return result;
}

void print_row(const char *name, double share, const Result &result, double in_card)
{
    const auto &report = result.report;
    const auto moved = number(report, "bytes_to_device") + number(report, "bytes_from_device");
    const auto bound = number(report, "lower_bound_bytes");
    const auto *details = report.find("plan_details");
    std::printf("%-10s %5.2f %8.1f %6.2f %8.3f %8.1f %8.1f %8.1f %6.2f  %s\n", name, share, 1e3 * result.seconds,
                result.seconds / in_card, bound > 0 ? moved / bound : 0, 1e3 * number(report, "kernel_seconds"),
                1e3 * number(report, "transfer_seconds"), 1e3 * number(report, "predicted_seconds"),
                number(report, "overlap"), details == nullptr ? "host" : std::get<std::string>(*details).c_str());
    std::fflush(stdout);
}

void compare(const std::string &device, const char *name, std::vector<std::int64_t> dims, int repetitions)
{
    FftCall call;
    call.dims = std::move(dims);
    std::int64_t points = 1;
    for (const auto n : call.dims) points *= n;
    std::vector<double> in(static_cast<std::size_t>(2 * points)), out(in.size());
    std::mt19937_64 random(1);
    for (auto &value : in) value = std::uniform_real_distribution<>(-1, 1)(random);
    call.in = in.data();
    call.out = out.data();
    const auto bytes = 16 * points;
    const auto whole = fastest(device, 0, call, "in-card", repetitions);
    print_row(name, 0, whole, whole.seconds);
    for (const double share : {0.5, 0.9, 1.0, 1.1, 1.5, 2.0, 3.0, 4.0, 8.0}) {
        const auto limit = static_cast<std::int64_t>(static_cast<double>(bytes) / share);
        print_row(name, share, fastest(device, limit, call, "model", repetitions), whole.seconds);
    }
    print_row("host", 0, fastest(device, 0, call, "host", repetitions), whole.seconds);
}

} // namespace

int main(int count, char **arguments)
try {
    const std::string device = count > 1 ? arguments[1] : "opencl:0:0";
    const auto n = parse_int(count > 2 ? arguments[2] : "2048").value_or(2048);
    const auto repetitions = static_cast<int>(parse_int(count > 3 ? arguments[3] : "5").value_or(5));
    std::printf("%-10s %5s %8s %6s %8s %8s %8s %8s %6s  %s\n", "shape", "n/S", "ms", "slower", "moved", "kernel",
                "transfer", "model", "overlap", "plan (slower: than in the card; moved: over the bound)");
    compare(device, "2D", {n, n}, repetitions);
    compare(device, "1D", {n * n}, repetitions);
    compare(device, "3D", {n / 16, 256, n / 16}, repetitions);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
