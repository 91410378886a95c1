#include "problem.hpp"

#include "core/error.hpp"

#include <gtest/gtest.h>

using namespace gemm_test;
using hpart::Error;
using hpart::GemmCall;
using hpart::GemvCall;
using hpart::Status;

namespace
{

Status status_of(const GemmCall &call)
{
    hpart::DeviceGroup none;
    hpart::Report report;
    try {
        hpart::gemm(none, call, hpart::Options(), report);
    } catch (const Error &error) {
        return error.status();
    }
    return Status::success;
}

GemmCall small_call(std::vector<double> &memory)
{
    GemmCall call;
    call.m = call.n = call.k = 2;
    call.lda = call.ldb = call.ldc = 2;
    call.a = call.b = memory.data();
    call.c = memory.data() + 4;
    return call;
}

} // namespace

TEST(Arguments, that_are_wrong_are_named)
{
    std::vector<double> memory(8);
    const auto good = small_call(memory);
    EXPECT_EQ(status_of(good), Status::success);
    const auto wrong = [&](auto change) {
        auto call = good;
        change(call);
        return status_of(call) == Status::invalid_argument;
    };
    EXPECT_TRUE(wrong([](GemmCall &call) { call.m = -1; }));
    EXPECT_TRUE(wrong([](GemmCall &call) { call.n = -1; }));
    EXPECT_TRUE(wrong([](GemmCall &call) { call.k = -1; }));
    EXPECT_TRUE(wrong([](GemmCall &call) { call.lda = 1; }));
    EXPECT_TRUE(wrong([](GemmCall &call) { call.ldb = 1; }));
    EXPECT_TRUE(wrong([](GemmCall &call) { call.ldc = 1; }));
    EXPECT_TRUE(wrong([](GemmCall &call) { call.a = nullptr; }));
    EXPECT_TRUE(wrong([](GemmCall &call) { call.b = nullptr; }));
    EXPECT_TRUE(wrong([](GemmCall &call) { call.c = nullptr; }));
    EXPECT_TRUE(wrong([](GemmCall &call) { call.ldc = std::int64_t{1} << 60; }));
}

TEST(Arguments, leading_dimensions_go_by_layout_and_transpose)
{
    std::vector<double> memory(64);
    GemmCall call = small_call(memory);
    call.m = 5;
    call.k = 3;
    call.lda = 3; // a row of A
    EXPECT_EQ(status_of(call), Status::success);
    call.row_major = false;
    call.ldc = 5;
    call.ldb = 3;
    call.c = memory.data() + 30;
    EXPECT_EQ(status_of(call), Status::invalid_argument); // a column of A has five
    call.transpose_a = hpart::Transpose::transpose;
    EXPECT_EQ(status_of(call), Status::success);
}

TEST(Host, random_products)
{
    auto random = support::seeded(1);
    hpart::DeviceGroup none;
    for (std::int64_t i = 0, count = support::how_many(2000, 0.5); i < count; ++i) {
        const auto form = any_form(random, i % 100 == 0 ? 300 : 40);
        Problem problem(form, random);
        hpart::Report report;
        hpart::gemm(none, problem.call(), hpart::Options(), report);
        ASSERT_EQ(problem.check(), "") << describe(form);
    }
}
