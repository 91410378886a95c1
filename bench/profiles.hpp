// Problems for the benchmarks: platforms of synthetic functions, the same on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hpart.h>

namespace bench
{

struct Function {
    std::vector<std::int64_t> sizes;
    std::vector<double> seconds;
    std::vector<double> joules;
};

enum class Kind {
    realistic, // speeds of 1 to 10 that fall by up to 35 % between neighbouring sizes, as measured functions of FFT do
    alike,     // the same realistic function everywhere
    cluster,   // copies of a node of 8 realistic functions
    uniform,   // times and energies uniform at random
    gaps,      // realistic at 5 % of the sizes
    wild,      // realistic with sizes of step 1, 7, 100 or 1000, by processor
    linear,    // a fixed cost and one in proportion to the size: massive near-ties
    parity,    // realistic at odd sizes only, save for the last processor, whose even sizes are slow
    even,      // realistic at even sizes only
    alike_linear, // the same linear function everywhere
    equal_times,  // every time the same, energies uniform at random
    // Unlike times, and among the energies many equal or nearly equal sums.
    proportional, // 0.1 x: sums that differ in rounding alone
    fixed_cost,   // 5 + 0.1 x
    constant,     // 7
    few_values,   // 1, 2 or 3 at random
    one_size,     // one point, the same energy, two times
    convex_node   // copies of a node of 4 convex functions
};

struct Problem {
    std::string name;
    Kind kind;
    std::int64_t processors;
    std::int64_t points;
    std::int64_t size;
};

// The different functions of a problem; its platform repeats them.
std::vector<Function> functions_of(const Problem &problem);

constexpr double base_power = 100; // watts, of every platform

// Fails the program when hpart does.
void check(hpart_status status);

class Platform
{
  public:
    explicit Platform(const Problem &problem);
    Platform(const Platform &) = delete;
    Platform &operator=(const Platform &) = delete;
    ~Platform() { hpart_platform_destroy(handle_); }

    const hpart_platform *handle() const { return handle_; }
    void set_base_power(double watts) { check(hpart_platform_set_base_power(handle_, watts)); }

  private:
    hpart_platform *handle_ = nullptr;
};

// "realistic", "alike", ... for names of results.
std::string name_of(Kind kind);

} // namespace bench
