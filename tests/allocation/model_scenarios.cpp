#include "scenarios.hpp"

#include <cstdint>
#include <fstream>
#include <stdexcept>

namespace
{

constexpr std::int64_t processors = 3, points = 12, size = 18;

// The same function for all where they are to be alike.
hpart::platform make(bool alike)
{
    hpart::platform platform(processors);
    for (std::int64_t i = 0; i < processors; ++i) {
        const auto other = alike ? 0 : i;
        std::vector<std::int64_t> sizes;
        std::vector<double> seconds, joules;
        for (std::int64_t k = 0; k < points; ++k) {
            sizes.push_back(k + 1);
            seconds.push_back(static_cast<double>(k + 1 + (k * 5 + other * 3) % 4));
            joules.push_back(static_cast<double>(2 * (k + 1) + (k * 3 + other * 7) % 5));
        }
        platform.set_time_function(i, sizes, seconds);
        platform.set_energy_function(i, sizes, joules);
    }
    platform.set_base_power(3);
    return platform;
}

void platform_calls(const Start &start)
{
    start();
    auto platform = make(false);
    platform.set_name(0, "a processor with a name that takes memory");
    platform.name(0);
    platform.set_kernel("a kernel with a name that takes memory, n=8");
    platform.set_limits(1, {1, 10});
    platform.set_link(0, 1, {1e-6, 1e9});
    platform.set_host_link(2, {1e-6, 1e9});
    platform.set_border_bytes(8);
    auto cluster = platform.replicate(3);
    platform.aggregate(hpart::objective::time, 4);
    cluster.set_speed_function(2, {1, 2, 3}, {1.0, 2.0, 3.0});
    platform.write("allocation_test.csv");
    const auto again = hpart::platform::read("allocation_test.csv");
    again.evaluate_seconds({1, 2, 3});
    again.report_shape(0);
    hpart::shares({1, 2, 3});
}

void option_calls(const Start &start)
{
    const auto owned = std::make_shared<int>(0);
    start();
    {
        hpart::options options{{"method", "exact"}, {"threads", 2}, {"deadline", 3.0}};
        options.set_previous({1, 2, 3});
        hpart::info();
        options.set_progress([owned](double, const char *) {});
    }
    if (owned.use_count() != 1) throw std::logic_error("the progress callable is not freed");
}

struct Way {
    const char *name;
    hpart::objective objective;
    bool alike;
    const char *method;
    std::vector<hpart::option> options = {};
};

const auto by_time = hpart::objective::time, by_energy = hpart::objective::energy,
           by_total = hpart::objective::total_energy;

const std::vector<Way> &ways()
{
    static const std::vector<Way> all{
        {"partition: time", by_time, false, "exact"},
        {"partition: energy", by_energy, false, "exact"},
        {"partition: total energy", by_total, false, "exact"},
        {"partition: alike processors", by_energy, true, "exact"},
        {"partition: deadline", by_energy, false, "exact", {{"deadline", 8}}},
        {"partition: slowdown", by_energy, false, "exact", {{"slowdown", 1.5}}},
        {"partition: fewest", by_time, false, "exact", {{"ties", "fewest"}}},
        {"partition: interpolation", by_time, false, "exact", {{"interpolate", "akima"}}},
        {"partition: comparison", by_time, false, "fpm", {{"compare", "exact"}}},
        {"partition: idle forbidden", by_total, false, "exact", {{"idle_processors", "forbidden"}}},
        {"partition: chain", by_time, false, "exact", {{"communication", "chain"}}},
        {"partition: summa", by_time, false, "exact", {{"communication", "summa"}}},
        {"hpopta", by_time, false, "hpopta"},
        {"heopta", by_energy, false, "heopta"},
        {"htpopta", by_total, false, "htpopta"},
        {"data-locality", by_time, false, "data-locality"},
        {"hipopta", by_time, true, "hipopta"},
        {"popta", by_time, true, "popta"},
        {"eopta", by_energy, true, "eopta"},
        {"paraleph", by_time, true, "paraleph"},
        {"equal", by_time, false, "equal"},
        {"cpm", by_time, false, "cpm"},
        {"fpm", by_time, false, "fpm"},
        {"smooth-fpm", by_time, false, "smooth-fpm"},
        {"balanced", by_time, false, "balanced"},
    };
    return all;
}

// By hpart.h: a call that fails leaves x alone.
void partition(const Way &way, const Start &start)
{
    constexpr std::int64_t untouched = -5;
    auto platform = make(way.alike);
    platform.set_border_bytes(8);
    hpart::options options{{"method", way.method}};
    for (const auto &option : way.options) options.set(option);
    std::array<std::int64_t, processors> x{untouched, untouched, untouched};
    double seconds = 0;
    hpart_report *written = nullptr;
    start();
    const auto status = hpart_partition(platform.native(), static_cast<std::int32_t>(way.objective), size,
                                        options.native(), x.data(), &seconds, nullptr, &written);
    const hpart::report report(hpart::adopt, written);
    if (status != HPART_SUCCESS && x[0] != untouched) throw std::logic_error("x is changed");
    hpart::detail::check(status);
}

// So large that threads share it; one that cannot be made is done without.
void threads_of_paraleph(const Start &start)
{
    hpart::platform platform(processors);
    for (std::int64_t i = 0; i < processors; ++i) platform.set_time_function(i, {1, 100'000, 200'000}, {1.0, 3.0, 4.0});
    const hpart::options options{{"method", "paraleph"}, {"threads", 6}};
    start();
    hpart::partition(platform, by_time, 300'001, options);
}

void slice_calls(const Start &start)
{
    const std::string path = "allocation_test_family.csv";
    std::ofstream(path) << "parameter,processor,size,time\n10,CPU,1,1\n20,CPU,1,3\n";
    start();
    hpart::platform::read_slice(path, 15, {{"interpolate", "linear"}});
}

void matrix_calls(const Start &start)
{
    start();
    hpart::matrix_partition({1.0, 4.0, 2.0, 0.0, 3.0}, 40, 30);
}

void adaptive_calls(const Start &start)
{
    start();
    hpart::adaptive adaptive(4, 100), warm(4, 100);
    adaptive.set_limits(3, {0, 20});
    for (int iteration = 0; iteration < 6; ++iteration) {
        std::vector<double> seconds;
        for (const auto part : adaptive.distribution())
            seconds.push_back(static_cast<double>(part) / static_cast<double>(seconds.size() + 1));
        adaptive.update(seconds);
    }
    adaptive.set_size(200);
    warm.start_from(adaptive.functions());
    adaptive.report();
}

void grouping_calls(const Start &start)
{
    start();
    hpart::groupings();
    hpart::groupings("package:2 core:2 pu:1");
}

} // namespace

std::vector<Scenario> model_scenarios()
{
    std::vector<Scenario> all{
        {"platform", platform_calls},
        {"options", option_calls},
        {"slice", slice_calls},
        {"matrix", matrix_calls},
        {"adaptive", adaptive_calls},
        {"grouping", grouping_calls},
        {"threads of paraleph", threads_of_paraleph},
    };
    for (const auto &way : ways()) all.push_back({way.name, [&way](const Start &start) { partition(way, start); }});
    const auto add_front = [&](const char *name, hpart::energy_kind energy, const char *method, bool alike) {
        all.push_back({name, [=](const Start &start) {
                           const auto platform = make(alike);
                           const hpart::options options{{"method", method}};
                           start();
                           hpart::front(platform, size, energy, options).report();
                       }});
    };
    add_front("front", hpart::energy_kind::dynamic, "exact", false);
    add_front("front of total energy", hpart::energy_kind::total, "exact", false);
    add_front("hepopta", hpart::energy_kind::dynamic, "hepopta", false);
    add_front("aleph", hpart::energy_kind::dynamic, "aleph", true);
    for (const char *method : {"exact", "wdah", "wdah-heuristic"})
        all.push_back({method, [=](const Start &start) {
                           const auto platform = make(false);
                           const hpart::options options{{"method", method}};
                           start();
                           hpart::schedule(platform, 40, options).report();
                       }});
    return all;
}
