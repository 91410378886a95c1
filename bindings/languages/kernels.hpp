// Functions of the interpreter that the library calls. They run on the interpreter's thread and in turn: a call on a team that has such
// kernels runs on a thread of its own, while the interpreter's thread waits and serves the kernels.
#pragma once

#include "kinds.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>

namespace hpart_languages
{

// Runs a call elsewhere and what it asks for here.
class Server
{
  public:
    void run(const std::function<void()> &call);
    // From any thread: runs the task on the thread of run. False if it threw, which ends the call.
    bool ask(const std::function<void()> &task);
    bool has_failed();
    void rethrow() const;

  private:
    void serve(std::unique_lock<std::mutex> &lock);
    void poll();
    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void()> *task_ = nullptr;
    bool is_done_ = false;
    std::exception_ptr failure_;
};

// The user pointer of a kernel or an application. State outlives it: the team's handle frees it.
struct Called {
    Function function;
    State *team;
};
std::unique_ptr<Called> new_called(Function function, State *team);
int run_kernel(int64_t size, void *user);
int run_application(int64_t processors, const int64_t *x, double *seconds, void *user);
void free_called(void *user);

// After hpart_team_add or hpart_team_set_application_function has taken it.
void keep_called(const Borrowed<hpart_team> &team, std::unique_ptr<Called> &called, bool is_kernel);
void keep_meter(const Borrowed<hpart_team> &team, int64_t processor, const Borrowed<hpart_meter> &meter);

// The processors that a call runs at once: all, all unless the option simultaneous is 0, or one.
enum class Simultaneous { always, optional, never };
// Refuses a call that would run several of the interpreter's kernels at once, or sets simultaneous=0.
void prepare_run(const Borrowed<hpart_team> &team, Options &options, Simultaneous simultaneous);
Status run(const Borrowed<hpart_team> &team, Options &options, const std::function<hpart_status()> &call);
// Entries of the energies of hpart_team_measure.
size_t joules_of(const Borrowed<hpart_team> &team);

// The complexity of speeds, which the library calls on this thread; null if not given.
class Complexity
{
  public:
    explicit Complexity(Argument argument);
    [[nodiscard]] hpart_complexity get() const { return function_ ? operations : nullptr; }
    void rethrow() const;

  private:
    static int operations(int64_t size, double *operations, void *user);
    Function function_;
    std::exception_ptr failure_;
};

// A handle that a call makes: destroyed unless taken.
template <class T> class Made
{
  public:
    Made() = default;
    Made(const Made &) = delete;
    Made &operator=(const Made &) = delete;
    ~Made()
    {
        if (object_) Kind<T>::destroy(object_);
    }
    T **place() { return &object_; }
    [[nodiscard]] T *get() const { return object_; }
    Value take() { return made(std::exchange(object_, nullptr)); }

  private:
    T *object_ = nullptr;
};

inline int64_t processors(const hpart_platform *platform) { return hpart_platform_processors(platform); }
inline int64_t processors(const hpart_team *team) { return hpart_team_processors(team); }
inline int64_t processors(const hpart_adaptive *adaptive) { return hpart_adaptive_processors(adaptive); }
inline int64_t processors(const hpart_front *front) { return hpart_front_processors(front); }

} // namespace hpart_languages
