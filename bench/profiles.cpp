#include "profiles.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace bench
{

namespace
{

constexpr std::int64_t node_processors = 8;
constexpr double largest_fall = 0.35; // of the speed between neighbouring sizes

class Generator
{
  public:
    explicit Generator(const Problem &problem) : problem_(problem) {}

    Function next()
    {
        const auto index = count_++;
        const auto step = step_of(index);
        speed_ = between(1, 10);
        watts_ = between(20, 220);
        Function function;
        for (std::int64_t k = 1; k <= problem_.points; ++k) {
            if (problem_.kind == Kind::gaps && between(0, 1) > 0.05) continue;
            const bool is_last = index + 1 == problem_.processors;
            if (problem_.kind == Kind::parity && (k % 2 == 0) != is_last) continue;
            add(function, k * step, problem_.kind == Kind::parity && is_last ? 20 : 1);
        }
        return function;
    }

  private:
    double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

    std::int64_t step_of(std::int64_t index) const
    {
        static constexpr std::array<std::int64_t, 4> steps{1, 7, 100, 1000};
        if (problem_.kind == Kind::even) return 2;
        return problem_.kind == Kind::wild ? steps[static_cast<std::size_t>(index) % steps.size()] : 1;
    }

    double joules_of(double x, double seconds)
    {
        switch (problem_.kind) {
        case Kind::proportional: return 0.1 * x;
        case Kind::fixed_cost: return 5 + 0.1 * x;
        case Kind::constant: return 7;
        case Kind::few_values: return std::floor(between(1, 4));
        default: return seconds * watts_ * between(0.8, 1.2);
        }
    }

    void add(Function &function, std::int64_t size, double slowness)
    {
        const auto x = static_cast<double>(size);
        double seconds = 0;
        double joules = 0;
        switch (problem_.kind) {
        case Kind::uniform:
            seconds = between(1, 1000);
            joules = between(1, 1000);
            break;
        case Kind::linear:
        case Kind::alike_linear:
            seconds = 1 + 0.1 * x / speed_;
            joules = 10 + 0.1 * x * watts_;
            break;
        case Kind::equal_times:
            seconds = 1;
            joules = between(1, 1000);
            break;
        case Kind::one_size:
            seconds = count_ % 2 == 0 ? 3 : 2;
            joules = 1;
            break;
        case Kind::convex_node:
            seconds = x / speed_;
            joules = x * (speed_ + x * watts_ * 1e-4);
            break;
        default:
            seconds = slowness * x / (speed_ * (1 - largest_fall * between(0, 1))) + 1e-3;
            joules = joules_of(x, seconds);
        }
        function.sizes.push_back(size);
        function.seconds.push_back(seconds);
        function.joules.push_back(joules);
    }

    const Problem &problem_;
    std::mt19937_64 random_{1};
    std::int64_t count_ = 0;
    double speed_ = 1;
    double watts_ = 1;
};

std::int64_t different_functions(const Problem &problem)
{
    switch (problem.kind) {
    case Kind::alike:
    case Kind::alike_linear: return 1;
    case Kind::cluster: return node_processors;
    case Kind::one_size: return 2;
    case Kind::convex_node: return 4;
    default: return problem.processors;
    }
}

} // namespace

std::vector<Function> functions_of(const Problem &problem)
{
    Generator generator(problem);
    std::vector<Function> functions;
    for (std::int64_t i = 0; i < different_functions(problem); ++i) functions.push_back(generator.next());
    return functions;
}

void check(hpart_status status)
{
    if (status == HPART_SUCCESS) return;
    std::fprintf(stderr, "%s\n", hpart_last_error());
    std::exit(1);
}

Platform::Platform(const Problem &problem)
{
    const auto functions = functions_of(problem);
    const auto different = static_cast<std::int64_t>(functions.size());
    hpart_platform *node = nullptr;
    check(hpart_platform_create(different, &node));
    for (std::int64_t i = 0; i < different; ++i) {
        const auto &[sizes, seconds, joules] = functions[static_cast<std::size_t>(i)];
        const auto points = static_cast<std::int64_t>(sizes.size());
        check(hpart_platform_set_time_function(node, i, points, sizes.data(), seconds.data()));
        check(hpart_platform_set_energy_function(node, i, points, sizes.data(), joules.data()));
    }
    check(hpart_platform_set_base_power(node, base_power));
    if (different == problem.processors) {
        handle_ = node;
        return;
    }
    check(hpart_platform_replicate(node, problem.processors / different, &handle_));
    hpart_platform_destroy(node);
}

std::string name_of(Kind kind)
{
    switch (kind) {
    case Kind::realistic: return "realistic";
    case Kind::alike: return "alike";
    case Kind::cluster: return "cluster";
    case Kind::uniform: return "uniform";
    case Kind::gaps: return "gaps";
    case Kind::wild: return "wild";
    case Kind::linear: return "linear";
    case Kind::parity: return "parity";
    case Kind::even: return "even";
    case Kind::alike_linear: return "alike-linear";
    case Kind::equal_times: return "equal-times";
    case Kind::proportional: return "proportional";
    case Kind::fixed_cost: return "fixed-cost";
    case Kind::constant: return "constant";
    case Kind::few_values: return "few-values";
    case Kind::one_size: return "one-size";
    case Kind::convex_node: return "convex-node";
    }
    return "";
}

} // namespace bench
