// The built-in kernels on every kind of processor that is here, against sums by definition.
#include "core/error.hpp"
#include "host/thread_group.hpp"
#include "kernels/kinds.hpp"
#include "kernels/registry.hpp"
#include "out_of_card/devices/opencl_list.hpp"
#include "support/errors.hpp"
#include "support/fake_clock.hpp"
#include "support/known_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

namespace hpart
{
namespace
{

using Complex = std::complex<double>;

class Builtin : public testing::TestWithParam<std::string>
{
  protected:
    // Null, with the test marked as skipped, where this machine or build has no such processor.
    std::unique_ptr<BuiltinKernel> make(const std::string &kernel, const std::string &dims, const Options &options = {})
    {
        try {
            return make_builtin(kernel, GetParam(), dims, options).kernel;
        } catch (const Error &error) {
            const bool absent = error.status() == Status::unsupported ||
                                (error.status() == Status::device && list_opencl_devices().empty()) ||
                                std::string(error.what()).find("is not here") != std::string::npos ||
                                std::string(error.what()).find("cannot be divided") != std::string::npos;
            if (!absent) throw;
            skip_reason_ = error.what();
            return nullptr;
        }
    }
    std::string skip_reason_;
};

double a_value(std::int64_t row, std::int64_t column, std::int64_t k)
{
    return pseudo_random(RandomArray::gemm_a, static_cast<std::uint64_t>(row * k + column));
}

double b_value(std::int64_t row, std::int64_t column, std::int64_t n)
{
    return pseudo_random(RandomArray::gemm_b, static_cast<std::uint64_t>(row * n + column));
}

// The part of the product in these rows.
double product_at(std::int64_t first, std::int64_t row, std::int64_t column, std::int64_t n, std::int64_t k)
{
    double sum = 0;
    for (std::int64_t l = 0; l < k; ++l) sum += a_value(first + row, l, k) * b_value(l, column, n);
    return sum;
}

double vector_product_at(std::int64_t row, std::int64_t n)
{
    double sum = 0;
    for (std::int64_t j = 0; j < n; ++j)
        sum += pseudo_random(RandomArray::gemv_a, static_cast<std::uint64_t>(row * n + j)) *
               pseudo_random(RandomArray::gemv_x, static_cast<std::uint64_t>(j));
    return sum;
}

Complex transformed(std::int64_t first, std::int64_t rows, std::int64_t n, std::int64_t u, std::int64_t v)
{
    Complex sum = 0;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < n; ++c) {
            const auto at = static_cast<std::uint64_t>(2 * ((first + r) * n + c));
            const Complex value(pseudo_random(RandomArray::fft_signal, at),
                                pseudo_random(RandomArray::fft_signal, at + 1));
            const double turns = static_cast<double>(u * r % rows) / static_cast<double>(rows) +
                                 static_cast<double>(v * c % n) / static_cast<double>(n);
            sum += value * std::polar(1.0, -2 * std::numbers::pi * turns);
        }
    return sum;
}

// A kernel's results of slices, which need not begin at row 0: element `at` of so many a row, by its definition.
struct Definition {
    std::string kernel;
    std::int64_t n, k; // k: 0 if it has none
    std::vector<std::int64_t> rows;
    bool is_complex;
    std::int64_t elements_of_row;
    std::function<Complex(std::int64_t first, std::int64_t rows, std::int64_t at)> element;
};

std::vector<Definition> definitions()
{
    const std::vector<std::int64_t> usual{1, 2, 7, 64, 61};
    std::vector<Definition> all;
    for (const auto &[n, k] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {7, 5}, {64, 64}, {61, 3}})
        all.push_back({"dgemm", n, k, usual, false, n, [columns = n, depth = k](auto first, auto, auto at) {
                           return product_at(first, at / columns, at % columns, columns, depth);
                       }});
    for (const std::int64_t n : {1, 7, 64, 61})
        all.push_back({"dgemv", n, 0, usual, false, 1,
                       [n](auto first, auto, auto at) { return vector_product_at(first + at, n); }});
    for (const auto &[rows, n] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 8}, {2, 7}, {7, 13}, {64, 64}, {61, 2}}) {
        all.push_back({"zfft", n, 0, {rows}, true, n, [length = n](auto first, auto height, auto at) {
                           return transformed(first, height, length, at / length, at % length);
                       }});
        all.push_back({"fft2d", n, 0, {rows}, true, n, [length = n](auto first, auto height, auto at) { // transposed
                           return transformed(first, height, length, at % height, at / height);
                       }});
    }
    return all;
}

TEST_P(Builtin, ResultsAreThoseOfTheDefinitions)
{
    for (const auto &[name, n, k, heights, is_complex, elements_of_row, element] : definitions()) {
        const auto kernel = make(name, k > 0 ? text("n=", n, ",k=", k) : text("n=", n));
        if (!kernel) GTEST_SKIP() << skip_reason_;
        EXPECT_EQ(kernel->description(), k > 0 ? text(name, " n=", n, " k=", k) : text(name, " n=", n));
        for (const auto rows : heights) {
            const std::int64_t first = rows % 3, elements = rows * elements_of_row;
            kernel->prepare({first, rows});
            for (int repetition = 0; repetition < 2; ++repetition) kernel->run();
            const auto found = kernel->result();
            ASSERT_EQ(found.size(), static_cast<std::size_t>(is_complex ? 2 * elements : elements));
            const auto step = is_complex && elements > 1000 ? 97 : 1; // each point is a sum over all
            for (std::int64_t at = 0; at < elements; at += step) {
                const auto place = static_cast<std::size_t>(at);
                const auto got = is_complex ? Complex(found[2 * place], found[2 * place + 1]) : Complex(found[place]);
                ASSERT_LT(std::abs(got - element(first, rows, at)), is_complex ? 1e-11 : 1e-13)
                    << kernel->description() << ", " << rows << " rows: " << at;
            }
        }
        kernel->release();
        EXPECT_TRUE(kernel->result().empty());
    }
}

// Sums of the rounded values, in double precision.
TEST_P(Builtin, SinglePrecisionIsThatOfRoundedValues)
{
    const auto rounded = [](double value) { return static_cast<double>(static_cast<float>(value)); };
    constexpr std::int64_t rows = 17, n = 23, k = 9;
    const auto gemm = make("sgemm", text("n=", n, ",k=", k)), gemv = make("sgemv", text("n=", n)),
               fft = make("cfft", text("n=", n));
    if (!gemm || !gemv || !fft) GTEST_SKIP() << skip_reason_;
    EXPECT_EQ(gemm->description() + ", " + gemv->description() + ", " + fft->description(),
              "sgemm n=23 k=9, sgemv n=23, cfft n=23");
    for (const auto *kernel : {&gemm, &gemv, &fft}) {
        (*kernel)->prepare({0, rows});
        (*kernel)->run();
        const auto values = (*kernel)->result();
        EXPECT_TRUE(std::all_of(values.begin(), values.end(), [&](double value) { return value == rounded(value); }));
        const SliceResult whole{{0, rows}, values};
        const auto check = (*kernel)->check({&whole, 1});
        EXPECT_LE(check.max_relative_error, check.tolerance);
        EXPECT_GT(check.max_relative_error, 1e-10) << "in single precision nothing is that exact";
        EXPECT_LT(check.tolerance, 1e-4);
    }
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::int64_t l = 0; l < k; ++l) sum += rounded(a_value(i, l, k)) * rounded(b_value(l, j, n));
            ASSERT_NEAR(gemm->result()[static_cast<std::size_t>(i * n + j)], sum, 1e-5);
        }
    for (std::int64_t i = 0; i < rows; ++i) {
        double sum = 0;
        for (std::int64_t j = 0; j < n; ++j)
            sum += rounded(pseudo_random(RandomArray::gemv_a, static_cast<std::uint64_t>(i * n + j))) *
                   rounded(pseudo_random(RandomArray::gemv_x, static_cast<std::uint64_t>(j)));
        ASSERT_NEAR(gemv->result()[static_cast<std::size_t>(i)], sum, 1e-5);
    }
    for (std::int64_t at = 0; at < rows * n; ++at) {
        const auto k2 = static_cast<std::size_t>(2 * at);
        const auto values = fft->result();
        ASSERT_LT(std::abs(Complex(values[k2], values[k2 + 1]) - transformed(0, rows, n, at / n, at % n)), 1e-4);
    }
}

// A dimension equal to the size is that number for each processor.
TEST_P(Builtin, SquareProblemsAreThoseOfTheirSize)
{
    struct Case {
        const char *kernel, *dims, *description, *fixed;
    };
    for (const auto &[name, dims, description, fixed] :
         {Case{"dgemm", "n=size,k=size", "dgemm n=size k=size", "n=19,k=19"},
          Case{"sgemm", "n=5,k=size", "sgemm n=5 k=size", "n=5,k=19"}, Case{"dgemv", "n=size", "dgemv n=size", "n=19"},
          Case{"zfft", "n=size", "zfft n=size", "n=19"}}) {
        const auto square = make(name, dims), other = make(name, fixed);
        if (!square || !other) GTEST_SKIP() << skip_reason_;
        EXPECT_EQ(square->description(), description);
        for (const std::int64_t rows : {3, 19}) { // the last one is compared
            square->prepare({4, rows});
            square->run();
        }
        other->prepare({4, 19});
        other->run();
        const auto a = square->result(), b = other->result();
        EXPECT_TRUE(a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin())) << name;
        // Each slice is a problem of its own.
        const std::vector<double> first(a.begin(), a.end());
        square->prepare({23, 6});
        square->run();
        const std::vector<SliceResult> slices = {{{4, 19}, first}, {{23, 6}, square->result()}};
        const auto check = square->check(slices);
        EXPECT_LE(check.max_relative_error, check.tolerance) << name;
        auto wrong = first;
        wrong[7] += 1;
        const std::vector<SliceResult> changed = {{{4, 19}, wrong}, {{23, 6}, square->result()}};
        const auto found = square->check(changed);
        EXPECT_GT(found.max_relative_error, found.tolerance) << name;
    }
}

// A function measured of a device is never another's.
TEST_P(Builtin, WhatDoesNotFitOnADeviceIsRefused)
{
    if (GetParam().starts_with("cpu")) return;
    Options options;
    options.set_int("memory_limit", 100);
    for (const auto &[name, dims] :
         {std::pair{"dgemm", "n=64,k=64"}, {"dgemv", "n=4000"}, {"zfft", "n=64"}, {"fft2d", "n=64"}}) {
        const auto kernel = make(name, dims, options);
        if (!kernel) GTEST_SKIP() << skip_reason_;
        kernel->prepare({0, 60});
        support::expect_error(Status::out_of_memory, {"bytes would do"}, [&] { kernel->run(); });
        kernel->release();
    }
}

// Sizes from a file may be anything: none wraps into one that memory is found for.
TEST_P(Builtin, SizesNear2To63AreRefused)
{
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    for (const auto dim : {most, most - 1, most / 2 + 1, most / 2, most / 8 + 1, most / 16 + 1, std::int64_t{1} << 50})
        for (const auto &[name, dims] : {std::pair{"dgemm", text("n=1,k=", dim)},
                                         {"dgemm", text("n=", dim, ",k=1")},
                                         {"dgemm", text("n=", dim, ",k=", dim)},
                                         {"dgemv", text("n=", dim)},
                                         {"zfft", text("n=", dim)},
                                         {"fft2d", text("n=", dim)}}) {
            const auto kernel = make(name, dims);
            if (!kernel) GTEST_SKIP() << skip_reason_;
            for (const auto rows : {std::int64_t{1}, std::int64_t{2}, dim, most})
                support::expect_error(Status::out_of_memory, {}, [&] { kernel->prepare({0, rows}); });
        }
}

struct SlowToSetUp {
    inline static support::FakeClock *clock = nullptr;
    struct Data {
        HostBuffer nothing;
        Data() = default;
        Data(const SlowToSetUp &, std::int64_t) {}
        void fill(const SlowToSetUp &, const Slice &, std::size_t, std::size_t) {}
        const HostBuffer &result() const { return nothing; }
    };
    std::string description() const { return ""; }
    SlowToSetUp at(std::int64_t) const { return *this; }
    void on_devices(const DeviceGroup &devices, Data &, std::int64_t, const Options &) const
    {
        devices.sessions.front()->set_up([] { clock->advance(5); });
        clock->advance(1);
    }
    static std::string math_mode(const DeviceGroup &) { return ""; }
    Check check(std::span<const SliceResult>) const { return {0, 0}; }
};

// A device that measures a rate again in a repetition does not lengthen it.
TEST(KernelOnDevices, SecondsAreWithoutTheSetUp)
{
    support::FakeClock clock;
    SlowToSetUp::clock = &clock;
    KernelOnDevices<SlowToSetUp> kernel({}, support::known_devices("host", {}));
    kernel.prepare({0, 2});
    kernel.run();
    EXPECT_DOUBLE_EQ(kernel.own_seconds().value(), 1);
}

INSTANTIATE_TEST_SUITE_P(Processors, Builtin,
                         testing::Values("cpu:0", "cpu:0-1", "opencl:0:0", "opencl:0:0:0", "opencl:0:0:1"),
                         [](const auto &tested) {
                             auto name = tested.param;
                             for (auto &c : name) c = c == ':' || c == '-' ? '_' : c;
                             return name;
                         });

// Results that are wrong in one number.
TEST(Check, FindsOneWrongNumber)
{
    for (const auto &[name, dims] :
         {std::pair{"dgemm", "n=30,k=20"}, {"dgemv", "n=30"}, {"zfft", "n=30"}, {"fft2d", "n=30"}}) {
        std::unique_ptr<BuiltinKernel> kernel;
        try {
            kernel = make_builtin(name, "cpu:0", dims).kernel;
        } catch (const Error &error) {
            GTEST_SKIP() << error.what();
        }
        kernel->prepare({0, 11});
        kernel->run();
        const std::vector<double> right(kernel->result().begin(), kernel->result().end());
        for (const double wrong_by :
             {1e-6, 1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            auto values = right;
            values[values.size() / 2] += wrong_by;
            const SliceResult whole{{0, 11}, values};
            const auto check = kernel->check({&whole, 1});
            EXPECT_FALSE(check.max_relative_error <= check.tolerance) << name << " wrong by " << wrong_by;
        }
        // Slices in the wrong order are a wrong result too.
        const std::span all(right);
        const auto half = right.size() / 11 * 5;
        const std::vector<SliceResult> swapped = {{{0, 6}, all.subspan(half)}, {{6, 5}, all.first(half)}};
        const auto check = kernel->check(swapped);
        EXPECT_GT(check.max_relative_error, check.tolerance) << name;
    }
}

TEST(Registry, RefusesWhatIsNotThere)
{
    struct Case {
        const char *kernel, *processor, *dims;
    };
    for (const auto &one : {Case{"lu", "cpu:0", "n=1"}, Case{"zfft", "gpu:0", "n=1"}, Case{"zfft", "", "n=1"},
                            Case{"zfft", "cpu:", "n=1"}, Case{"zfft", "cpu:99999", "n=1"}, Case{"zfft", "cpu:0", "k=1"},
                            Case{"dgemm", "cpu:0", "n=size,k=sizes"}, Case{"fft2d", "cpu:0", "n=size"}}) {
        const auto error = support::error_of([&] { make_builtin(one.kernel, one.processor, one.dims); });
        if (error.status() == Status::unsupported) continue; // a build without that library
        EXPECT_EQ(error.status(), Status::invalid_argument)
            << one.kernel << " on " << one.processor << ": " << error.what();
    }
}

// A file of its times is checked after another driver is installed.
TEST(Registry, NamesTheDriversOfDevices)
{
    if (list_opencl_devices().empty()) GTEST_SKIP() << "no OpenCL device";
    const auto info = list_opencl_devices().front();
    const auto origins = make_builtin("dgemm", "opencl:0:0,host", "n=8,k=8").kernel->origins();
    ASSERT_EQ(origins.size(), 1U);
    EXPECT_TRUE(origins.front().starts_with(info.name + ", ")) << origins.front();
    EXPECT_GT(origins.front().size(), info.name.size() + 2);
    EXPECT_TRUE(make_builtin("dgemm", "cpu:0", "n=8,k=8").kernel->origins().empty());
}

TEST(Registry, HostPartOfADeviceStaysOnItsCore)
{
    if (list_opencl_devices().empty()) GTEST_SKIP() << "no OpenCL device";
    const int core = usable_cores().back();
    const auto before = cores_of_thread(this_thread_id());
    const auto made = make_builtin("dgemm", text("opencl:0:0@", core), "n=8,k=8");
    EXPECT_EQ(made.cores, CoreList{core});
    EXPECT_EQ(std::count(made.occupied.begin(), made.occupied.end(), core), 1);
    EXPECT_EQ(cores_of_thread(this_thread_id()), before);
    for (const auto *processor : {"opencl:0:0@99999", "opencl:0:0@", "opencl:0:0@0@0", "@0"})
        EXPECT_THROW(make_builtin("dgemm", processor, "n=8,k=8"), Error) << processor;
    EXPECT_EQ(cores_of_thread(this_thread_id()), before);
}

// Small problems, and those larger than the device: under a memory limit that is a small part of the problem.
TEST_P(Builtin, ChecksFindTheirOwnResultsRight)
{
    struct Case {
        const char *kernel, *dims;
        std::int64_t rows;
        bool is_larger = false;
    };
    for (const auto &[name, dims, rows, is_larger] :
         {Case{"dgemm", "n=30,k=20", 11}, Case{"dgemv", "n=30", 11}, Case{"zfft", "n=30", 11},
          Case{"fft2d", "n=30", 11}, Case{"dgemm", "n=300,k=200", 400, true}, Case{"dgemv", "n=500", 700, true},
          Case{"zfft", "n=192", 256, true}, Case{"fft2d", "n=192", 256, true}}) {
        Options options;
        if (is_larger) options.set_int("memory_limit", 200000);
        const auto kernel = make(name, dims, options);
        if (!kernel) GTEST_SKIP() << skip_reason_;
        kernel->prepare({0, rows});
        kernel->run();
        const SliceResult whole{{0, rows}, kernel->result()};
        const auto check = kernel->check({&whole, 1});
        EXPECT_LE(check.max_relative_error, check.tolerance) << name;
        EXPECT_TRUE(is_larger || check.tolerance < 1e-12) << name;
    }
}

} // namespace
} // namespace hpart
