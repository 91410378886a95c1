// Transforms on devices of little memory.
#include "core/error.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/fft/fft.hpp"
#include "out_of_card/fft/plan.hpp"
#include "out_of_card/in_card/fft.hpp"
#include "problem.hpp"
#include "support/backends.hpp"
#include "support/errors.hpp"
#include "support/known_device.hpp"
#include "support/options.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <map>

using namespace problem;
using namespace hpart;
using support::options_of;

namespace
{

// Nothing is where no plan of a device was made.
std::int64_t bytes_planned(const Report &report)
{
    return report.find("bytes_planned") == nullptr ? 0 : integer(report, "bytes_planned");
}

class FftOnDevices : public support::OnBackend
{
  protected:
    // PoCL compiles VkFFT's kernels for each shape, which takes seconds.
    static bool compiles_long() { return GetParam().name == "opencl_gpu" && !support::is_long_run(); }

    DeviceGroup open(std::optional<std::int64_t> limit) { return {{support::known_device(device_, limit)}}; }

    // A plan by name is refused where it does not fit, and the message tells what would do: "refused".
    std::string check_named(const Problem &problem, std::int64_t limit, const Options &options)
    {
        try {
            return check(problem, limit, options);
        } catch (const Error &error) {
            const std::string says = error.what();
            const auto told = text(describe(problem), " limit ", limit, ": ", says);
            const auto enough = support::bytes_that_would_do(says);
            EXPECT_EQ(error.status(), enough.empty() ? Status::unsupported : Status::out_of_memory) << told;
            EXPECT_NE(says.find(text("no plan ", options.get_text("fft_plan"))), std::string::npos) << told;
            if (!enough.empty()) {
                EXPECT_GT(enough[0], limit) << told;
                if (enough[0] > limit) check_named(problem, enough[0], options);
            }
            return "refused";
        }
    }

    // The plan's name.
    std::string check(const Problem &problem, std::optional<std::int64_t> limit, const Options &options)
    {
        auto devices = open(limit);
        Arrays arrays(problem);
        Report report;
        fft(devices, arrays.call(), options, report);
        auto plan = std::get<std::string>(report.get("plan"));
        const auto *host = report.find("on_host");
        const auto told = text(describe(problem), " limit ", limit.value_or(0), " kernel ", options.get_text("kernel"),
                               " plan ", plan, " ", host == nullptr ? "" : std::get<std::string>(*host));
        EXPECT_LE(arrays.error(), arrays.tolerance()) << told;
        EXPECT_TRUE(arrays.rest_is_untouched()) << told;
        EXPECT_LE(devices.sessions[0]->most_used(), devices.sessions[0]->memory_limit()) << told;
        EXPECT_EQ(devices.sessions[0]->used(), 0) << told;
        EXPECT_EQ(integer(report, "bytes_to_device") + integer(report, "bytes_from_device"), bytes_planned(report))
            << told;
        devices.sessions[0]->release_idle();
        const auto &census = device_->census();
        EXPECT_EQ(census.buffers + census.queues + census.events, 0) << told;
        return plan;
    }
};

TEST_P(FftOnDevices, AnyShapeUnderAnyLimit)
{
    if (compiles_long()) GTEST_SKIP() << "in long runs";
    auto random = seeded(2);
    std::map<std::string, int> plans;
    const auto count = how_many(0.025);
    for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
        const auto problem = any_problem(random, std::int64_t{1} << between(random, 4, 15));
        constexpr const char *ways[] = {"model", "model", "slabs", "in-card"};
        const auto *const way = ways[between(random, 0, 3)];
        const auto options = options_of({{"fft_plan", way}});
        const auto limit = 64 * kilobyte << between(random, 0, 4);
        ++plans[way == ways[0] ? check(problem, limit, options) : check_named(problem, limit, options)];
    }
    constexpr std::int64_t enough_for_all = 100;
    for (const auto *plan : {"host", "in-card", "slabs", "refused"})
        if (count >= enough_for_all) {
            EXPECT_GT(plans[plan], 0) << plan;
        }
}

TEST_P(FftOnDevices, TheHostDoesWhatDoesNotFitUnlessTheDeviceIsAskedFor)
{
    if (compiles_long()) GTEST_SKIP() << "in long runs";
    for (const auto kind : {FftKind::complex, FftKind::real_to_complex, FftKind::complex_to_real})
        for (const auto &dims : {std::vector<std::int64_t>{60, 64}, std::vector<std::int64_t>{1 << 12}}) {
            const auto problem = problem_of(kind, dims);
            EXPECT_EQ(check(problem, 2000, {}), "host");
            EXPECT_EQ(check(problem, std::nullopt, options_of({{"run_on", "host"}})), "host");
            support::expect_error(Status::out_of_memory, {"bytes would do"}, [&] {
                check(problem, 2000, options_of({{"run_on", "device"}}));
            });
        }
}

// The shape is the reason, not the memory.
TEST_P(FftOnDevices, APlanThatAShapeHasNotIsNamedAsSuch)
{
    if (compiles_long()) GTEST_SKIP() << "in long runs";
    for (const auto limit : {2 * kilobyte, 1024 * kilobyte}) {
        const auto error = support::error_of([&] {
            check(problem_of(FftKind::complex, {61}), limit, options_of({{"fft_plan", "slabs"}}));
        });
        EXPECT_EQ(error.status(), Status::unsupported);
        EXPECT_EQ(error.what(), text("there is no plan slabs of a transform of this shape on ", device_->info().spec,
                                     ", whatever its memory"));
    }
}

TEST_P(FftOnDevices, ProgressOfSeveralLinesRises)
{
    if (compiles_long()) GTEST_SKIP() << "in long runs";
    for (const auto kind : {FftKind::real_to_complex, FftKind::complex_to_real}) {
        auto devices = open(256 * kilobyte);
        Arrays arrays(problem_of(kind, {60000}, 3));
        std::vector<double> told;
        Options options;
        options.set_progress(std::make_shared<ProgressCallback>([&](double part, const char *) {
            told.push_back(part);
            return 0;
        }));
        Report report;
        fft(devices, arrays.call(), options, report);
        EXPECT_LE(arrays.error(), arrays.tolerance());
        EXPECT_NE(std::get<std::string>(report.get("plan")), "host");
        ASSERT_GE(told.size(), 3U);
        EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
        EXPECT_LE(told.back(), 1);
    }
}

// About the sizes that devices are for: some fit, the others are cut.
TEST_P(FftOnDevices, LargerShapes)
{
    if (!support::is_long_run() && GetParam().name != "host") GTEST_SKIP() << "in long runs";
    constexpr std::int64_t megabyte = 1024 * kilobyte;
    const std::vector<std::pair<FftKind, std::vector<std::int64_t>>> shapes = {
        {FftKind::complex, {512, 768}},           {FftKind::complex, {3 << 17}},
        {FftKind::complex, {60, 70, 90}},         {FftKind::real_to_complex, {600000}},
        {FftKind::real_to_complex, {997, 700}},   {FftKind::complex_to_real, {500000}},
        {FftKind::complex_to_real, {40, 90, 210}}};
    for (const auto &[kind, dims] : shapes) {
        const auto problem = problem_of(kind, dims, 1, dims.size() % 2 == 0);
        for (const auto limit : {2 * megabyte, 5 * megabyte, 64 * megabyte})
            if (support::is_long_run() || limit == 2 * megabyte) {
                EXPECT_NE(check(problem, limit, {}), "host");
            }
    }
}

TEST_P(FftOnDevices, InTheHostsMemory)
{
    if (compiles_long()) GTEST_SKIP() << "in long runs";
    if (!device_->info().shares_host_memory) GTEST_SKIP() << "the device has memory of its own";
    auto random = seeded(6);
    std::map<std::string, int> plans;
    const auto count = std::max<std::int64_t>(40, how_many(0.02));
    for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
        const auto problem = any_problem(random, std::int64_t{1} << between(random, 4, 14));
        ++plans[check(problem, std::nullopt, options_of({{"zero_copy", "always"}}))];
    }
    EXPECT_GT(plans[device_->info().backend == Backend::host ? "host" : "zero-copy"],
              plans["slabs"] + plans["in-card"]);
}

// Devices of which nothing is known yet.
TEST_P(FftOnDevices, MeasuresWhatIsNotKnown)
{
    if (!support::is_long_run() && GetParam().name != "host") GTEST_SKIP() << "in long runs";
    for (const auto limit : {64 * kilobyte, 64 * 1024 * kilobyte}) {
        DeviceGroup devices{{std::make_shared<DeviceSession>(device_, limit)}};
        Arrays arrays(problem_of(FftKind::complex, {40, 60}));
        Report report;
        fft(devices, arrays.call(), {}, report);
        EXPECT_LE(arrays.error(), arrays.tolerance()) << limit;
        EXPECT_EQ(devices.sessions[0]->used(), 0) << limit;
    }
}

// A transform that fits in so little memory has measured rates, too.
TEST_P(FftOnDevices, MeasuresInLittleMemory)
{
    if (compiles_long()) GTEST_SKIP() << "in long runs";
    for (const auto limit : {std::int64_t{3} * 1024, std::int64_t{20} * 1024}) {
        DeviceSession session(device_, limit);
        const auto engine = in_card_fft(session);
        if (!engine || session.taken_by(256) > limit) continue; // it has no memory for a line
        EXPECT_NE(rates_of(session, *engine, true).flops, FftRates().flops) << limit;
        EXPECT_EQ(session.used(), 0) << limit;
    }
}

// Every implementation that the device has, not the one it would choose alone. Few: some compile each shape.
TEST_P(FftOnDevices, EveryImplementation)
{
    auto random = seeded(3);
    const auto names = in_card_fft_names(*open(std::int64_t{1} << 20).sessions[0]);
    for (const auto &name : names) {
        if (names.size() == 1 && name != "vkfft") GTEST_SKIP() << "it is what the device chooses";
        if (name == "vkfft" && GetParam().name != "opencl_gpu" && !support::is_long_run()) continue;
        const auto count = how_many(name == "vkfft" ? 0.001 : 0.02);
        for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
            const auto problem = any_problem(random, std::int64_t{1} << between(random, 4, compiles_long() ? 10 : 14));
            const auto options = options_of({{"kernel", name}, {"fft_plan", k % 2 == 0 ? "slabs" : "in-card"}});
            check_named(problem, 128 * kilobyte << between(random, 0, 3), options);
        }
    }
}

// Groups of as many items as local memory allows are more than a processor's thread has a stack for.
TEST_P(FftOnDevices, LongLinesOfEveryImplementation)
{
    if (GetParam().name.starts_with("opencl") && !support::is_long_run()) GTEST_SKIP() << "in long runs";
    constexpr std::int64_t limit = 16 * 1024 * kilobyte;
    for (const auto &name : in_card_fft_names(*open(limit).sessions[0]))
        for (const auto kind : {FftKind::complex, FftKind::real_to_complex, FftKind::complex_to_real})
            for (const std::int64_t length : {64 * 307, 18181, 36450}) // the smaller two have large primes
                check_named(problem_of(kind, {length}), limit, options_of({{"kernel", name}, {"fft_plan", "in-card"}}));
}

INSTANTIATE_TEST_SUITE_P(Devices, FftOnDevices, testing::ValuesIn(support::all_backend_cases()), support::backend_name);

// Two or three devices of any backends, each with a limit of its own.
TEST(FftOnSeveralDevices, AnyShape)
{
    auto random = seeded(5);
    std::vector<std::shared_ptr<Device>> opened;
    for (const auto &backend : support::backend_cases())
        if (backend.is_here && !backend.is_alone) opened.push_back(backend.open());
    int shared = 0;
    const auto count = how_many(0.02);
    for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
        DeviceGroup devices;
        const auto wanted = between(random, 2, 3);
        for (std::int64_t c = 0; c < wanted; ++c) {
            const auto which =
                static_cast<std::size_t>(between(random, 0, static_cast<std::int64_t>(opened.size()) - 1));
            const auto limit = 64 * kilobyte << between(random, 0, 3);
            devices.sessions.push_back(support::known_device(opened[which], limit));
        }
        const auto problem = any_problem(random, std::int64_t{1} << between(random, 8, 15));
        Arrays arrays(problem);
        Report report;
        fft(devices, arrays.call(), {}, report);
        const auto plan = std::get<std::string>(report.get("plan"));
        if (plan == "shares") ++shared;
        EXPECT_LE(arrays.error(), arrays.tolerance()) << describe(problem) << " plan " << plan;
        EXPECT_TRUE(arrays.rest_is_untouched()) << describe(problem) << " plan " << plan;
        EXPECT_EQ(integer(report, "bytes_to_device") + integer(report, "bytes_from_device"), bytes_planned(report))
            << describe(problem) << " plan " << plan;
        for (const auto &session : devices.sessions) {
            EXPECT_LE(session->most_used(), session->memory_limit()) << describe(problem);
            EXPECT_EQ(session->used(), 0) << describe(problem);
        }
    }
    constexpr std::int64_t enough = 20; // for some of them to be shared
    EXPECT_TRUE(shared > 0 || count < enough);
}

// Lines of real numbers are cut as half as many complex ones where that takes less.
TEST(Fft, LinesOfRealNumbersTellTheLeastMemory)
{
    std::vector<float> numbers(5 * 4096);
    std::vector<std::complex<float>> spectrum(5 * 2049);
    FftCall call;
    call.is_double = false;
    call.kind = FftKind::real_to_complex;
    call.dims = {4096};
    call.batch = 5;
    call.in = numbers.data();
    call.out = spectrum.data();
    auto options = options_of({{"run_on", "device"}, {"dry_run", "1"}});
    const auto open = [](std::int64_t limit) {
        return DeviceGroup{{support::known_device(make_host_device(), limit)}};
    };
    auto large = open(1 << 26);
    Report report;
    fft(large, call, options, report);
    const auto least = integer(report, "least_memory");
    options.set_int("dry_run", 0);
    auto enough = open(least), less = open(least / 2);
    fft(enough, call, options, report);
    const auto refusal = support::error_of([&] { fft(less, call, options, report); });
    EXPECT_EQ(refusal.status(), Status::out_of_memory) << least << ' ' << refusal.what();
}

// Several passes over the arrays are counted in 64 bits.
TEST(Fft, ArraysWhoseBytesCannotBeCountedAreRefused)
{
    DeviceGroup devices{{support::known_device(make_host_device(), std::int64_t{1} << 30)}};
    const auto options = options_of({{"dry_run", "1"}});
    const auto error_of = [&](std::vector<std::int64_t> dims, std::int64_t batch, FftKind kind) {
        FftCall call;
        call.dims = std::move(dims);
        call.batch = batch;
        call.kind = kind;
        return support::error_of([&] {
            Report report;
            fft(devices, call, options, report);
            fail(Status::success, "counted");
        });
    };
    constexpr std::int64_t one = 1;
    for (const auto kind : {FftKind::complex, FftKind::real_to_complex, FftKind::complex_to_real}) {
        EXPECT_EQ(error_of({one << 24, one << 24}, 1024, kind).status(), Status::invalid_argument);
        EXPECT_EQ(error_of({one << 20}, one << 38, kind).status(), Status::invalid_argument);
        EXPECT_EQ(error_of({one << 62}, 0, kind).status(), Status::invalid_argument);
        EXPECT_EQ(error_of({one << 40, one << 40}, 0, kind).status(), Status::invalid_argument);
    }
    EXPECT_STREQ(error_of({one << 20}, one << 35, FftKind::complex).what(), "counted");
}

// They are planned once, however many there are.
TEST(Fft, ManyLinesOfRealNumbersArePlannedAsOne)
{
    FftCall call;
    call.kind = FftKind::real_to_complex;
    call.dims = {std::int64_t{1} << 20};
    const auto options = options_of({{"dry_run", "1"}, {"run_on", "device"}});
    const auto planned = [&](std::int64_t batch) {
        DeviceGroup devices{{support::known_device(make_host_device(), std::int64_t{1} << 20)}};
        call.batch = batch;
        Report report;
        fft(devices, call, options, report);
        return std::pair{integer(report, "bytes_planned"), integer(report, "lower_bound_bytes")};
    };
    const auto one = planned(1), many = planned(std::int64_t{1} << 30);
    EXPECT_EQ(many.first, one.first << 30);
    EXPECT_EQ(many.second, one.second << 30);
}

} // namespace
