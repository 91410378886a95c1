// Checks that processors stay on their cores.
#pragma once

#include "host/thread_group.hpp"
#include "measurement/team_run.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace hpart
{

// Fails when two of the processors share a core: each would take time from the other.
void require_own_cores(const Team &team, std::span<const std::size_t> processors);

// Watches, from now on, the threads of this process that are not the processors' own.
class BindingWatch
{
  public:
    BindingWatch(const Team &team, const TeamRun &run);

    // One sentence for each active processor: "" while its cores were kept.
    std::vector<std::string> broken() const;

  private:
    void find_moved(std::vector<std::string> &broken) const;
    void find_strangers(std::vector<std::string> &broken) const;

    const Team &team_;
    const TeamRun &run_;
    pid_t caller_ = this_thread_id();
    std::map<pid_t, ThreadUse> before_ = thread_uses();
    Clock::time_point begin_ = Clock::now();
};

// The remedy, as half a sentence.
std::string_view binding_remedy();

} // namespace hpart
