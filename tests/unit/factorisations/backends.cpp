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
         [](DeviceGroup &cards, const Options &options, Store &a, Store &, Report &report) {
             std::vector<std::int64_t> pivots(static_cast<std::size_t>(a.rows()));
             getrf(cards, a.matrix(), pivots.data(), options, report);
         }},
        {"potrf", [](DeviceGroup &cards, const Options &options, Store &a, Store &,
                     Report &report) { potrf(cards, Triangle::upper, a.matrix(), options, report); }},
        {"geqrf",
         [](DeviceGroup &cards, const Options &options, Store &a, Store &, Report &report) {
             std::vector<double> tau(static_cast<std::size_t>(a.rows()));
             geqrf(cards, a.matrix(), tau.data(), options, report);
         }},
        {"syrk",
         [](DeviceGroup &cards, const Options &options, Store &a, Store &c, Report &report) {
             SyrkCall call;
             call.k = a.rows();
             call.a = a.matrix().data;
             call.lda = a.matrix().ld;
             call.beta = 1;
             call.c = c.matrix();
             syrk(cards, call, options, report);
         }},
        {"trsm",
         [](DeviceGroup &cards, const Options &options, Store &a, Store &b, Report &report) {
             TrsmCall call;
             call.alpha = 2;
             call.a = a.matrix().data;
             call.lda = a.matrix().ld;
             call.b = b.matrix();
             trsm(cards, call, options, report);
         }},
        {"gesv",
         [](DeviceGroup &cards, const Options &options, Store &a, Store &b, Report &report) {
             std::vector<std::int64_t> pivots(static_cast<std::size_t>(a.rows()));
             gesv(cards, a.matrix(), pivots.data(), b.matrix(), options, report);
         }},
        {"posv", [](DeviceGroup &cards, const Options &options, Store &a, Store &b,
                    Report &report) { posv(cards, Triangle::lower, a.matrix(), b.matrix(), options, report); }},
        {"gels", [](DeviceGroup &cards, const Options &options, Store &a, Store &b,
                    Report &report) { gels(cards, Transpose::none, a.matrix(), b.matrix(), options, report); }},
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

// Kept for all tests: kernels are measured when a card is first used.
std::shared_ptr<hpart::DeviceSession> card_of(const Backend &backend)
{
    static std::map<std::string, std::shared_ptr<hpart::DeviceSession>> cards;
    const auto make = [&] {
        return std::make_shared<hpart::DeviceSession>(backend.device->open(), backend.memory_limit);
    };
    if (backend.device->name.starts_with("cuda")) return make(); // the driver for tests goes before what is static here
    auto &card = cards[backend.device->name + std::to_string(backend.memory_limit.value_or(0))];
    if (!card) card = make();
    return card;
}

} // namespace

void OnBackends::SetUp()
{
    if (!GetParam().device->is_here) GTEST_SKIP() << "there is no such device";
    const auto card = card_of(GetParam());
    if (hpart::in_card_gemm_names(*card, hpart::Scalar::d).empty()) GTEST_SKIP() << "no products on this device";
    // Three operands, at the least.
    if (card->is_limited() && card->memory_limit() < 4 * card->info().granule_bytes)
        GTEST_SKIP() << "this device gives memory in larger pieces";
    cards_.cards.push_back(card);
}

std::int64_t OnBackends::how_many(double share) const
{
    constexpr std::int64_t usual = 2000;
    constexpr double of_opencl = 0.1; // a command costs more there
    const bool is_host = cards_.cards.front()->info().backend == hpart::Backend::host;
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
