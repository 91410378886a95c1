// Products by a kernel of the caller's file.
#include "product.hpp"
#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/errors.hpp"
#include "support/known_device.hpp"
#include "support/opencl_shim/opencl_shim.hpp"
#include "support/options.hpp"
#include "support/scratch.hpp"

#include "core/file.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/factorisations/factorisations.hpp"
#include "out_of_card/in_card/opencl_kernel.hpp"

#include <gtest/gtest.h>

using namespace hpart;
using namespace in_card_test;

namespace
{

class GemmOfFile : public support::OnBackend
{
  protected:
    void SetUp() override
    {
        OnBackend::SetUp();
        if (!device_) return;
        if (device_->info().backend != Backend::opencl) GTEST_SKIP() << "its kernels are not OpenCL's";
        session_ = support::known_device(device_, std::nullopt);
    }
    // The example with one text in place of another.
    std::string changed(const std::string &text, const std::string &into)
    {
        auto source = example();
        const auto at = source.find(text);
        EXPECT_NE(at, std::string::npos) << text;
        return write(source.replace(at, text.size(), into));
    }
    static std::string example() { return read_file(support::repository("examples/own_gemm.cl")); }
    std::string write(const std::string &content)
    {
        const auto path = (folder_.path() / text("kernel", ++files_, ".cl")).string();
        write_file(path, content);
        return path;
    }
    void expect_right(const std::string &name, Scalar type)
    {
        const auto kernel = in_card_gemm(*session_, type, name);
        EXPECT_EQ(kernel->name(), name);
        EXPECT_EQ(in_card_gemm(*session_, type, name), kernel);
        auto random = support::seeded(static_cast<std::uint64_t>(type) + 41);
        for (std::int64_t instance = 0, count = support::how_many(0.01); instance < count; ++instance) {
            const auto form = any_form(random, *kernel, 90);
            Product product(form, random);
            product.run(*session_, *kernel);
            ASSERT_EQ(product.check(), "") << describe(form);
        }
        EXPECT_EQ(session_->used(), 0);
    }
    void expect_refused(Status status, std::initializer_list<std::string_view> words, const std::string &name,
                        Scalar type = Scalar::d)
    {
        support::expect_error(status, words, [&] { in_card_gemm(*session_, type, name); });
    }

    std::shared_ptr<DeviceSession> session_;
    const support::Folder folder_;
    int files_ = 0;
};

// Complex numbers, with OpenCL's vectors.
constexpr const char *complex_source = R"cl(// hpart gemm group=4x8 tile=4x8
typedef float2 number;
number product(number x, number y) { return (number)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }
number element(__global const number *x, long ld, int transpose, long i, long j)
{
    number value = transpose ? x[j * ld + i] : x[i * ld + j];
    return transpose == 2 ? (number)(value.x, -value.y) : value;
}
__kernel void cgemm(int ta, int tb, long m, long n, long k, number alpha, __global const number *a, long a0, long lda,
                    __global const number *b, long b0, long ldb, number beta, __global number *c, long c0, long ldc)
{
    long i = get_global_id(1) + get_global_size(1) * get_global_id(2), j = get_global_id(0);
    if (i >= m || j >= n) return;
    number sum = 0;
    for (long p = 0; p < k; ++p) sum += product(element(a + a0, lda, ta, i, p), element(b + b0, ldb, tb, p, j));
    __global number *to = c + c0 + i * ldc + j;
    sum = product(alpha, sum);
    *to = beta.x == 0 && beta.y == 0 ? sum : sum + product(beta, *to);
}
)cl";

TEST_P(GemmOfFile, TheExampleIsRightForEveryForm)
{
    const auto name = "source:" + support::repository("examples/own_gemm.cl");
    for (const auto type : {Scalar::s, Scalar::d}) expect_right(name, type);
    expect_refused(Status::unsupported, {"which has no kernel 'zgemm'"}, name, Scalar::z);
}

TEST_P(GemmOfFile, ComplexTypesHaveVectors) { expect_right("source:" + write(complex_source), Scalar::c); }

TEST_P(GemmOfFile, ABinaryNeedsNoSource)
{
    const auto native = opencl_native(*device_);
    const auto source = example();
    auto *const program = opencl_program(native, source.c_str(), OpenClDefinitions());
    std::size_t size = 0;
    ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), CL_SUCCESS);
    std::string binary(size, '\0');
    auto *place = binary.data();
    ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr), CL_SUCCESS);
    const std::string header = "hpart gemm group=8x8 tile=32x32\n";
    expect_right("binary:" + write(header + binary), Scalar::d);
    expect_refused(Status::device, {"binary", "refuses with CL_INVALID_BINARY", "it must be one for this device"},
                   "binary:" + write(header + "no binary"));
}

TEST_P(GemmOfFile, AKernelOfAnotherProductIsRefused)
{
    const std::initializer_list<std::string_view> words = {"which is no product: of 35 x 37 x 37"};
    for (const auto &[text, into] : std::vector<std::pair<std::string, std::string>>{
             {"(beta == 0 ? 0 : beta * *to)", "beta * *to"}, // NaN where beta is 0
             {"transpose_b ? 1 : ldb", "ldb"},
             {"b[b_offset +", "b["},
             {"alpha * sums", "sums"},
             {"column + j >= n", "column + j >= ldc"}}) // beside C
        expect_refused(Status::invalid_argument, words, "source:" + changed(text, into));
}

TEST_P(GemmOfFile, FilesThatAreNoKernelsSaySo)
{
    expect_refused(Status::io, {"no_such_file.cl"}, "source:no_such_file.cl");
    expect_refused(Status::format, {":1: the line is 'int x;'"}, "source:" + write("int x;\n"));
    expect_refused(Status::format, {"group=ROWSxCOLUMNS"}, "source:" + write("// hpart gemm group=8 tile=32x32\n"));
    expect_refused(Status::format, {"group=ROWSxCOLUMNS"}, "source:" + write(""));
    const auto no_c = write("// hpart gemm group=8x8 tile=8x8\nno C\n");
    expect_refused(Status::device, {"the device's compiler refuses 'source:"}, "source:" + no_c);
    EXPECT_EQ(support::message_of([&] { in_card_gemm(*session_, Scalar::d, "source:" + no_c); }).find('\n'),
              std::string::npos);
    const auto signature = "it must be __kernel void dgemm(int transpose_a, int transpose_b, long m, long n, long k, "
                           "double alpha, __global const double *a, long a_offset, long lda, __global const double *b, "
                           "long b_offset, long ldb, double beta, __global double *c, long c_offset, long ldc)";
    for (const auto &[text, into, reason] : std::vector<std::array<std::string, 3>>{
             {"long c_offset, long ldc)", "long c_offset, int ldc)", ": dgemm has another argument 16 than long ldc"},
             {"long c_offset, long ldc)", "long ldc)", ": dgemm has 15 arguments, not 16"}}) {
        auto source = example();
        for (auto at = source.find(text); at != std::string::npos; at = source.find(text, at + into.size()))
            source.replace(at, text.size(), into);
        if (into == "long ldc)") source.insert(source.find('\n') + 1, "#define c_offset 0\n");
        const auto file = write(source);
        expect_refused(Status::invalid_argument, {file + reason, signature}, "source:" + file);
    }
    const auto huge = changed("group=8x8", "group=8192x8192");
    expect_refused(Status::invalid_argument, {huge + ":1: group=8192x8192, but groups of this kernel have at most"},
                   "source:" + huge);
    const auto other = changed("__kernel void", "__kernel __attribute__((reqd_work_group_size(4, 16, 1))) void");
    expect_refused(Status::invalid_argument, {other + ":1: group=8x8, but", "says group=16x4"}, "source:" + other);
}

// Neither a source without the type's kernel, nor one that the compiler refuses.
TEST_P(GemmOfFile, ASourceIsCompiledOnce)
{
    const auto of_other_type = "source:" + write(complex_source),
               no_c = "source:" + write("// hpart gemm group=8x8 tile=8x8\nno C\n\n");
    const auto before = opencl_shim::seen().builds;
    for (int time = 0; time < 3; ++time) {
        expect_refused(Status::unsupported, {"which has no kernel 'dgemm'"}, of_other_type);
        expect_refused(Status::device, {"the device's compiler refuses 'source:"}, no_c);
    }
    EXPECT_LE(opencl_shim::seen().builds - before, 2);
}

TEST_P(GemmOfFile, AnUnknownNameIsToldOfYourOwn)
{
    expect_refused(Status::invalid_argument, {"or your own: user, source:FILE or binary:FILE"}, "none");
}

// It is compared with the host within the limit, however low.
TEST_P(GemmOfFile, TheLeastMemorySuffices)
{
    constexpr std::int64_t n = 260;
    std::vector<double> a(n * n, 1), b(n * n, 1), c(n * n);
    for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * (n + 1))] = 2 * n;
    std::vector<std::int64_t> pivots(n);
    const HostMatrix of_a{Scalar::d, true, n, n, a.data(), n}, of_c{Scalar::d, true, n, n, c.data(), n};
    GemmCall product;
    product.m = product.n = product.k = product.lda = product.ldb = product.ldc = n;
    product.a = a.data(), product.b = b.data(), product.c = c.data();
    SyrkCall square;
    square.k = square.lda = n, square.a = b.data(), square.c = of_c;
    TrsmCall solve;
    solve.lda = n, solve.a = a.data(), solve.b = of_c;
    using Run = std::function<void(DeviceGroup &, const Options &, Report &)>;
    const Run operations[] = {
        [&](auto &on, const auto &with, auto &report) { gemm(on, product, with, report); },
        [&](auto &on, const auto &with, auto &report) { syrk(on, square, with, report); },
        [&](auto &on, const auto &with, auto &report) { trsm(on, solve, with, report); },
        [&](auto &on, const auto &with, auto &report) { getrf(on, of_a, pivots.data(), with, report); },
        [&](auto &on, const auto &with, auto &report) { potrf(on, Triangle::lower, of_a, with, report); }};
    auto options = support::options_of({{"kernel", "source:" + support::repository("examples/own_gemm.cl")}});
    for (std::size_t k = 0; k < std::size(operations); ++k) {
        const auto run = [&](std::int64_t limit, int dry) {
            DeviceGroup devices{{support::known_device(device_, limit)}};
            options.set_int("dry_run", dry);
            Report report;
            operations[k](devices, options, report);
            return report;
        };
        const auto limited = run(1 << 20, 1);
        const auto least = std::get<std::int64_t>(limited.get("least_memory"));
        EXPECT_NO_THROW(run(least, 0)) << k << ' ' << least;
        const auto refusal = support::error_of([&] { run(1, 1); });
        for (const auto bytes : support::bytes_that_would_do(refusal.what()))
            EXPECT_NO_THROW(run(bytes, 0)) << k << ' ' << bytes;
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, GemmOfFile, testing::ValuesIn(support::backend_cases()), support::backend_name);

TEST(GemmOfFileElsewhere, IsUnsupported)
{
    DeviceSession session(make_host_device(), std::nullopt);
    support::expect_error(Status::unsupported, {"which OpenCL devices take for products; on host it must be auto"},
                          [&] { in_card_gemm(session, Scalar::d, "source:kernel.cl"); });
}

} // namespace
