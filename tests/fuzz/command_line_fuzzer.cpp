// Any text as an argument of the command: each reader gives values within what it promises, or refuses it with the status of a wrong call.
#include "arguments.hpp"
#include "library.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

namespace
{

template <typename Action> void refused_or_done(Action &&action)
{
    try {
        action();
    } catch (const hpart_command::Failure &failure) {
        if (failure.exit_status() != hpart_command::exit_wrong_call || *failure.what() == '\0') std::abort();
    }
}

void expect(bool holds)
{
    if (!holds) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using namespace hpart_command;
    const std::string content(reinterpret_cast<const char *>(data), size);
    const auto is_not_negative = [](std::int64_t value) { return value >= 0; };
    refused_or_done([&] { expect(parse_size("--m", content) >= 0); });
    refused_or_done([&] { expect(parse_positive("--m", content) > 0); });
    refused_or_done([&] {
        const auto list = parse_list("--previous", content);
        expect(!list.empty() && std::all_of(list.begin(), list.end(), is_not_negative));
    });
    refused_or_done([&] {
        const auto sizes = parse_sizes("--sizes", content);
        expect(!sizes.empty() && sizes.size() <= static_cast<std::size_t>(most_sizes));
        expect(std::set(sizes.begin(), sizes.end()).size() == sizes.size() &&
               *std::min_element(sizes.begin(), sizes.end()) > 0);
    });
    refused_or_done([&] {
        const auto sizes = parse_workloads({content, content});
        expect(sizes.size() >= 2 && std::all_of(sizes.begin(), sizes.end(), is_not_negative));
    });
    refused_or_done([&] {
        const auto watts = parse_watts("--base-power", content);
        expect(std::isfinite(watts) && watts >= 0);
    });
    refused_or_done([&] {
        const auto seconds = parse_seconds("--budget", content);
        expect(std::isfinite(seconds) && seconds > 0);
    });
    Common common;
    common.options.push_back(content);
    refused_or_done([&] {
        common.settle();
        make_options(common);
    });
    return 0;
}
