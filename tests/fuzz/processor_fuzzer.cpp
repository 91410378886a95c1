// The texts that hpart_team_add, hpart_team_add_builtin and hpart_team_add_program parse: lists of cores and fixed dimensions, split at the first
// blank, and commands: taken, or refused with Status::invalid_argument; cores and commands taken read back the same.
#include "core/child_process.hpp"
#include "fuzz.hpp"
#include "host/cores.hpp"
#include "kernels/registry.hpp"

#include <array>

void fuzz(std::string_view content)
{
    const auto refused = {hpart::Status::invalid_argument};
    const auto blank = std::min(content.find(' '), content.size());
    constexpr std::array<int, 5> usable = {0, 1, 2, 3, 8};
    constexpr std::array<std::string_view, 2> names = {"n", "k"};
    done_or_refused(refused, [&] {
        const auto cores = hpart::parse_cores(content.substr(0, blank), usable);
        if (hpart::parse_cores(hpart::format_cores(cores), usable) != cores) std::abort();
    });
    done_or_refused(refused, [&] {
        const auto dims = content.substr(std::min(blank + 1, content.size()));
        if (hpart::parse_dimensions(dims, names, "dgemm").size() != names.size()) std::abort();
    });
    done_or_refused(refused, [&] {
        const auto words = hpart::split_command(content);
        if (hpart::split_command(hpart::join_command(words)) != words) std::abort();
    });
}
