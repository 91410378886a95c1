// Matrix-vector products on the host and on a device against products of dense matrices.
#include "core/error.hpp"
#include "core/text.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "support/backends.hpp"
#include "support/errors.hpp"
#include "support/faulty_device.hpp"
#include "support/known_device.hpp"
#include "support/options.hpp"
#include "support/random.hpp"
#include "unit/factorisations/store.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <sys/mman.h>

using namespace hpart;
using factor_test::Dense;
using factor_test::Store;
using support::between;
using support::Random;

namespace
{

// From the last one on where the increment is negative.
Dense elements_of(const Store &vector, std::int64_t increment)
{
    auto elements = vector.dense();
    if (increment < 0) std::reverse(elements.values.begin(), elements.values.end());
    return elements;
}

// A product and what its result must be.
struct GemvProblem {
    GemvCall form; // without arrays
    Store a, x, y;
    Dense expected;

    GemvCall call()
    {
        auto call = form;
        call.a = a.matrix().data;
        call.lda = a.matrix().ld;
        call.x = x.matrix().data;
        call.y = y.matrix().data;
        return call;
    }

    void check() const
    {
        // |error| <= 4 (k + 2) eps (|A||x| + |y|), elements of modulus at most sqrt(2).
        const auto terms = static_cast<double>(x.rows());
        const auto bound = 4 * (terms + 2) * factor_test::epsilon(form.type) * (2 * terms + 2);
        const auto found = elements_of(y, form.incy);
        for (std::size_t i = 0; i < expected.values.size(); ++i)
            ASSERT_LE(std::abs(found.values[i] - expected.values[i]), bound)
                << "element " << i << " of type " << static_cast<int>(form.type) << " m " << form.m << " n " << form.n
                << " op " << static_cast<int>(form.transpose_a) << " incx " << form.incx << " incy " << form.incy;
        ASSERT_TRUE(y.guards_are_whole());
    }
};

GemvProblem any_gemv(Scalar type, Random &random, std::int64_t largest)
{
    GemvCall form;
    form.type = type;
    form.row_major = between(random, 0, 1) == 0;
    form.transpose_a = static_cast<Transpose>(between(random, 0, 2));
    form.m = factor_test::any_size(random, largest, 16);
    form.n = factor_test::any_size(random, largest, 16);
    form.incx = between(random, 1, 3) * (between(random, 0, 1) == 0 ? 1 : -1);
    form.incy = between(random, 1, 3) * (between(random, 0, 1) == 0 ? 1 : -1);
    constexpr double coefficients[] = {0, 1, -0.5};
    form.alpha = coefficients[between(random, 0, 2)];
    form.beta = coefficients[between(random, 0, 2)];
    if (is_complex(type) && between(random, 0, 1) == 0) form.alpha *= Coefficient(0.6, 0.8);
    const bool is_plain = form.transpose_a == Transpose::none;
    const auto vector = [&](std::int64_t length, std::int64_t increment) {
        return Store(type, true, factor_test::any_dense(type, length, 1, random), std::abs(increment) - 1);
    };
    const Store a(type, form.row_major, factor_test::any_dense(type, form.m, form.n, random),
                  factor_test::any_gap(random));
    const auto x = vector(is_plain ? form.n : form.m, form.incx);
    auto y = vector(is_plain ? form.m : form.n, form.incy);
    auto expected = factor_test::product(a.dense(), form.transpose_a, elements_of(x, form.incx), Transpose::none);
    const auto before = elements_of(y, form.incy);
    for (std::size_t i = 0; i < expected.values.size(); ++i)
        expected.values[i] = form.alpha * expected.values[i] + form.beta * before.values[i];
    if (form.beta == Coefficient(0)) { // what is there must not be read
        auto nothing = before;
        for (auto &value : nothing.values) value = std::numeric_limits<double>::quiet_NaN();
        y.assign(nothing);
    }
    return {form, a, x, y, expected};
}

void check_one(Scalar type, Random &random, DeviceGroup &devices, const char *place, std::int64_t largest)
{
    auto problem = any_gemv(type, random, largest);
    Report report;
    gemv(devices, problem.call(), support::options_of({{"run_on", place}}), report);
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
        return {{support::known_device(device_, limit)}};
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

TEST(GemvOnHost, reads_nothing_beside_x)
{
    if (!hpart::has_host_blas()) GTEST_SKIP() << "this build has no BLAS";
    auto random = support::seeded(53);
    for (int k = 0; k < 400; ++k) {
        auto problem = any_gemv(factor_test::any_type(random), random, 40);
        auto call = problem.call();
        const auto elements = problem.x.rows() == 0 ? 0 : (problem.x.rows() - 1) * std::abs(call.incx) + 1;
        const auto bytes = static_cast<std::size_t>(elements * bytes_of(call.type));
        const FencedPages pages;
        auto *const x = between(random, 0, 1) == 0 ? pages.begin() : pages.end() - bytes;
        if (bytes > 0) std::memcpy(x, call.x, bytes);
        call.x = x;
        DeviceGroup none;
        Report report;
        gemv(none, call, Options(), report);
        ASSERT_NO_FATAL_FAILURE(problem.check());
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
            for (const auto type : {Scalar::s, Scalar::d, Scalar::c, Scalar::z})
                ASSERT_NO_FATAL_FAILURE(check_one(type, random, devices, place, largest));
        }
    }
}

TEST(Gemv, beta_that_is_not_a_number_makes_the_result_so)
{
    for (const auto type : {Scalar::s, Scalar::d, Scalar::c, Scalar::z})
        for (const bool row_major : {false, true})
            for (const auto transpose : {Transpose::none, Transpose::transpose, Transpose::conjugate})
                for (const std::int64_t incy : {1, 2, -1}) {
                    const std::vector<std::complex<double>> a(36, 1), x(6, 1);
                    std::vector<std::complex<double>> y(12, 1);
                    GemvCall call;
                    call.type = type;
                    call.row_major = row_major;
                    call.transpose_a = transpose;
                    call.m = 5;
                    call.n = 4;
                    call.beta = std::nan("");
                    call.a = a.data();
                    call.lda = 5;
                    call.x = x.data();
                    call.y = y.data();
                    call.incy = incy;
                    DeviceGroup none;
                    gemv(none, call, Options());
                    const auto count = transpose == Transpose::none ? 5 : 4;
                    for (std::int64_t i = 0; i < count; ++i) {
                        const auto k = static_cast<std::size_t>(i * std::abs(incy) * (is_complex(type) ? 2 : 1));
                        const void *const at = y.data();
                        const auto value = is_double(type) ? static_cast<const double *>(at)[k]
                                                           : double{static_cast<const float *>(at)[k]};
                        EXPECT_TRUE(std::isnan(value)) << "type " << static_cast<int>(type) << ", element " << i;
                    }
                }
}

// The arrays are not looked at: the sizes come first.
TEST(Gemm, sizes_above_those_of_the_blas_leave_c_as_it_is)
{
    DeviceGroup host{{support::known_device(make_host_device(), {})}};
    float c = 7;
    GemmCall call;
    call.type = Scalar::s;
    call.m = call.n = call.ldb = call.ldc = 1;
    call.k = call.lda = (std::int64_t{1} << 31) + 8;
    call.a = call.b = call.c = &c;
    Report report;
    support::expect_error(Status::unsupported, {"; C is as it was"}, [&] { gemm(host, call, Options(), report); });
    EXPECT_EQ(c, 7);
}

TEST(Gemv, sizes_above_those_of_the_blas_leave_y_as_it_is)
{
    float y = 7;
    GemvCall call;
    call.type = Scalar::s;
    call.m = 1;
    call.n = call.lda = (std::int64_t{1} << 31) + 8;
    call.beta = std::nan("");
    call.a = call.x = call.y = &y;
    DeviceGroup none;
    support::expect_error(Status::unsupported, {"2147483656"}, [&] { gemv(none, call, Options()); });
    EXPECT_EQ(y, 7);
}

// Some BLAS take 0 + NaN i for 0.
TEST_P(GemvOnDevice, a_complex_beta_that_is_not_a_number_fills_c)
{
    for (const auto type : {Scalar::c, Scalar::z}) {
        std::vector<std::complex<double>> a(16, 1), c(16, 1);
        GemmCall call;
        call.type = type;
        call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 4;
        call.beta = {0, std::nan("")};
        call.a = call.b = a.data();
        call.c = c.data();
        Report report;
        gemm(devices_, call, Options(), report);
        const void *const at = c.data();
        for (std::size_t k = 0; k < 16; ++k) {
            const bool is_known = type == Scalar::z ? !std::isnan(static_cast<const double *>(at)[2 * k])
                                                    : !std::isnan(static_cast<const float *>(at)[2 * k]);
            EXPECT_FALSE(is_known) << k;
        }
    }
}

TEST_P(GemvOnDevice, every_call_may_fail)
{
    auto random = support::seeded(32);
    auto problem = any_gemv(Scalar::z, random, 120);
    while (problem.form.m < 90 || problem.form.n < 90 || problem.form.alpha == Coefficient(0) ||
           problem.form.beta == Coefficient(0))
        problem = any_gemv(Scalar::z, random, 120);
    const auto before = problem.y;
    const auto options = support::options_of({{"run_on", "device"}});
    Report report;
    gemv(devices_, problem.call(), options, report); // what is kept with the device
    devices_.sessions.front()->release_idle();
    const auto alive = support::alive_on(*device_);
    for (const auto fault : support::all_faults) {
        bool met = true;
        for (std::int64_t k = 1; met; k += fault == support::Fault::late ? 7 : 1) {
            problem.y = before;
            const auto where = text(support::name_of(fault), " at call ", k);
            met = device_->meets(k, fault, [&] {
                try {
                    gemv(devices_, problem.call(), options, report);
                    ASSERT_NO_FATAL_FAILURE(problem.check()) << where;
                    EXPECT_TRUE(!device_->has_met_fault() || support::FaultyDevice::may_succeed(fault)) << where;
                } catch (const Error &error) {
                    EXPECT_EQ(error.status(),
                              fault == support::Fault::no_memory ? Status::out_of_memory : Status::device)
                        << where;
                    EXPECT_EQ(problem.y.bytes(), before.bytes()) << where;
                }
            });
            EXPECT_EQ(devices_.sessions.front()->used(), 0) << where;
            devices_.sessions.front()->release_idle(); // and all is allocated anew
            EXPECT_EQ(support::alive_on(*device_), alive) << where;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, GemvOnDevice, testing::ValuesIn(support::backend_cases()), support::backend_name);

} // namespace
