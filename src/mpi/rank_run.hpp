// One repetition of a distribution on all ranks at once.
#pragma once

#include "c_api/team.hpp"
#include "measurement/team_run.hpp"
#include "mpi/platform.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hpart::mpi
{

// Its processors' names and their kernel, without points. NULL: none.
PlatformPart part_of_team(const hpart_team *team);

// The result of a rank's part.
struct RankResult {
    Failure failure;          // success, or why the part did not run
    bool is_of_point = false; // the failure is of this size; another size may succeed
    std::vector<double> seconds;
};

class RankRun
{
  public:
    // mine: this rank's processors; NULL: none.
    RankRun(const Communicator &all, const hpart_team *mine) : all_(all), mine_(mine) {}

    std::size_t processors() const { return mine_ == nullptr ? 0 : mine_->value.count(); }

    // Called by every rank: runs x between two barriers. Kernels stay prepared while x stays the same. Rank 0 gets the results of all.
    std::vector<RankResult> repeat(const std::vector<std::int64_t> &x);

  private:
    template <typename Body> void attempt(Body &&body);

    const Communicator &all_;
    const hpart_team *mine_;
    std::vector<std::int64_t> x_; // of run_
    std::optional<TeamRun> run_;
    RankResult result_;
};

} // namespace hpart::mpi
