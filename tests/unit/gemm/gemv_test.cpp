// Matrix-vector products on the host and on a device against plain loops.
#include "core/error.hpp"
#include "core/text.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/gemm/host_gemm.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "support/backends.hpp"
#include "support/faulty_device.hpp"
#include "support/known_device.hpp"
#include "support/random.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <sys/mman.h>

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

// A product and what its result must be.
template <typename Value> struct GemvProblem {
    GemvCall call;
    std::int64_t inner = 0;
    std::vector<Value> a, x, y, expected;

    GemvProblem(Random &random, std::int64_t largest)
    {
        call.type = ScalarOf<Value>::type;
        call.row_major = between(random, 0, 1) == 0;
        call.transpose_a = static_cast<Transpose>(between(random, 0, 2));
        call.m = any_size(random, largest);
        call.n = any_size(random, largest);
        const auto length = call.row_major ? call.n : call.m, stored = call.row_major ? call.m : call.n;
        const auto gap = between(random, 0, 9) == 0 ? 1000 : between(random, 0, 3);
        call.lda = std::max<std::int64_t>(1, length) + gap;
        call.incx = between(random, 1, 3) * (between(random, 0, 1) == 0 ? 1 : -1);
        call.incy = between(random, 1, 3) * (between(random, 0, 1) == 0 ? 1 : -1);
        constexpr double coefficients[] = {0, 1, -0.5};
        call.alpha = coefficients[between(random, 0, 2)];
        call.beta = coefficients[between(random, 0, 2)];
        if (is_complex(call.type) && between(random, 0, 1) == 0) call.alpha *= Coefficient(0.6, 0.8);
        const bool transposed = call.transpose_a != Transpose::none;
        const auto outer = transposed ? call.n : call.m;
        inner = transposed ? call.m : call.n;
        a.resize(static_cast<std::size_t>(stored * call.lda));
        x.resize(static_cast<std::size_t>(inner * std::abs(call.incx)));
        y.resize(static_cast<std::size_t>(outer * std::abs(call.incy)));
        for (auto *const values : {&a, &x, &y})
            for (auto &value : *values) value = any_value<Value>(random);
        expected = y;
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
    }

    static std::int64_t any_size(Random &random, std::int64_t largest)
    {
        return between(random, 0, 9) == 0 ? between(random, 0, 1) : between(random, 0, largest);
    }
    static std::size_t place_of(std::int64_t i, std::int64_t count, std::int64_t increment)
    {
        return static_cast<std::size_t>(increment > 0 ? i * increment : (i - count + 1) * increment);
    }

    void check() const
    {
        // |error| <= 4 (k + 2) eps (|A||x| + |y|), elements of modulus at most sqrt(2).
        const auto terms = static_cast<double>(inner);
        const auto bound = 4 * (terms + 2) * epsilon<Value>() * (2 * terms + 2);
        for (std::size_t i = 0; i < y.size(); ++i)
            ASSERT_LE(std::abs(y[i] - expected[i]), bound)
                << "element " << i << " of type " << static_cast<int>(call.type) << " m " << call.m << " n " << call.n
                << " op " << static_cast<int>(call.transpose_a) << " incx " << call.incx << " incy " << call.incy;
    }
};

Options at(const char *place)
{
    Options options;
    options.set_text("run_on", place);
    return options;
}

template <typename Value> void check_one(Random &random, DeviceGroup &devices, const char *place, std::int64_t largest)
{
    GemvProblem<Value> problem(random, largest);
    Report report;
    gemv(devices, problem.call, at(place), report);
    problem.check();
    EXPECT_EQ(devices.sessions.front()->used(), 0);
    const auto integer = [&](const char *key) { return std::get<std::int64_t>(report.get(key)); };
    if (report.find("bytes_planned") != nullptr) {
        ASSERT_EQ(integer("bytes_to_device") + integer("bytes_from_device"), integer("bytes_planned"));
    }
}

class GemvOnDevice : public testing::TestWithParam<support::BackendCase>
{
  protected:
    void SetUp() override
    {
        if (!GetParam().is_here) GTEST_SKIP() << "there is no such device here";
        device_ = std::make_shared<support::FaultyDevice>(GetParam().open());
        devices_ = device_of(1 << 16);
        if (in_card_gemm_names(*devices_.sessions.front(), Scalar::d).empty())
            GTEST_SKIP() << "there is no kernel for it here";
    }
    // None: all that the device has, in place where it can.
    DeviceGroup device_of(std::optional<std::int64_t> limit) const
    {
        constexpr std::int64_t fewest_buffers = 8;
        if (limit) *limit = std::max(*limit, fewest_buffers * device_->info().granule_bytes);
        DeviceGroup devices;
        devices.sessions.push_back(support::known_device(device_, limit));
        return devices;
    }

    std::shared_ptr<support::FaultyDevice> device_;
    DeviceGroup devices_;
};

// Some pages between two that nobody may touch.
class FencedPages
{
  public:
    FencedPages()
    {
        if (all_ == MAP_FAILED || mprotect(begin(), pages * page, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    }
    FencedPages(const FencedPages &) = delete;
    FencedPages &operator=(const FencedPages &) = delete;
    ~FencedPages() { munmap(all_, (pages + 2) * page); }
    char *begin() const { return static_cast<char *>(all_) + page; }
    char *end() const { return begin() + pages * page; }

  private:
    static constexpr std::size_t page = 4096, pages = 4;
    void *all_ = mmap(nullptr, (pages + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
};

template <typename Value> void check_between_fences(Random &random)
{
    GemvProblem<Value> problem(random, 40);
    const auto elements = problem.inner == 0 ? 0 : (problem.inner - 1) * std::abs(problem.call.incx) + 1;
    const auto bytes = static_cast<std::size_t>(elements) * sizeof(Value);
    const FencedPages pages;
    auto *const x = between(random, 0, 1) == 0 ? pages.begin() : pages.end() - bytes;
    if (bytes > 0) std::memcpy(x, problem.x.data(), bytes);
    problem.call.x = x;
    DeviceGroup none;
    Report report;
    gemv(none, problem.call, Options(), report);
    problem.check();
}

TEST(GemvOnHost, reads_nothing_beside_x)
{
    if (!hpart::has_host_blas()) GTEST_SKIP() << "this build has no BLAS";
    auto random = support::seeded(53);
    for (int k = 0; k < 100; ++k) {
        check_between_fences<float>(random);
        check_between_fences<double>(random);
        check_between_fences<std::complex<float>>(random);
        check_between_fences<std::complex<double>>(random);
    }
}

TEST_P(GemvOnDevice, random_products)
{
    auto random = support::seeded(31);
    for (const auto limit :
         {std::optional<std::int64_t>(1 << 16), std::optional<std::int64_t>(1 << 18), std::optional<std::int64_t>()}) {
        auto devices = device_of(limit);
        for (std::int64_t i = 0, count = support::how_many(0.006); i < count; ++i) {
            const auto *const place = i % 10 == 0 ? "auto" : i % 10 == 1 ? "host" : "device";
            const std::int64_t largest = i % 10 == 2 ? 400 : 150;
            ASSERT_NO_FATAL_FAILURE(check_one<float>(random, devices, place, largest));
            ASSERT_NO_FATAL_FAILURE(check_one<double>(random, devices, place, largest));
            ASSERT_NO_FATAL_FAILURE(check_one<std::complex<float>>(random, devices, place, largest));
            ASSERT_NO_FATAL_FAILURE(check_one<std::complex<double>>(random, devices, place, largest));
        }
    }
}

TEST_P(GemvOnDevice, every_call_may_fail)
{
    auto random = support::seeded(32);
    GemvProblem<std::complex<double>> problem(random, 1);
    while (problem.call.m < 90 || problem.call.n < 90 || problem.call.alpha == Coefficient(0) ||
           problem.call.beta == Coefficient(0))
        problem = {random, 120};
    problem.call.a = problem.a.data();
    problem.call.x = problem.x.data();
    problem.call.y = problem.y.data();
    const auto before = problem.y;
    const auto options = at("device");
    Report report;
    gemv(devices_, problem.call, options, report); // what is kept with the device
    devices_.sessions.front()->release_idle();
    const auto &census = device_->census();
    const auto buffers = census.buffers.load(), queues = census.queues.load(), events = census.events.load();
    for (const auto fault : support::all_faults) {
        bool met = true;
        for (std::int64_t k = 1; met; k += fault == support::Fault::late ? 7 : 1) {
            problem.y = before;
            problem.call.y = problem.y.data();
            device_->set_fault(k, fault);
            const auto where = text(support::name_of(fault), " at call ", k);
            try {
                gemv(devices_, problem.call, options, report);
                ASSERT_NO_FATAL_FAILURE(problem.check()) << where;
                EXPECT_TRUE(!device_->has_met_fault() || support::FaultyDevice::may_succeed(fault)) << where;
            } catch (const Error &error) {
                EXPECT_EQ(error.status(), fault == support::Fault::no_memory ? Status::out_of_memory : Status::device)
                    << where;
                EXPECT_EQ(problem.y, before) << where;
            }
            met = device_->has_met_fault();
            device_->set_fault(0, fault);
            EXPECT_EQ(devices_.sessions.front()->used(), 0) << where;
            devices_.sessions.front()->release_idle(); // and all is allocated anew
            const auto &now = device_->census();
            EXPECT_EQ(now.buffers, buffers) << where;
            EXPECT_EQ(now.queues, queues) << where;
            EXPECT_EQ(now.events, events) << where;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, GemvOnDevice, testing::ValuesIn(support::backend_cases()), support::backend_name);

} // namespace
