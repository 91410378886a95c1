// Every call of a device fails once: the status is right, nothing of the device is left, and the next operation is right.
#include "backends.hpp"

#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/pipeline/device_team.hpp"
#include "support/faulty_device.hpp"
#include "support/known_device.hpp"

#include <algorithm>
#include <cctype>
#include <span>

using namespace factor_test;
using hpart::DeviceGroup;
using hpart::Options;
using hpart::Report;
using hpart::Scalar;
using hpart::Status;
using support::between;

namespace
{

constexpr std::int64_t matrix_order = 26, panel_width = 8;

// Those that change one matrix.
std::span<const Operation> simple_operations() { return std::span(operations()).first(5); }

struct Ending {
    Store matrix = a_matrix(matrix_order);
    Outcome outcome;
};

Ending ending_of(const Operation &operation, DeviceGroup &devices, const Options &options)
{
    Ending ending;
    auto other = a_matrix(matrix_order);
    const bool changes_first = operation.name != "syrk" && operation.name != "trsm";
    ending.outcome = run(devices, options, [&](DeviceGroup &on, const Options &with, Report &report) {
        operation.run(on, with, changes_first ? ending.matrix : other, changes_first ? other : ending.matrix, report);
    });
    return ending;
}

// But for rounding: of a list a row may be another device's each time.
void expect_equal(Store &matrix, Store &right, const std::string &told)
{
    constexpr double rounding = 1e-13;
    const auto expected = right.dense();
    EXPECT_LE(norm(sum(matrix.dense(), -1, expected)), rounding * norm(expected)) << told;
}

// As documented.
void expect_right_ending(Ending &ending, Ending &right, const std::string &told)
{
    const auto &[status, message, report] = ending.outcome;
    if (status == Status::success) return expect_equal(ending.matrix, right.matrix, told);
    EXPECT_TRUE(status == Status::device || status == Status::out_of_memory) << told;
    if (message.ends_with("; nothing was changed")) {
        EXPECT_EQ(ending.matrix.bytes(), a_matrix(matrix_order).bytes()) << told;
    } else {
        EXPECT_TRUE(message.ends_with("; its results are undefined")) << told << ": " << message;
    }
}

bool is_slow(support::Fault fault) { return fault == support::Fault::late || fault == support::Fault::fails_later; }

class FactorisationFaults : public testing::TestWithParam<std::tuple<support::BackendCase, support::Fault>>
{
  protected:
    static void at_every_call(support::FaultyDevice &device, DeviceGroup &devices, const Options &options,
                              support::Fault fault, std::int64_t step, std::int64_t first = 1);
};

// At every so many calls of the device, of each operation.
void FactorisationFaults::at_every_call(support::FaultyDevice &device, DeviceGroup &devices, const Options &options,
                                        support::Fault fault, std::int64_t step, std::int64_t first)
{
    const auto alive = [&] {
        std::vector<support::Alive> all;
        for (const auto &session : devices.sessions) {
            EXPECT_EQ(session->used(), 0);
            session->release_idle(); // and all is allocated anew
            all.push_back(support::alive_on(session->device()));
        }
        return all;
    };
    for (const auto &operation : simple_operations()) {
        device.set_fault(0, fault);
        ending_of(operation, devices, options); // what parts take is learnt
        auto right = ending_of(operation, devices, options);
        ASSERT_EQ(right.outcome.status, Status::success) << right.outcome.message;
        const auto alive_before = alive();
        for (auto k = first;; k += step) {
            Ending ending;
            const bool met = device.meets(k, fault, [&] { ending = ending_of(operation, devices, options); });
            const auto told = operation.name + " at call " + std::to_string(k);
            if (!met || !support::FaultyDevice::may_succeed(fault)) {
                EXPECT_EQ(met, ending.outcome.status != Status::success) << told << ": " << ending.outcome.message;
            }
            expect_right_ending(ending, right, told);
            EXPECT_EQ(alive(), alive_before) << told;
            if (!met || HasFailure()) break;
        }
        auto again = ending_of(operation, devices, options);
        ASSERT_EQ(again.outcome.status, Status::success) << operation.name << ": " << again.outcome.message;
        expect_equal(again.matrix, right.matrix, operation.name);
    }
}

std::string name_of_faults(const testing::TestParamInfo<FactorisationFaults::ParamType> &info)
{
    auto name = std::get<0>(info.param).name + "_" + support::name_of(std::get<1>(info.param));
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, FactorisationFaults,
                         testing::Combine(testing::ValuesIn(support::backend_cases()),
                                          testing::ValuesIn(support::all_faults)),
                         name_of_faults);

TEST_P(FactorisationFaults, at_every_call_leave_nothing_behind)
{
    const auto &[backend, fault] = GetParam();
    if (!backend.is_here) GTEST_SKIP() << "there is no such device";
    const auto device = std::make_shared<support::FaultyDevice>(backend.open());
    const auto session = support::known_device(device, 1 << 20);
    if (hpart::in_card_gemm_names(*session, Scalar::d).empty()) GTEST_SKIP() << "no products on this device";
    DeviceGroup devices{{session}};
    // Every call of the host; of devices whose calls take long, every few.
    const bool is_fast = session->info().backend == hpart::Backend::host;
    at_every_call(*device, devices, of_width(panel_width), fault, is_slow(fault) ? 23 : is_fast ? 1 : 11);
}

// Two devices of a list, one of which fails: the other, which may be the host, does not wait for it for ever. All products are
// shared, since the options ask for products of a kind.
TEST_P(FactorisationFaults, of_one_device_of_a_list_leave_nothing_behind)
{
    const auto &backend = std::get<0>(GetParam());
    const auto fault = std::get<1>(GetParam());
    if (!backend.is_here) GTEST_SKIP() << "there is no such device";
    if (!support::is_long_run() && fault != support::Fault::throws && fault != support::Fault::failed_event)
        GTEST_SKIP() << "in long runs";
    auto options = of_width(panel_width);
    options.set_text("plan", "model");
    auto random = support::seeded(42 + static_cast<std::uint64_t>(fault));
    for (const bool with_host : {true, false}) {
        const auto device = std::make_shared<support::FaultyDevice>(backend.open());
        const auto session = support::known_device(device, 1 << 20);
        if (hpart::in_card_gemm_names(*session, Scalar::d).empty()) GTEST_SKIP() << "no products on this device";
        const auto other = with_host ? support::known_device(hpart::make_host_device(), std::nullopt)
                                     : support::known_device(backend.open(), 1 << 20);
        DeviceGroup devices{{session, other}};
        if (between(random, 0, 1) == 0) std::swap(devices.sessions[0], devices.sessions[1]);
        const auto has_a_part = [&] {
            ending_of(operations().front(), devices, options);
            device->set_fault(0, fault);
            ending_of(operations().front(), devices, options);
            return device->calls() > 0;
        };
        const auto correction =
            hpart::correction_of(*other, hpart::text("gemm ", static_cast<int>(Scalar::d), " of 2"));
        for (int tries = 0; tries < 8 && !has_a_part(); ++tries) correction->learn(0.01, 0.04); // it is thought slower
        ASSERT_TRUE(has_a_part());
        const auto step = std::max<std::int64_t>(1, 120000 / support::how_many(1));
        at_every_call(*device, devices, options, fault, step, between(random, 1, step));
    }
}

using Cancelling = OnBackends;
INSTANTIATE_TEST_SUITE_P(All, Cancelling, testing::ValuesIn(all_backends()), name_of_backend);

TEST_P(Cancelling, stops_the_operation)
{
    for (const auto &operation : simple_operations()) ending_of(operation, devices_, of_width(panel_width));
    const auto kept = devices_.sessions.front()->used(); // by the kernels' libraries
    for (const auto &operation : simple_operations()) {
        int calls = 0;
        double last = 0;
        auto options = of_width(panel_width);
        options.set_progress(std::make_shared<hpart::ProgressCallback>([&](double fraction, const char *) {
            EXPECT_GE(fraction, 0);
            EXPECT_LE(fraction, 1);
            EXPECT_GE(fraction, last);
            last = fraction;
            return ++calls;
        }));
        const auto ending = ending_of(operation, devices_, options);
        EXPECT_EQ(ending.outcome.status, Status::cancelled) << operation.name;
        EXPECT_EQ(calls, 1) << operation.name;
        EXPECT_EQ(devices_.sessions.front()->used(), kept);
    }
}

} // namespace
