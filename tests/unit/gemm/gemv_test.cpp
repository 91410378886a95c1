// Matrix-vector products on the host and on a card against plain loops.
#include "core/text.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "support/random.hpp"

#include <cmath>
#include <complex>
#include <limits>

#include <gtest/gtest.h>

using namespace hpart;
using support::between;
using support::Random;

namespace
{

template <typename Value> Value any_value(Random &random)
{
    std::uniform_real_distribution<> uniform(-1, 1);
    if constexpr (std::is_floating_point_v<Value>)
        return static_cast<Value>(uniform(random));
    else
        return Value(static_cast<typename Value::value_type>(uniform(random)),
                     static_cast<typename Value::value_type>(uniform(random)));
}

template <typename Value> Value applied(Value value, Transpose transpose)
{
    if constexpr (!std::is_floating_point_v<Value>)
        if (transpose == Transpose::conjugate) return std::conj(value);
    return value;
}

template <typename Value> Value value_of(Coefficient value)
{
    if constexpr (std::is_floating_point_v<Value>)
        return static_cast<Value>(value.real());
    else
        return Value(value);
}

template <typename Value> double epsilon() { return std::numeric_limits<decltype(std::abs(Value()))>::epsilon(); }

template <typename Value> void check_one(Random &random, Cards &cards, const char *place)
{
    GemvCall call;
    call.type = ScalarOf<Value>::type;
    call.row_major = between(random, 0, 1) == 0;
    call.transpose_a = static_cast<Transpose>(between(random, 0, 2));
    call.m = between(random, 0, 150);
    call.n = between(random, 0, 150);
    const auto length = call.row_major ? call.n : call.m, stored = call.row_major ? call.m : call.n;
    call.lda = std::max<std::int64_t>(1, length) + between(random, 0, 3);
    call.incx = between(random, 1, 3) * (between(random, 0, 1) == 0 ? 1 : -1);
    call.incy = between(random, 1, 3) * (between(random, 0, 1) == 0 ? 1 : -1);
    constexpr double coefficients[] = {0, 1, -0.5};
    call.alpha = coefficients[between(random, 0, 2)];
    call.beta = coefficients[between(random, 0, 2)];
    const bool transposed = call.transpose_a != Transpose::none;
    const auto outer = transposed ? call.n : call.m, inner = transposed ? call.m : call.n;

    std::vector<Value> a(static_cast<std::size_t>(stored * call.lda)),
        x(static_cast<std::size_t>(inner * std::abs(call.incx))),
        y(static_cast<std::size_t>(outer * std::abs(call.incy)));
    for (auto *const values : {&a, &x, &y})
        for (auto &value : *values) value = any_value<Value>(random);
    const auto place_of = [](std::int64_t i, std::int64_t count, std::int64_t increment) {
        return static_cast<std::size_t>(increment > 0 ? i * increment : (i - count + 1) * increment);
    };
    auto expected = y;
    for (std::int64_t i = 0; i < outer; ++i) {
        Value sum = 0;
        for (std::int64_t j = 0; j < inner; ++j) {
            const auto row = transposed ? j : i, column = transposed ? i : j;
            const auto at = call.row_major ? row * call.lda + column : column * call.lda + row;
            sum += applied(a[static_cast<std::size_t>(at)], call.transpose_a) * x[place_of(j, inner, call.incx)];
        }
        auto &to = expected[place_of(i, outer, call.incy)];
        to = value_of<Value>(call.alpha) * sum + value_of<Value>(call.beta) * to;
    }
    if (call.beta == Coefficient(0)) // what is there must not be read
        for (std::int64_t i = 0; i < outer; ++i)
            y[place_of(i, outer, call.incy)] = std::numeric_limits<double>::quiet_NaN();
    call.a = a.data();
    call.x = x.data();
    call.y = y.data();

    Options options;
    options.set_text("place", place);
    Report report;
    gemv(cards, call, options, report);
    // |error| <= 4 (k + 2) eps (|A||x| + |y|), elements of modulus at most sqrt(2).
    const auto bound = 4 * static_cast<double>(inner + 2) * epsilon<Value>() * (2 * static_cast<double>(inner) + 2);
    for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_LE(std::abs(y[i] - expected[i]), bound)
            << "element " << i << " of type " << static_cast<int>(call.type) << " m " << call.m << " n " << call.n
            << " op " << static_cast<int>(call.transpose_a) << " incx " << call.incx << " incy " << call.incy;
}

} // namespace

TEST(Gemv, random_products)
{
    auto random = support::seeded(31);
    Cards cards;
    cards.cards.push_back(std::make_shared<Card>(make_host_device(), std::int64_t{1} << 16));
    for (const char *const place : {"auto", "host", "device"})
        for (std::int64_t i = 0, count = support::how_many(2000, 0.05); i < count; ++i) {
            ASSERT_NO_FATAL_FAILURE(check_one<float>(random, cards, place));
            ASSERT_NO_FATAL_FAILURE(check_one<double>(random, cards, place));
            ASSERT_NO_FATAL_FAILURE(check_one<std::complex<float>>(random, cards, place));
            ASSERT_NO_FATAL_FAILURE(check_one<std::complex<double>>(random, cards, place));
        }
    EXPECT_EQ(cards.cards.front()->used(), 0);
}
