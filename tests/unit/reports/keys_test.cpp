// Every operation's report has the keys that are documented for it, and the documents have no others.
#include "core/error.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/factorisations/factorisations.hpp"
#include "out_of_card/fft/fft.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/pipeline/device_team.hpp"
#include "support/data.hpp"
#include "support/known_device.hpp"
#include "unit/factorisations/backends.hpp"
#include "unit/gemm/problem.hpp"

#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

using namespace hpart;

namespace
{

using Keys = std::set<std::string>;

Keys operator+(Keys some, const Keys &others)
{
    some.insert(others.begin(), others.end());
    return some;
}

const Keys all_but_rate = {"method",
                           "plan",
                           "tiles",
                           "seconds",
                           "setup_seconds",
                           "bytes_to_device",
                           "bytes_from_device",
                           "staged_bytes",
                           "kernel_seconds",
                           "transfer_seconds",
                           "overlap",
                           "memory_retries"};
const Keys common = all_but_rate + Keys{"gflops"};
const Keys planned = {"bytes_planned", "lower_bound_bytes", "predicted_seconds"};
const Keys of_products = common + Keys{"kernel"};
const Keys of_planned_products = of_products + planned + Keys{"bound_by", "device_bytes"};
const Keys of_transforms = common + Keys{"kernel", "on_host"};
const Keys of_factorisations = common + Keys{"panel_width", "panel_seconds", "info"};
const Keys of_left_looking = {"resident_width", "last_width", "lower_bound_bytes", "kernel"};
const Keys of_several = {"devices", "device_shares", "device_seconds"};
const Keys of_pipelines = all_but_rate + Keys{"bytes_planned", "lower_bound_bytes", "device_bytes"};

DeviceGroup host_devices(std::vector<std::optional<std::int64_t>> limits)
{
    DeviceGroup devices;
    for (const auto limit : limits) devices.sessions.push_back(support::known_device(make_host_device(), limit));
    return devices;
}

constexpr std::int64_t limit = 1 << 18;
constexpr std::int64_t order = 200;

std::vector<double> numbers(std::int64_t count = order * order)
{
    return std::vector<double>(static_cast<std::size_t>(count), 1);
}

void any_gemm(DeviceGroup &devices, const Options &options, Report &report, Coefficient alpha = 1)
{
    auto random = support::seeded(91);
    auto form = gemm_test::form_of(order, order, order);
    form.alpha = alpha;
    const gemm_test::Problem problem(form, random);
    gemm(devices, problem.call(), options, report);
}

void any_gemv(DeviceGroup &devices, const Options &options, Report &report)
{
    auto a = numbers(), x = numbers(order), y = numbers(order);
    gemv(devices, {.m = order, .n = order, .a = a.data(), .lda = order, .x = x.data(), .y = y.data()}, options, report);
}

void any_fft(DeviceGroup &devices, const Options &options, Report &report, FftKind kind = FftKind::complex,
             std::vector<std::int64_t> dims = {128, 256}, std::int64_t batch = 1)
{
    auto in = numbers(2 * 128 * 257), out = in;
    FftCall call;
    call.kind = kind;
    call.dims = std::move(dims);
    call.batch = batch;
    call.in = in.data();
    call.out = out.data();
    fft(devices, call, options, report);
}

void any_pipeline(DeviceGroup &devices, const Options &, Report &report)
{
    auto values = numbers();
    StepList list;
    const auto array = list.add_array(0, order * 8);
    for (std::int64_t row = 0; row < order; ++row) {
        list.use(array, Access::inout,
                 {reinterpret_cast<std::uintptr_t>(values.data() + row * order), 1, order * 8, order * 8});
        list.end_step();
    }
    Control control;
    run_steps(
        *devices.sessions.front(), list, [](const StepView &) { return 0; }, {}, control, report);
}

struct Case {
    std::string name;
    std::vector<std::optional<std::int64_t>> limits;
    std::function<void(DeviceGroup &, const Options &, Report &)> run;
    Keys keys;
    const char *key = nullptr, *value = nullptr; // an option
};

std::vector<Case> cases()
{
    const auto none = std::nullopt;
    const auto gemm_of = [](Coefficient alpha) {
        return [alpha](DeviceGroup &devices, const Options &options, Report &report) {
            any_gemm(devices, options, report, alpha);
        };
    };
    const auto fft_of = [](FftKind kind, std::vector<std::int64_t> dims, std::int64_t batch) {
        return [=](DeviceGroup &devices, const Options &options, Report &report) {
            any_fft(devices, options, report, kind, dims, batch);
        };
    };
    const auto complex = fft_of(FftKind::complex, {128, 256}, 1);
    std::vector<Case> all = {
        {"gemm of nothing", {limit}, gemm_of(0), of_products},
        {"gemm in place", {none}, gemm_of(1), of_products},
        {"gemm", {limit}, gemm_of(1), of_planned_products},
        {"gemm in and out", {limit}, gemm_of(1), of_planned_products + Keys{"in_card_gflops"}, "in_card_rate", "1"},
        {"gemm not run",
         {limit},
         gemm_of(1),
         of_planned_products + Keys{"least_memory", "advised_memory"},
         "dry_run",
         "1"},
        {"gemm by tile", {limit}, gemm_of(1), of_planned_products, "tile", "64x64x64"},
        {"gemm on two", {limit, limit}, gemm_of(1), of_products + planned + of_several + Keys{"device_bytes"}},
        {"gemv", {limit}, any_gemv, of_products},
        {"gemv on a device", {limit}, any_gemv, of_planned_products, "run_on", "device"},
        {"fft of nothing", {limit}, fft_of(FftKind::complex, {16}, 0), of_transforms},
        {"fft in place", {none}, complex, of_transforms},
        {"fft", {limit}, complex, of_transforms + planned},
        {"fft not run",
         {limit},
         complex,
         of_transforms + planned + Keys{"least_memory", "advised_memory"},
         "dry_run",
         "1"},
        {"fft on the host", {limit}, complex, of_transforms, "fft_plan", "host"},
        {"fft of a real line", {limit}, fft_of(FftKind::real_to_complex, {32768}, 2), of_transforms + planned},
        {"fft on two", {limit, limit}, complex, of_transforms + planned + of_several},
        {"pipeline", {limit}, any_pipeline, of_pipelines},
    };
    for (const auto &operation : factor_test::operations())
        for (const auto &limits :
             std::vector<std::vector<std::optional<std::int64_t>>>{{none}, {limit}, {limit, none}}) {
            const auto run = [&operation](DeviceGroup &devices, const Options &options, Report &report) {
                auto a = factor_test::a_matrix(order), b = a;
                operation.run(devices, options, a, b, report);
            };
            all.push_back(
                {operation.name, limits, run, limits.size() > 1 ? of_factorisations + of_several : of_factorisations});
        }
    return all;
}

Keys keys_of(const Report &report)
{
    Keys keys;
    for (std::int64_t k = 0; k < report.count(); ++k) keys.insert(report.key(k));
    return keys;
}

// Between two texts of a file.
std::string part_of(const std::string &path, const std::string &begin, const std::string &end)
{
    std::ifstream file(support::repository(path));
    std::stringstream all;
    all << file.rdbuf();
    const auto text = all.str();
    const auto first = text.find(begin);
    if (first == std::string::npos) return {};
    return text.substr(first, text.find(end, first) - first);
}

// The names in the part of each line that the pattern finds.
Keys documented(const std::string &text, const std::string &line_begin, const std::string &name)
{
    Keys keys;
    std::istringstream lines(text);
    const std::regex begin(line_begin), one(name);
    for (std::string line; std::getline(lines, line);) {
        std::smatch found;
        if (!std::regex_search(line, found, begin)) continue;
        const std::string names = found[1];
        for (std::sregex_iterator k(names.begin(), names.end(), one), last; k != last; ++k) keys.insert((*k)[1]);
    }
    return keys;
}

} // namespace

TEST(Reports, have_exactly_the_documented_keys)
{
    Keys all;
    for (const auto &one : cases()) {
        auto devices = host_devices(one.limits);
        Options options;
        if (one.key != nullptr) options.set_text(one.key, one.value);
        Report report;
        try {
            one.run(devices, options, report);
        } catch (const Error &error) {
            if (error.status() == Status::unsupported) GTEST_SKIP() << error.what();
            FAIL() << one.name << ": " << error.what();
        }
        const auto plan = std::get<std::string>(report.get("plan"));
        auto keys = one.keys;
        if (plan == "left-looking") keys = keys + of_left_looking;
        // The sum over products: there may be none that is large enough for a device.
        if (plan == "recursive" && one.limits[0] && keys_of(report).contains("lower_bound_bytes"))
            keys = keys + Keys{"lower_bound_bytes", "kernel"};
        EXPECT_EQ(keys_of(report), keys) << one.name << " on " << one.limits.size();
        all = all + keys_of(report);
    }
    EXPECT_EQ(documented(part_of("docs/background/out-of-card.md", "## Reports", "## Memory"), R"(^\| (`[^|]*) \|)",
                         "`([a-z_]+)`"),
              all);
    EXPECT_EQ(documented(part_of("include/hpart/operations.h", "Report keys, of all operations", "Statuses besides"),
                         R"(^ \*   ([a-z_]+(, [a-z_]+)*)  )", "([a-z_]+)"),
              all);
}

TEST(Reports, tell_what_is_done_once_apart)
{
    std::set<std::string> seen; // of each name the case that has a device to set up
    for (const auto &one : cases()) {
        if (one.limits.size() != 1 || !one.limits[0] || one.key != nullptr) continue;
        auto devices = host_devices(one.limits);
        const auto run = [&] {
            Report report;
            one.run(devices, {}, report);
            EXPECT_GE(std::get<double>(report.get("seconds")), 0) << one.name;
            return std::get<double>(report.get("setup_seconds"));
        };
        double first = 0;
        try {
            first = run();
        } catch (const Error &error) {
            if (error.status() == Status::unsupported) GTEST_SKIP() << error.what();
            throw;
        }
        const auto again = run();
        if (first == 0) continue;
        seen.insert(one.name);
        // Transforms look for their plan each time, and what is not a product for its widths; products have their tiles.
        EXPECT_EQ(again == 0, std::regex_match(one.name, std::regex("gem[mv]( .*)?"))) << one.name;
    }
    for (const auto *name : {"gemm", "fft", "getrf", "potrf", "geqrf", "syrk", "trsm"})
        EXPECT_TRUE(seen.contains(name)) << name;
}
