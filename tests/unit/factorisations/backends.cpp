#include "backends.hpp"

#include "out_of_card/in_card/gemm.hpp"

#include <map>
#include <ostream>

namespace factor_test
{

void PrintTo(const Backend &backend, std::ostream *out)
{
    *out << backend.device->name;
    if (backend.memory_limit) *out << " with " << *backend.memory_limit << " bytes";
}

std::int64_t Outcome::info() const
{
    const auto *value = report.find("info");
    return value == nullptr ? -1 : std::get<std::int64_t>(*value);
}

const std::vector<Operation> &operations()
{
    using namespace hpart;
    static const std::vector<Operation> all = {
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
        {"syrk",
         [](DeviceGroup &devices, const Options &options, Store &a, Store &c, Report &report) {
             SyrkCall call;
             call.k = a.rows();
             call.a = a.matrix().data;
             call.lda = a.matrix().ld;
             call.beta = 1;
             call.c = c.matrix();
             syrk(devices, call, options, report);
         }},
        {"trsm",
         [](DeviceGroup &devices, const Options &options, Store &a, Store &b, Report &report) {
             TrsmCall call;
             call.alpha = 2;
             call.a = a.matrix().data;
             call.lda = a.matrix().ld;
             call.b = b.matrix();
             trsm(devices, call, options, report);
         }},
        {"gesv",
         [](DeviceGroup &devices, const Options &options, Store &a, Store &b, Report &report) {
             std::vector<std::int64_t> pivots(static_cast<std::size_t>(a.rows()));
             gesv(devices, a.matrix(), pivots.data(), b.matrix(), options, report);
         }},
        {"posv", [](DeviceGroup &devices, const Options &options, Store &a, Store &b,
                    Report &report) { posv(devices, Triangle::lower, a.matrix(), b.matrix(), options, report); }},
        {"gels", [](DeviceGroup &devices, const Options &options, Store &a, Store &b,
                    Report &report) { gels(devices, Transpose::none, a.matrix(), b.matrix(), options, report); }},
    };
    return all;
}

hpart::Options of_width(std::int64_t width)
{
    hpart::Options options;
    options.set_int("panel_width", width);
    return options;
}

namespace
{

// Kept for all tests: kernels are measured when a device is first used.
std::shared_ptr<hpart::DeviceSession> device_of(const Backend &backend)
{
    static std::map<std::string, std::shared_ptr<hpart::DeviceSession>> devices;
    const auto make = [&] {
        return std::make_shared<hpart::DeviceSession>(backend.device->open(), backend.memory_limit);
    };
    if (backend.device->name.starts_with("cuda")) return make(); // the driver for tests goes before what is static here
    auto &session = devices[backend.device->name + std::to_string(backend.memory_limit.value_or(0))];
    if (!session) session = make();
    return session;
}

} // namespace

void OnBackends::SetUp()
{
    if (!GetParam().device->is_here) GTEST_SKIP() << "there is no such device";
    const auto session = device_of(GetParam());
    if (hpart::in_card_gemm_names(*session, hpart::Scalar::d).empty()) GTEST_SKIP() << "no products on this device";
    // Three operands, at the least.
    if (session->is_limited() && session->memory_limit() < 4 * session->info().granule_bytes)
        GTEST_SKIP() << "this device gives memory in larger pieces";
    devices_.sessions.push_back(session);
}

std::int64_t OnBackends::how_many(double share) const
{
    constexpr std::int64_t usual = 2000;
    constexpr double of_opencl = 0.1; // a command costs more there
    const bool is_host = devices_.sessions.front()->info().backend == hpart::Backend::host;
    return support::how_many(usual, is_host ? share : of_opencl * share);
}

std::vector<Backend> all_backends()
{
    std::vector<Backend> backends;
    for (const auto &device : support::backend_cases()) {
        for (const std::int64_t limit : {1 << 16, 1 << 20}) backends.push_back({&device, limit});
        if (device.name == "host") backends.push_back({&device, 1 << 30});
        backends.push_back({&device, std::nullopt});
    }
    for (const auto &device : support::backend_cases_without_gates())
        for (const std::int64_t limit : {1 << 16, 1 << 20}) backends.push_back({&device, limit});
    return backends;
}

std::string name_of_backend(const testing::TestParamInfo<Backend> &backend)
{
    const auto &[device, limit] = backend.param;
    return device->name + (limit ? "_" + std::to_string(*limit / 1024) + "_KB" : "");
}

} // namespace factor_test
