// Times of the exact partitions and fronts on realistic profiles, through hpart.h, beside one plain pass over the same values.
#include <hpart.h>

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

namespace
{

void check(hpart_status status)
{
    if (status != HPART_SUCCESS) {
        std::fprintf(stderr, "%s\n", hpart_last_error());
        std::exit(1);
    }
}

struct Platform {
    hpart_platform *handle = nullptr;
    std::vector<double> values;

    // p processors of unlike speeds whose speed falls and jumps between neighbouring sizes by up to a third, as the measured functions
    // of FFT do; sizes step, 2 step, ..., m step.
    Platform(std::int64_t p, std::int64_t m, std::int64_t step)
    {
        std::mt19937_64 random(1);
        const auto uniform = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
        check(hpart_platform_create(p, &handle));
        std::vector<std::int64_t> sizes(static_cast<std::size_t>(m));
        std::vector<double> seconds(sizes.size()), joules(sizes.size());
        for (std::int64_t i = 0; i < p; ++i) {
            const double speed = 1 + 9 * uniform(), watts = 20 + 200 * uniform();
            for (std::int64_t k = 0; k < m; ++k) {
                const auto at = static_cast<std::size_t>(k);
                sizes[at] = (k + 1) * step;
                seconds[at] = static_cast<double>(sizes[at]) / (speed * (1 - 0.35 * uniform())) + 1e-3;
                joules[at] = seconds[at] * watts * (0.8 + 0.4 * uniform());
            }
            check(hpart_platform_set_time_function(handle, i, m, sizes.data(), seconds.data()));
            check(hpart_platform_set_energy_function(handle, i, m, sizes.data(), joules.data()));
            values.insert(values.end(), seconds.begin(), seconds.end());
        }
        check(hpart_platform_set_base_power(handle, 100));
    }
    Platform(const Platform &) = delete;
    Platform &operator=(const Platform &) = delete;
    ~Platform() { hpart_platform_destroy(handle); }
};

template <std::int32_t objective> void partition(benchmark::State &state)
{
    const Platform platform(state.range(0), state.range(1), state.range(3));
    std::vector<std::int64_t> x(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        double seconds = 0;
        check(
            hpart_partition(platform.handle, objective, state.range(2), nullptr, x.data(), &seconds, nullptr, nullptr));
        benchmark::DoNotOptimize(seconds);
    }
}

void front(benchmark::State &state)
{
    const Platform platform(state.range(0), state.range(1), state.range(3));
    std::int64_t points = 0;
    for (auto _ : state) {
        hpart_front *found = nullptr;
        check(hpart_front_compute(platform.handle, state.range(2), HPART_ENERGY_DYNAMIC, nullptr, &found));
        points = hpart_front_count(found);
        hpart_front_destroy(found);
    }
    state.counters["points"] = static_cast<double>(points);
}

void streaming_sum(benchmark::State &state)
{
    const Platform platform(state.range(0), state.range(1), state.range(3));
    for (auto _ : state) benchmark::DoNotOptimize(std::accumulate(platform.values.begin(), platform.values.end(), 0.0));
}

// p, m, n, step of the sizes
void instances(benchmark::internal::Benchmark *bench)
{
    bench->ArgNames({"p", "m", "n", "step"});
    bench->Args({3, 700, 1000, 1})->Args({5, 450, 1100, 1})->Args({24, 700, 8000, 1});
    bench->Args({100, 100, 5'000'000'000, 1'000'000});
    bench->Unit(benchmark::kMillisecond);
}

void with_large(benchmark::internal::Benchmark *bench)
{
    instances(bench);
    bench->Args({96, 700, 30000, 1});
}

BENCHMARK(streaming_sum)->Apply(with_large);
BENCHMARK(partition<HPART_OBJECTIVE_TIME>)->Name("time")->Apply(with_large);
BENCHMARK(partition<HPART_OBJECTIVE_ENERGY>)->Name("energy")->Apply(with_large);
BENCHMARK(partition<HPART_OBJECTIVE_TOTAL_ENERGY>)->Name("total_energy")->Apply(instances);
BENCHMARK(front)->Apply(instances);

} // namespace
