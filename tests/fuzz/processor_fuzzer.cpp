// The texts that hpart_team_add, hpart_team_add_builtin and hpart_team_add_program parse: lists of cores and fixed dimensions, split at the first
// blank, and commands: taken, or refused with Status::invalid_argument; cores and commands taken read back the same.
#include "core/command_words.hpp"
#include "core/error.hpp"
#include "host/cores.hpp"
#include "kernels/dimensions.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace
{

template <typename Action> void refused_or_done(Action &&action)
{
    try {
        action();
    } catch (const hpart::Error &error) {
        if (error.status() != hpart::Status::invalid_argument) std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view content(reinterpret_cast<const char *>(data), size);
    const auto blank = std::min(content.find(' '), content.size());
    constexpr std::array<int, 5> usable = {0, 1, 2, 3, 8};
    constexpr std::array<std::string_view, 2> names = {"n", "k"};
    refused_or_done([&] {
        const auto cores = hpart::parse_cores(content.substr(0, blank), usable);
        if (hpart::parse_cores(hpart::format_cores(cores), usable) != cores) std::abort();
    });
    refused_or_done([&] {
        const auto dims = content.substr(std::min(blank + 1, content.size()));
        if (hpart::parse_dimensions(dims, names, "dgemm").size() != names.size()) std::abort();
    });
    refused_or_done([&] {
        const auto words = hpart::split_command(content);
        if (hpart::split_command(hpart::join_command(words)) != words) std::abort();
    });
    return 0;
}
