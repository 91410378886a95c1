// method=paraleph over ranks: rank r computes p / q columns of the table.
#pragma once

#include "mpi/communicator.hpp"
#include "partitioners/methods/papers/paraleph_columns.hpp"

#include <chrono>
#include <vector>

namespace hpart::mpi
{

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
