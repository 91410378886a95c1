// A problem of all ranks: the platform and the options of the call on rank 0.
#pragma once

#include "mpi/handles.hpp"
#include "mpi/platform.hpp"

namespace hpart::mpi
{

struct WholeProblem {
    WholePlatform platform;
    OptionsHandle own_options; // with the previous distribution of all ranks
    const hpart_options *options = nullptr;
};

// Called by every rank. check_arguments throws if this rank's arguments are wrong.
template <typename Check>
WholeProblem gather_problem(const Communicator &all, const hpart_platform *mine, std::int64_t size,
                            const hpart_options *options, Check &&check_arguments);

WholeProblem gather_checked(const Communicator &all, const PlatformPart &part, const hpart_options *options);

template <typename Check>
WholeProblem gather_problem(const Communicator &all, const hpart_platform *mine, std::int64_t size,
                            const hpart_options *options, Check &&check_arguments)
{
    PlatformPart part;
    all.together([&] {
        require_same_version();
        check_arguments();
        part = part_of(mine);
    });
    all.require_equal("size", size);
    return gather_checked(all, part, options);
}

} // namespace hpart::mpi
