// A problem of all ranks: the platform and the options of the call on rank 0.
#pragma once

#include "mpi/communicator.hpp"
#include "mpi/platform.hpp"
#include "partitioners/methods/papers/paraleph.hpp"

#include <chrono>
#include <vector>

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
        check_arguments();
        part = part_of(mine);
    });
    all.require_equal("size", size);
    return gather_checked(all, part, options);
}

// method=paraleph over ranks: rank r computes p / q columns of the table.

// Seconds of every rank, on rank 0.
struct RankSeconds {
    std::vector<double> computing;
    std::vector<double> communicating; // waiting for a neighbour included
};

// Rank 0's part in a call of hpart_partition.
class RootOfParaleph final : public ParalephRanks
{
  public:
    explicit RootOfParaleph(const Communicator &all) : all_(all) {}

    double bytes(const ParalephTask &task) const override;
    bool solve(const ParalephTask &task, double seconds_left, const std::function<bool(double)> &looks,
               std::vector<std::int64_t> &x) noexcept override;
    // Ends serve_paraleph of the other ranks. Throws what stopped the ranks, if anything but the limits did.
    void end() const;

    const RankSeconds &seconds() const { return seconds_; }

  private:
    const Communicator &all_;
    Failure failure_;
    RankSeconds seconds_;
};

// The other ranks' part, until rank 0 ends it. Failures are rank 0's too, which shares them.
void serve_paraleph(const Communicator &all);

} // namespace hpart::mpi
