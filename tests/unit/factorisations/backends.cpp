#include "backends.hpp"

#include "out_of_card/devices/host_device.hpp"

#include <algorithm>
#include <ostream>

namespace factor_test
{

void PrintTo(const Backend &backend, std::ostream *out)
{
    *out << backend.spec;
    if (backend.memory_limit) *out << " with " << *backend.memory_limit << " bytes";
}

hpart::Cards open(const Backend &backend)
{
    hpart::Cards cards;
    cards.cards.push_back(std::make_shared<hpart::Card>(hpart::make_host_device(), backend.memory_limit));
    return cards;
}

bool is_here(const Backend &backend) { return backend.spec == "host"; }

std::int64_t Outcome::info() const
{
    const auto *value = report.find("info");
    return value == nullptr ? -1 : std::get<std::int64_t>(*value);
}

hpart::Options of_width(std::int64_t width)
{
    hpart::Options options;
    options.set_int("width", width);
    return options;
}

void OnBackends::SetUp()
{
    if (!is_here(GetParam())) GTEST_SKIP() << "there is no device " << GetParam().spec;
    cards_ = open(GetParam());
}

std::vector<Backend> all_backends()
{
    std::vector<Backend> backends;
    for (const auto *spec : {"host", "opencl:0:0", "opencl:0:0:0"})
        for (const std::int64_t limit : {1 << 16, 1 << 20, 1 << 30}) backends.push_back({spec, limit});
    backends.push_back({"host", std::nullopt});
    return backends;
}

std::string name_of_backend(const testing::TestParamInfo<Backend> &backend)
{
    auto name = backend.param.spec;
    std::ranges::replace(name, ':', '_');
    return name + (backend.param.memory_limit ? "_" + std::to_string(*backend.param.memory_limit / 1024) + "_KB" : "");
}

} // namespace factor_test
