#include "backends.hpp"

#include "out_of_card/in_card/gemm.hpp"
#include "support/known_device.hpp"

#include <algorithm>
#include <ostream>

namespace factor_test
{

void PrintTo(const Backend &backend, std::ostream *out)
{
    *out << backend.device.name;
    if (backend.memory_limit) *out << " with " << *backend.memory_limit << " bytes";
}

std::int64_t Outcome::info() const
{
    const auto *value = report.find("info");
    return value == nullptr ? -1 : std::get<std::int64_t>(*value);
}

Store a_matrix(std::int64_t n)
{
    auto random = support::seeded(61);
    auto values = any_dense(hpart::Scalar::d, n, n, random);
    for (std::int64_t j = 0; j < n; ++j) {
        values.at(j, j) += 2.0 * static_cast<double>(n);
        for (std::int64_t i = 0; i < j; ++i) values.at(i, j) = values.at(j, i);
    }
    return {hpart::Scalar::d, true, values, 0};
}

namespace
{

hpart::GemmtCall triangle_of_product(Store &a, Store &c)
{
    const auto of_a = a.matrix();
    hpart::GemmtCall call;
    call.k = of_a.rows;
    call.a = call.b = of_a.data, call.lda = call.ldb = of_a.ld, call.c = c.matrix();
    return call;
}

} // namespace

const std::vector<Operation> &operations()
{
    using namespace hpart;
    static const std::vector<Operation> all =
        {
            {"getrf",
             [](DeviceGroup &devices, const Options &options, Store &a, Store &, Report &report) {
                 std::vector<std::int64_t> pivots(static_cast<std::size_t>(a.rows()));
                 getrf(devices, a.matrix(), pivots.data(), options, report);
             }},
            {"potrf", [](DeviceGroup &devices, const Options &options, Store &a, Store &,
                         Report &report) { potrf(devices, Triangle::upper, a.matrix(), options, report); }},
            {"geqrf",
             [](DeviceGroup &devices, const Options &options, Store &a, Store &, Report &report) {
                 std::vector<double> tau(static_cast<std::size_t>(a.rows()));
                 geqrf(devices, a.matrix(), tau.data(), options, report);
             }},
            {"syrk", [](DeviceGroup &devices, const Options &options, Store &a, Store &c,
                        Report &report) { syrk(devices, update(a, a.rows(), c, 1), options, report); }},
            {"trsm",
             [](DeviceGroup &devices, const Options &options, Store &a, Store &b, Report &report) {
                 auto call = solution(a, b);
                 call.alpha = 2;
                 trsm(devices, call, options, report);
             }},
            {"gesv",
             [](DeviceGroup &devices, const Options &options, Store &a, Store &b, Report &report) {
                 std::vector<std::int64_t> pivots(static_cast<std::size_t>(a.rows()));
                 gesv(devices, a.matrix(), pivots.data(), b.matrix(), options, report);
             }},
            {"posv", [](DeviceGroup &devices, const Options &options, Store &a, Store &b,
                        Report &report) { posv(devices, Triangle::lower, a.matrix(), b.matrix(), options, report); }},
            {"getrs",
             [](DeviceGroup &devices, const Options &options, Store &a, Store &b, Report &report) {
                 const std::vector<std::int64_t> pivots(static_cast<std::size_t>(a.rows()), a.rows());
                 getrs(devices, Transpose::transpose, a.matrix(), pivots, b.matrix(), options, report);
             }},
            {"potrs", [](DeviceGroup &devices, const Options &options, Store &a, Store &b,
                         Report &report) { potrs(devices, Triangle::upper, a.matrix(), b.matrix(), options, report); }},
            {"gels", [](DeviceGroup &devices, const Options &options, Store &a, Store &b,
                        Report &report) { gels(devices, Transpose::none, a.matrix(), b.matrix(), options, report); }},
            {"getri",
             [](DeviceGroup &devices, const Options &options, Store &a, Store &, Report &report) {
                 const std::vector<std::int64_t> pivots(static_cast<std::size_t>(a.rows()), a.rows());
                 getri(devices, a.matrix(), pivots, options, report);
             }},
            {"potri", [](DeviceGroup &devices, const Options &options, Store &a, Store &,
                         Report &report) { potri(devices, Triangle::upper, a.matrix(), options, report); }},
            {"ormqr",
             [](DeviceGroup &devices, const Options &options, Store &a, Store &c, Report &report) {
                 const std::vector<double> tau(static_cast<std::size_t>(a.rows()), 1);
                 ormqr(devices, Side::right, Transpose::none, a.matrix(), tau.data(), c.matrix(), options, report);
             }},
            {"orgqr",
             [](DeviceGroup &devices, const Options &options, Store &a, Store &, Report &report) {
                 const std::vector<double> tau(static_cast<std::size_t>(a.rows()), 1);
                 orgqr(devices, a.columns(), a.matrix(), tau.data(), options, report);
             }},
            {"trmm",
             [](DeviceGroup &devices, const Options &options, Store &a, Store &b, Report &report) {
                 auto call = solution(a, b);
                 call.side = Side::right;
                 trmm(devices, call, options, report);
             }},
            {"symm",
             [](DeviceGroup &devices, const Options &options, Store &a, Store &c, Report &report) {
                 const auto of_a = a.matrix();
                 SymmCall call;
                 call.a = call.b = of_a.data, call.lda = call.ldb = of_a.ld, call.c = c.matrix();
                 symm(devices, call, options, report);
             }},
            {"gemmt", [](DeviceGroup &devices, const Options &options, Store &a, Store &c,
                         Report &report) { gemmt(devices, triangle_of_product(a, c), options, report); }},
            {"syr2k", [](DeviceGroup &devices, const Options &options, Store &a, Store &c,
                         Report &report) { syr2k(devices, triangle_of_product(a, c), false, options, report); }},
            {"gemm_strided_batched",
             [](DeviceGroup &devices, const Options &options, Store &a, Store &c, Report &report) {
                 const auto of_a = a.matrix(), of_c = c.matrix();
                 GemmBatch batch;
                 auto &call = batch.first;
                 call.row_major = of_a.row_major;
                 call.m = call.n = call.k = of_c.rows;
                 call.a = call.b = of_a.data, call.lda = call.ldb = of_a.ld, call.c = of_c.data, call.ldc = of_c.ld;
                 batch.count = 1;
                 gemm_strided_batched(devices, batch, options, report);
             }},
        };
    return all;
}

Lu factor_lu(hpart::DeviceGroup &devices, const hpart::Options &options, Store &a)
{
    Lu lu;
    lu.pivots.resize(static_cast<std::size_t>(std::min(a.rows(), a.columns())));
    lu.outcome = run(devices, options, [&](auto &on, auto &with, auto &report) {
        hpart::getrf(on, a.matrix(), lu.pivots.data(), with, report);
    });
    return lu;
}

hpart::Options of_width(std::int64_t width)
{
    hpart::Options options;
    options.set_int("panel_width", width);
    return options;
}

void OnBackends::SetUp()
{
    if (!GetParam().device.is_here) GTEST_SKIP() << "there is no such device";
    const auto session = support::known_device(GetParam().device.open(), GetParam().memory_limit);
    if (hpart::in_card_gemm_names(*session, hpart::Scalar::d).empty()) GTEST_SKIP() << "no products on this device";
    // Three operands, at the least.
    if (session->is_limited() && session->memory_limit() < 4 * session->info().granule_bytes)
        GTEST_SKIP() << "this device gives memory in larger pieces";
    devices_.sessions.push_back(session);
}

std::int64_t OnBackends::how_many(double share) const
{
    constexpr double of_opencl = 0.2; // a command costs more there
    const bool is_host = devices_.sessions.front()->info().backend == hpart::Backend::host;
    return support::how_many(is_host ? share : of_opencl * share);
}

std::vector<Backend> all_backends()
{
    std::vector<Backend> backends;
    for (const auto &device : support::all_backend_cases()) {
        const bool is_long = support::is_long_run(), is_unit = device.name == "opencl_unit";
        if (is_long || is_unit) backends.push_back({device, 1 << 16});
        if (is_long || !is_unit) backends.push_back({device, 1 << 20});
        if (is_long || device.name == "host") backends.push_back({device, std::nullopt});
    }
    for (const auto &device : support::cuda_without_cusolver()) backends.push_back({device, 1 << 20});
    return backends;
}

std::string name_of_backend(const testing::TestParamInfo<Backend> &backend)
{
    const auto &[device, limit] = backend.param;
    return device.name + (limit ? "_" + std::to_string(*limit / 1024) + "_KB" : "");
}

} // namespace factor_test
