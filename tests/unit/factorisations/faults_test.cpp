// Every call of a device fails once: the status is right, nothing of the device is left, and the next operation is right.
#include "backends.hpp"

#include "out_of_card/in_card/gemm.hpp"
#include "support/faulty_device.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <thread>

using namespace factor_test;
using hpart::Cards;
using hpart::Options;
using hpart::Report;
using hpart::Scalar;
using hpart::Status;
using hpart::Triangle;

namespace
{

// An operation on matrices of its own; gives what it made.
struct Operation {
    std::string name;
    std::function<std::vector<char>(Cards &, const Options &)> run;
};

constexpr std::int64_t order = 26, width = 8;

Store a_matrix()
{
    auto random = support::seeded(41);
    auto values = any_dense(Scalar::d, order, order, random);
    for (std::int64_t j = 0; j < order; ++j) {
        values.at(j, j) += static_cast<double>(order);
        for (std::int64_t i = 0; i < j; ++i) values.at(i, j) = values.at(j, i);
    }
    return {Scalar::d, true, values, 0};
}

const std::vector<Operation> &operations()
{
    static const std::vector<Operation> all = {
        {"getrf",
         [](Cards &cards, const Options &options) {
             auto a = a_matrix();
             std::vector<std::int64_t> pivots(order);
             Report report;
             hpart::getrf(cards, a.matrix(), pivots.data(), options, report);
             return a.bytes();
         }},
        {"potrf",
         [](Cards &cards, const Options &options) {
             auto a = a_matrix();
             Report report;
             hpart::potrf(cards, Triangle::upper, a.matrix(), options, report);
             return a.bytes();
         }},
        {"geqrf",
         [](Cards &cards, const Options &options) {
             auto a = a_matrix();
             std::vector<double> tau(order);
             Report report;
             hpart::geqrf(cards, a.matrix(), tau.data(), options, report);
             return a.bytes();
         }},
        {"syrk",
         [](Cards &cards, const Options &options) {
             auto a = a_matrix(), c = a_matrix();
             hpart::SyrkCall call;
             call.k = order;
             call.a = a.matrix().data;
             call.lda = order;
             call.beta = 1;
             call.c = c.matrix();
             Report report;
             hpart::syrk(cards, call, options, report);
             return c.bytes();
         }},
        {"trsm",
         [](Cards &cards, const Options &options) {
             auto a = a_matrix(), b = a_matrix();
             hpart::TrsmCall call;
             call.a = a.matrix().data;
             call.lda = order;
             call.b = b.matrix();
             Report report;
             hpart::trsm(cards, call, options, report);
             return b.bytes();
         }},
    };
    return all;
}

class Faults : public testing::TestWithParam<std::tuple<support::BackendCase, support::Fault>>
{
};

std::string name_of_faults(const testing::TestParamInfo<Faults::ParamType> &info)
{
    auto name = std::get<0>(info.param).name + "_" + support::name_of(std::get<1>(info.param));
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(All, Faults,
                         testing::Combine(testing::ValuesIn(support::backend_cases()),
                                          testing::ValuesIn(support::all_faults)),
                         name_of_faults);

TEST_P(Faults, at_every_call_leave_nothing_behind)
{
    const auto &[backend, fault] = GetParam();
    if (!backend.is_here) GTEST_SKIP() << "there is no such device";
    const auto device = std::make_shared<support::FaultyDevice>(backend.open());
    const auto card = std::make_shared<hpart::Card>(device, 1 << 20);
    if (hpart::in_card_gemm_names(*card, Scalar::d).empty()) GTEST_SKIP() << "no products on this device";
    Cards cards{{card}};
    const auto options = of_width(width);
    // Every call; of those that take long, every few.
    const bool is_late = fault == support::Fault::late || fault == support::Fault::fails_later;
    for (const auto &operation : operations()) {
        device->set_fault(0, fault);
        const auto right = operation.run(cards, options);
        card->release_idle();
        const auto buffers = device->census().buffers.load(), queues = device->census().queues.load(),
                   events = device->census().events.load();
        for (std::int64_t k = 1;; k += is_late ? 11 : 1) {
            device->set_fault(k, fault);
            auto status = Status::success;
            std::vector<char> result;
            try {
                result = operation.run(cards, options);
            } catch (const hpart::Error &error) {
                status = error.status();
            }
            const auto call = operation.name + " at call " + std::to_string(k);
            const bool met = device->has_met_fault();
            if (!met || (status == Status::success && support::FaultyDevice::may_succeed(fault))) {
                ASSERT_EQ(status, Status::success) << call;
                ASSERT_EQ(result, right) << call;
            } else {
                ASSERT_TRUE(status == Status::device || status == Status::out_of_memory) << call;
            }
            ASSERT_EQ(card->used(), 0) << call;
            card->release_idle(); // and all is allocated anew
            ASSERT_EQ(device->census().buffers, buffers) << call;
            ASSERT_EQ(device->census().queues, queues) << call;
            ASSERT_EQ(device->census().events, events) << call;
            if (!met) break;
        }
        device->set_fault(0, fault);
        ASSERT_EQ(operation.run(cards, options), right) << operation.name;
    }
}

class Cancelling : public OnBackends
{
};
INSTANTIATE_TEST_SUITE_P(All, Cancelling, testing::ValuesIn(all_backends()), name_of_backend);

TEST_P(Cancelling, stops_the_operation)
{
    const auto kernel = hpart::in_card_gemm(*cards_.cards.front(), Scalar::d);
    const auto kept = cards_.cards.front()->used(); // by the kernel's library
    for (const auto &operation : operations()) {
        int calls = 0;
        double last = 0;
        auto options = of_width(width);
        options.set_progress(std::make_shared<hpart::ProgressCallback>([&](double fraction, const char *) {
            EXPECT_GE(fraction, 0);
            EXPECT_LE(fraction, 1);
            EXPECT_GE(fraction, last);
            last = fraction;
            return ++calls;
        }));
        auto status = Status::success;
        try {
            operation.run(cards_, options);
        } catch (const hpart::Error &error) {
            status = error.status();
        }
        EXPECT_EQ(status, Status::cancelled) << operation.name;
        EXPECT_EQ(calls, 1) << operation.name;
        EXPECT_EQ(cards_.cards.front()->used(), kept);
    }
}

TEST_P(Cancelling, progress_of_several_parts_goes_up_to_the_end)
{
    auto a = a_matrix(), b = a_matrix();
    std::vector<std::int64_t> pivots(order);
    double last = 0;
    int calls = 0;
    auto options = of_width(width);
    options.set_progress(std::make_shared<hpart::ProgressCallback>([&](double fraction, const char *) {
        EXPECT_GE(fraction, last);
        EXPECT_LE(fraction, 1);
        last = fraction;
        ++calls;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return 0;
    }));
    Report report;
    hpart::gesv(cards_, a.matrix(), pivots.data(), b.matrix(), options, report);
    EXPECT_GT(calls, 0);
}
