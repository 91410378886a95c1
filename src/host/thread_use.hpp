// The processor time and last core of each thread of this process, from /proc.
#pragma once

#include "host/cores.hpp"

#include <map>
#include <string>

#include <sys/types.h>

namespace hpart
{

struct ThreadUse {
    std::string name; // as the program or a library calls it
    double seconds;   // of a core's time, since the thread began
    int last_core;
    bool is_running; // or waits for a core
};

pid_t this_thread_id();
// By thread; empty where the system has no /proc. Threads that have ended are not among them.
std::map<pid_t, ThreadUse> thread_uses();
// Returns when the other threads of this process sleep, a second from now at the latest. Threads of a library's pool, as
// OpenBLAS's, spin for a while after their start and after their work: a meter would add their energy to the energy of the next
// work.
void wait_for_rest();
// Cores that a thread of this process may use now; empty when it has ended.
CoreList cores_of_thread(pid_t id);

// Binds the calling thread, and the threads that it starts, until this ends; an empty list changes nothing.
class BoundMeanwhile
{
  public:
    explicit BoundMeanwhile(const CoreList &cores);
    BoundMeanwhile(const BoundMeanwhile &) = delete;
    BoundMeanwhile &operator=(const BoundMeanwhile &) = delete;
    ~BoundMeanwhile();

  private:
    CoreList before_;
};

} // namespace hpart
