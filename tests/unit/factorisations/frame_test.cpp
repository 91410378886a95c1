// Tests of all operations: progress, memory that is too little, messages, and the choice among several devices.
#include "backends.hpp"

#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/factorisations/least_squares.hpp"
#include "out_of_card/factorisations/recursive.hpp"
#include "out_of_card/pipeline/device_team.hpp"
#include "support/errors.hpp"
#include "support/fake_clock.hpp"
#include "support/known_device.hpp"
#include "support/options.hpp"

#include <algorithm>
#include <array>
#include <thread>

using namespace factor_test;
using hpart::DeviceGroup;
using hpart::FactorisationContext;
using hpart::Options;
using hpart::Report;
using hpart::Scalar;
using hpart::Status;
using hpart::Transpose;
using hpart::Triangle;
using support::options_of;

namespace
{

DeviceGroup hosts(const std::vector<std::optional<std::int64_t>> &limits)
{
    DeviceGroup devices;
    for (const auto limit : limits) devices.sessions.push_back(support::known_device(hpart::make_host_device(), limit));
    return devices;
}

Outcome run_on_squares(const Operation &operation, DeviceGroup &devices, const Options &options, std::int64_t n,
                       Store *a = nullptr, Store *b = nullptr)
{
    auto own_a = a_matrix(n), own_b = a_matrix(n);
    return run(devices, options, [&](DeviceGroup &on, const Options &with, Report &report) {
        operation.run(on, with, a != nullptr ? *a : own_a, b != nullptr ? *b : own_b, report);
    });
}

std::string text_of(const Report &report, const char *key) { return std::get<std::string>(report.get(key)); }

// A processor's kernels of OpenCL, whose tiles have multiples of many rows, where there is one.
DeviceGroup units_or_hosts(std::int64_t limit)
{
    try {
        return support::known_devices("opencl:0:0", limit);
    } catch (const hpart::Error &) {
        return hosts({limit});
    }
}

} // namespace

struct Refused {
    const char *key, *value;
    Status status;
    const char *word;
};

template <typename Open> void expect_refused(const std::vector<Refused> &all, const Open &devices_of)
{
    for (const auto &[key, value, status, word] : all)
        for (const std::int64_t limit : {100, 1 << 20}) // too little for a product, too
            for (const std::int64_t n : {1, 3, 40})
                for (const auto &operation : operations()) {
                    auto options = of_width(1);
                    options.set_text(key, value);
                    auto devices = devices_of(limit);
                    auto a = a_matrix(n), b = a_matrix(n);
                    const auto before = a.bytes();
                    const auto outcome = run_on_squares(operation, devices, options, n, &a, &b);
                    const auto what = operation.name + " of " + std::to_string(n) + ", " + key + "=" + value;
                    EXPECT_EQ(outcome.status, status) << what;
                    EXPECT_NE(outcome.message.find(word), std::string::npos) << what << ": " << outcome.message;
                    EXPECT_EQ(a.bytes(), before) << what;
                    EXPECT_EQ(b.bytes(), before) << what;
                }
}

// Settings that a product would refuse, whether the operation makes one or not.
TEST(Settings, AreRefusedBeforeAnythingChanges)
{
    expect_refused({{"zero_copy", "always", Status::invalid_argument, "memory limit is set for host"},
                    {"kernel", "clblast", Status::unsupported, "on host it must be auto or openblas"},
                    {"kernel", "none", Status::invalid_argument, "on host it must be auto or openblas"}},
                   [](std::int64_t limit) { return hosts({limit}); });
}

TEST(Settings, OfOpenClAreRefusedBeforeAnythingChanges)
{
    const auto open = [](std::int64_t limit) { return support::known_devices("opencl:0:0", limit); };
    try {
        open(1 << 20);
    } catch (const hpart::Error &error) {
        GTEST_SKIP() << error.what();
    }
    expect_refused({{"zero_copy", "always", Status::invalid_argument, "a memory limit is set"},
                    {"kernel", "none", Status::invalid_argument, "opencl:0:0"}},
                   open);
}

// Half of a task that has everything twice is half of what was counted before. The count leaves the matrices as they are; without any it
// is made by dry runs.
TEST(Progress, counts_what_the_operation_does)
{
    auto random = support::seeded(62);
    auto limited = hosts({1 << 16}), whole = hosts({std::nullopt});
    for (std::int64_t step = 0; step < support::how_many(0.006); ++step) {
        const auto &devices = step % 3 == 0 ? limited : whole;
        const auto options = step % 4 == 0 ? Options() : of_width(between(random, 1, 20));
        const auto largest = step % 4 == 0 ? 400 : 90;
        const auto n = between(random, 1, largest), m = n + between(random, 0, 40), columns = between(random, 1, 60);
        Store tall(Scalar::d, true, any_dense(Scalar::d, m, n, random), 0);
        Store right(Scalar::d, true, any_dense(Scalar::d, m, columns, random), 0);
        Store others(Scalar::d, true, n, columns, 0);
        auto square = a_matrix(n);
        const auto a = tall.matrix(), b = right.matrix(), s = square.matrix(), top = b.block(0, 0, n, columns),
                   top_of_others = others.matrix();
        std::vector<double> tau(static_cast<std::size_t>(n));
        std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
        const std::vector<std::pair<const char *, FactorisationContext::Work>> all = {
            {"qr", [&](FactorisationContext &products) { factor_qr(products, a, tau.data()); }},
            {"q applied",
             [&](FactorisationContext &products) { hpart::recursive::apply_q(products, true, a, tau.data(), b); }},
            {"update",
             [&](FactorisationContext &products) {
                 update_triangle(products, Triangle::lower, {.transpose = Transpose::transpose}, 1.0, a, 1.0, s);
             }},
            {"lu", [&](FactorisationContext &products) { factor_lu(products, a, std::span<std::int64_t>(pivots)); }},
            {"cholesky", [&](FactorisationContext &products) { factor_cholesky(products, Triangle::lower, s); }},
            {"solution",
             [&](FactorisationContext &products) {
                 solve_triangle(products, hpart::Side::left, {.unit_diagonal = true}, a.block(0, 0, n, n), top);
             }},
            {"inverse by lu", [&](FactorisationContext &products) { hpart::recursive::invert_by_lu(products, s, {}); }},
            {"inverse by cholesky",
             [&](FactorisationContext &products) { hpart::recursive::invert_by_cholesky(products, s); }},
            {"q",
             [&](FactorisationContext &products) { hpart::recursive::form_q(products, n / 2 + 1, a, tau.data()); }},
            {"multiples",
             [&](FactorisationContext &products) {
                 hpart::recursive::multiply_triangle(products, {}, a.block(0, 0, n, n), top);
             }},
            {"symmetric",
             [&](FactorisationContext &products) {
                 hpart::recursive::multiply_symmetric(products, {}, 1.0, s, top, 1.0, top_of_others);
             }},
            {"triangle",
             [&](FactorisationContext &products) {
                 hpart::recursive::multiply_to_triangle(products, 1.0, {a, Transpose::transpose}, {a}, 1.0, s);
             }},
            {"batch",
             [&](FactorisationContext &products) {
                 products.repeat(columns,
                                 [&](std::int64_t) { products.multiply(1.0, {s}, {top}, 0.0, top_of_others); });
             }},
        };
        for (const auto &one : all) {
            const auto *const name = one.first;
            const auto &work = one.second;
            const auto bytes = [&] { return std::array{tall.bytes(), right.bytes(), square.bytes(), others.bytes()}; };
            const auto before = bytes();
            FactorisationContext products(devices, options, Scalar::d, name, [&](FactorisationContext &context) {
                work(context);
                work(context);
            });
            ASSERT_EQ(bytes(), before) << name;
            work(products);
            ASSERT_NEAR(products.fraction(), 0.5, 1e-9) << name << ": " << m << " x " << n << ", " << columns;
        }
    }
}

// The fraction told grows to 1 and stands nowhere for long.
TEST(Progress, grows_with_the_work)
{
    constexpr std::int64_t order = 160;
    const std::vector<std::optional<std::int64_t>> limits = {std::nullopt, 1 << 18};
    for (const auto limit : limits)
        for (const auto &operation : {operations()[0], operations()[3]}) {
            auto devices = hosts({limit});
            std::vector<double> told;
            auto options = of_width(64);
            options.set_progress(std::make_shared<hpart::ProgressCallback>([&](double fraction, const char *) {
                told.push_back(fraction);
                std::this_thread::sleep_for(std::chrono::milliseconds(51)); // or the next one is not told
                return 0;
            }));
            const auto outcome = run_on_squares(operation, devices, options, order);
            ASSERT_EQ(outcome.status, Status::success) << outcome.message;
            ASSERT_GE(told.size(), 4U) << operation.name;
            EXPECT_TRUE(std::ranges::is_sorted(told)) << operation.name;
            EXPECT_EQ(told.back(), 1) << operation.name;
            EXPECT_LT(told.front(), 0.5) << operation.name;
            EXPECT_TRUE(std::ranges::any_of(told, [](double one) { return one > 0.2 && one < 0.8; })) << operation.name;
            EXPECT_LE(std::ranges::count(told, 1.0), static_cast<std::ptrdiff_t>(1 + told.size() / 4))
                << operation.name;
        }
}

TEST(Memory, that_is_too_little_changes_nothing)
{
    for (const auto &options : {Options(), of_width(16)})
        for (const auto &operation : operations()) {
            auto devices = hosts({100});
            auto a = a_matrix(300), b = a_matrix(300);
            const auto a_before = a.bytes(), b_before = b.bytes();
            const auto outcome = run_on_squares(operation, devices, options, 300, &a, &b);
            EXPECT_EQ(outcome.status, Status::out_of_memory) << operation.name;
            EXPECT_TRUE(a.bytes() == a_before && b.bytes() == b_before) << operation.name;
            EXPECT_TRUE(outcome.message.starts_with("d" + operation.name + " of 300 x 300")) << outcome.message;
            EXPECT_TRUE(outcome.message.ends_with("bytes would do; nothing was changed")) << outcome.message;
        }
}

// Enough for some of the products, which differ in their sides and in what of them is transposed.
TEST(Memory, that_is_too_little_for_some_products_changes_nothing)
{
    auto random = support::seeded(63);
    std::int64_t refused = 0;
    const auto count = support::how_many(0.1);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto &operation = operations()[static_cast<std::size_t>(i) % operations().size()];
        const auto n = between(random, 20, 100);
        auto options = of_width(between(random, 1, n));
        const auto side = [&] { return between(random, 5, 60); };
        options.set_text("tile", hpart::text(side(), 'x', side(), 'x', side()));
        const auto with = [&](std::int64_t limit) { return i % 19 == 0 ? units_or_hosts(limit) : hosts({limit}); };
        auto none = with(100);
        const auto enough = support::bytes_that_would_do(run_on_squares(operation, none, options, n).message);
        if (enough.empty()) continue; // there is no product
        const auto less = enough[0] - between(random, 1, enough[0] / between(random, 4, 50));
        auto devices = with(less);
        auto a = a_matrix(n), b = a_matrix(n);
        const auto a_before = a.bytes(), b_before = b.bytes();
        const auto outcome = run_on_squares(operation, devices, options, n, &a, &b);
        if (outcome.status == Status::success) continue;
        ++refused;
        EXPECT_EQ(outcome.status, Status::out_of_memory) << operation.name << " " << less << " " << outcome.message;
        EXPECT_TRUE(a.bytes() == a_before && b.bytes() == b_before)
            << operation.name << " " << less << " " << outcome.message;
    }
    EXPECT_GE(refused, count / 4);
}

// The memory that would do is named for each device, and is hardly more than the least where any tile is a kernel's.
TEST(Memory, that_would_do_is_named)
{
    constexpr double nearly = 0.95;
    for (const std::size_t k : {0, 3}) // the others are of like products
        for (const std::size_t count : {1, 2}) {
            const auto &operation = operations()[k];
            auto options = of_width(7 * static_cast<std::int64_t>(k + 1));
            if (count == 2) options.set_text("plan", "model"); // all of a list, whichever is faster
            const auto with = [&](std::int64_t bytes) {
                auto devices = hosts({bytes});
                if (count == 2) devices.sessions.push_back(units_or_hosts(bytes).sessions[0]);
                return run_on_squares(operation, devices, options, 120);
            };
            const auto refused = with(100);
            ASSERT_EQ(refused.status, Status::out_of_memory) << operation.name;
            const auto told = support::bytes_that_would_do(refused.message);
            ASSERT_EQ(told.size(), count) << refused.message;
            const auto most = std::ranges::max(told);
            EXPECT_EQ(with(most).status, Status::success) << operation.name << ": " << refused.message;
            if (count == 2) continue;
            const auto less = static_cast<std::int64_t>(nearly * static_cast<double>(most));
            EXPECT_EQ(with(less).status, Status::out_of_memory) << operation.name << ": " << refused.message;
        }
}

TEST(Choice, leaves_out_a_device_with_too_little_memory)
{
    for (const auto &operation : operations()) {
        auto devices = hosts({100, std::nullopt});
        const auto outcome = run_on_squares(operation, devices, {}, 300);
        ASSERT_EQ(outcome.status, Status::success) << outcome.message;
        EXPECT_EQ(text_of(outcome.report, "method"), "host") << operation.name;
        EXPECT_EQ(text_of(outcome.report, "devices"), "host, host") << operation.name;
        const auto forced = options_of({{"tile", "64x64x64"}});
        EXPECT_EQ(run_on_squares(operation, devices, forced, 300).status, Status::out_of_memory) << operation.name;
    }
}

// Too little for an operation's products, or only for some of them.
TEST(Choice, never_takes_a_device_with_too_little_memory)
{
    for (const auto &operation : {operations()[0], operations()[3]})
        for (const std::int64_t limit : {150, 4800}) {
            auto devices = hosts({limit, std::nullopt});
            const auto outcome = run_on_squares(operation, devices, {}, 120);
            EXPECT_EQ(outcome.status, Status::success) << operation.name << " " << limit << " " << outcome.message;
        }
}

// It works in place. Its rates are measured here.
TEST(Choice, takes_the_host_whatever_the_limit)
{
    for (const std::int64_t limit : {1, 1000, 13000}) {
        DeviceGroup devices;
        for (int k = 0; k < 2; ++k)
            devices.sessions.push_back(std::make_shared<hpart::DeviceSession>(hpart::make_host_device(), limit));
        for (const auto &operation : operations()) {
            auto outcome = run_on_squares(operation, devices, {}, 150);
            ASSERT_EQ(outcome.status, Status::success) << operation.name << " " << limit << " " << outcome.message;
            EXPECT_EQ(text_of(outcome.report, "method"), "host") << operation.name << " " << limit;
            outcome = run_on_squares(operation, devices, options_of({{"dry_run", "1"}}), 150);
            ASSERT_EQ(outcome.status, Status::success) << operation.name << " " << limit << " " << outcome.message;
            if (const auto *const predicted = outcome.report.find("predicted_seconds")) {
                EXPECT_LT(std::get<double>(*predicted), 1) << operation.name << " " << limit;
            }
        }
    }
}

// Also where it took so long before that the list looks faster.
TEST(Choice, takes_no_list_with_too_little_memory)
{
    DeviceGroup devices;
    for (int k = 0; k < 2; ++k)
        devices.sessions.push_back(std::make_shared<hpart::DeviceSession>(hpart::make_host_device(), 1));
    for (const auto &operation : operations()) {
        for (int time = 0; time < 10; ++time)
            correction_of(*devices.sessions.front(), operation.name + " 1 on host")->learn(1, 1e9);
        const auto outcome = run_on_squares(operation, devices, {}, 150);
        EXPECT_EQ(outcome.status, Status::success) << operation.name << " " << outcome.message;
    }
}

// A dry run needs no more memory than the run.
TEST(Choice, predicts_nothing_in_too_little_memory)
{
    for (const std::int64_t limit : {1, 4000, 100'000}) {
        DeviceGroup device{{std::make_shared<hpart::DeviceSession>(hpart::make_host_device(), limit)}};
        for (const auto &operation : operations()) {
            const auto run = run_on_squares(operation, device, {}, 120);
            const auto dry_run = run_on_squares(operation, device, options_of({{"dry_run", "1"}}), 120);
            EXPECT_EQ(run.status, dry_run.status) << operation.name << " " << limit << " " << dry_run.message;
        }
    }
}

// A dry run tells of the plan that the run takes.
TEST(Choice, is_the_same_in_a_dry_run)
{
    for (const std::int64_t limit : {200'000, 1'000'000}) {
        auto device = units_or_hosts(limit);
        for (const auto &operation : operations()) {
            const auto run = run_on_squares(operation, device, {}, 400);
            const auto dry_run = run_on_squares(operation, device, options_of({{"dry_run", "1"}}), 400);
            ASSERT_EQ(run.status, Status::success) << operation.name << " " << run.message;
            for (const char *const key : {"method", "plan", "tiles", "kernel"})
                EXPECT_EQ(text_of(run.report, key), text_of(dry_run.report, key)) << operation.name << " " << limit;
            EXPECT_EQ(run.report.get("lower_bound_bytes"), dry_run.report.get("lower_bound_bytes"))
                << operation.name << " " << limit;
        }
    }
}

TEST(Choice, tells_that_all_was_done_where_the_last_call_of_progress_cancels)
{
    const support::FakeClock clock(1); // each call is told
    auto device = hosts({200'000});
    for (const auto &operation : operations()) {
        Options options;
        options.set_progress(std::make_shared<hpart::ProgressCallback>(
            [&](double, const char *what) { return what == std::string_view(operation.name) ? 1 : 0; }));
        const auto outcome = run_on_squares(operation, device, options, 200);
        EXPECT_EQ(outcome.status, Status::cancelled) << operation.name;
        EXPECT_NE(outcome.message.find("its results are complete"), std::string::npos) << outcome.message;
    }
}

// Products that are not worth a device: the host does them.
TEST(Choice, is_told_where_the_host_does_all)
{
    for (const auto &operation : operations()) {
        Options forced = of_width(64);
        forced.set_text("plan", "model");
        for (const bool has_host : {true, false}) {
            auto devices = units_or_hosts(1 << 20);
            if (devices.sessions[0]->info().backend == hpart::Backend::host)
                GTEST_SKIP() << "this machine has no OpenCL device";
            if (has_host)
                devices.sessions.push_back(hosts({1 << 20}).sessions[0]);
            else
                devices.sessions.push_back(units_or_hosts(1 << 21).sessions[0]);
            const auto outcome = run_on_squares(operation, devices, forced, 20);
            ASSERT_EQ(outcome.status, Status::success) << outcome.message;
            EXPECT_EQ(text_of(outcome.report, "method"), "host") << operation.name;
            const auto shares = std::get<std::vector<double>>(outcome.report.get("device_shares"));
            EXPECT_EQ(shares, (std::vector<double>{0, has_host ? 1.0 : 0.0})) << operation.name;
        }
    }
}

// Without zero copy the device has memory of its own.
TEST(Choice, is_told_without_zero_copy)
{
    for (const auto &operation : {operations()[0], operations()[3]}) {
        auto devices = hosts({std::nullopt});
        auto options = options_of({{"zero_copy", "never"}});
        for (const char *const dry : {"0", "1"}) {
            options.set_text("dry_run", dry);
            const auto outcome = run_on_squares(operation, devices, options, 300);
            ASSERT_EQ(outcome.status, Status::success) << outcome.message;
            EXPECT_EQ(text_of(outcome.report, "method"), "out-of-card") << operation.name << dry;
        }
    }
}

// Nothing is multiplied with alpha = 0.
TEST(Choice, is_told_where_nothing_is_multiplied)
{
    const auto forced = options_of({{"plan", "model"}});
    auto devices = units_or_hosts(1 << 20);
    if (devices.sessions[0]->info().backend == hpart::Backend::host)
        GTEST_SKIP() << "this machine has no OpenCL device";
    devices.sessions.push_back(hosts({1 << 20}).sessions[0]);
    auto a = a_matrix(200), c = a_matrix(200);
    auto call = update(a, 200, c, 2);
    call.alpha = 0;
    Report report;
    hpart::syrk(devices, call, forced, report);
    EXPECT_EQ(text_of(report, "method"), "host");
    EXPECT_EQ(std::get<std::vector<double>>(report.get("device_shares")), (std::vector<double>{0, 1}));
}

TEST(Choice, takes_one_device_for_a_small_matrix_and_all_where_products_are_asked_for)
{
    DeviceGroup units;
    try {
        units = support::known_devices("opencl:0:0:0,opencl:0:0:1", 1 << 22);
    } catch (const hpart::Error &error) {
        GTEST_SKIP() << error.what();
    }
    for (const auto &operation : {operations()[0], operations()[3]}) {
        const auto alone = run_on_squares(operation, units, {}, 400);
        ASSERT_EQ(alone.status, Status::success) << alone.message;
        EXPECT_EQ(text_of(alone.report, "method"), "out-of-card") << operation.name;
        const auto shares = std::get<std::vector<double>>(alone.report.get("device_shares"));
        EXPECT_EQ(std::ranges::count(shares, 1.0), 1) << operation.name;
        const auto all = run_on_squares(operation, units, options_of({{"plan", "model"}}), 400);
        ASSERT_EQ(all.status, Status::success) << all.message;
        EXPECT_EQ(text_of(all.report, "method"), "devices") << operation.name;
        EXPECT_EQ(text_of(all.report, "plan"), "recursive") << operation.name;
        const auto dry = run_on_squares(operation, units, options_of({{"plan", "model"}, {"dry_run", "1"}}), 400);
        ASSERT_EQ(dry.status, Status::success) << dry.message;
        const auto planned = std::get<std::vector<double>>(dry.report.get("device_shares"));
        ASSERT_EQ(planned.size(), 2U);
        EXPECT_NEAR(planned[0] + planned[1], 1, 1e-9) << operation.name;
        EXPECT_GT(std::ranges::min(planned), 0.1) << operation.name; // alike
    }
}
