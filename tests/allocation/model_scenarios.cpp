#include "scenarios.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace
{

constexpr std::int64_t processors = 3, points = 12, size = 18;

// The same function for all where they are to be alike.
hpart_status fill(hpart_platform *platform, bool alike)
{
    Calls calls;
    for (std::int64_t i = 0; i < hpart_platform_processors(platform); ++i) {
        std::array<std::int64_t, points> sizes{};
        std::array<double, points> seconds{}, joules{};
        for (std::int64_t k = 0; k < points; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const auto other = alike ? 0 : i;
            sizes[at] = k + 1;
            seconds[at] = static_cast<double>(k + 1 + (k * 5 + other * 3) % 4);
            joules[at] = static_cast<double>(2 * (k + 1) + (k * 3 + other * 7) % 5);
        }
        calls.then([&] { return hpart_platform_set_time_function(platform, i, points, sizes.data(), seconds.data()); });
        calls.then(
            [&] { return hpart_platform_set_energy_function(platform, i, points, sizes.data(), joules.data()); });
    }
    return calls.then([&] { return hpart_platform_set_base_power(platform, 3); }).status();
}

hpart_status make(Platform &platform, bool alike)
{
    return Calls()
        .then([&] { return hpart_platform_create(processors, platform.out()); })
        .then([&] { return fill(platform, alike); })
        .status();
}

int count_operations(int64_t of, double *operations, void *)
{
    *operations = static_cast<double>(of);
    return 0;
}

hpart_status platform_calls(const std::function<void()> &start)
{
    const std::array<std::int64_t, 3> sizes{1, 2, 3}, x{1, 2, 3};
    const std::array<double, 3> speeds{1, 2, 3};
    std::array<double, 3> shares{};
    const std::string path = "allocation_test.csv";
    Platform platform, cluster, whole, again;
    Report report;
    double seconds = 0;
    char name[64];
    std::int64_t needed = 0;
    start();
    return Calls()
        .then([&] { return make(platform, false); })
        .then([&] { return hpart_platform_set_name(platform, 0, "a processor with a name that takes memory"); })
        .then([&] { return hpart_platform_get_name(platform, 0, name, sizeof name, &needed); })
        .then([&] { return hpart_platform_set_kernel(platform, "a kernel with a name that takes memory, n=8"); })
        .then([&] { return hpart_platform_set_limits(platform, 1, 1, 10); })
        .then([&] { return hpart_platform_set_link(platform, 0, 1, 1e-6, 1e9); })
        .then([&] { return hpart_platform_set_host_link(platform, 2, 1e-6, 1e9); })
        .then([&] { return hpart_platform_set_border_bytes(platform, 8); })
        .then([&] { return hpart_platform_replicate(platform, 3, cluster.out()); })
        .then([&] { return hpart_platform_aggregate(platform, HPART_OBJECTIVE_TIME, 4, nullptr, whole.out()); })
        .then([&] {
            return hpart_platform_set_speed_function(cluster, 2, 3, sizes.data(), speeds.data(), count_operations,
                                                     nullptr);
        })
        .then([&] { return hpart_platform_write(platform, path.c_str()); })
        .then([&] { return hpart_platform_read(path.c_str(), again.out()); })
        .then([&] { return hpart_platform_evaluate(again, x.data(), &seconds, nullptr); })
        .then([&] { return hpart_platform_report_shape(again, 0, nullptr, nullptr, report.out()); })
        .then([&] { return hpart_shares_compute(3, x.data(), shares.data()); })
        .status();
}

int go_on(double, const char *, void *) { return 0; }

hpart_status option_calls(const std::function<void()> &start)
{
    const std::array<std::int64_t, 3> x{1, 2, 3};
    Options options;
    Report report;
    int owned = 0;
    start();
    const auto status = Calls()
                            .then([&] { return hpart_options_create(options.out()); })
                            .then([&] { return hpart_options_set_string(options, "method", "exact"); })
                            .then([&] { return hpart_options_set_int(options, "threads", 2); })
                            .then([&] { return hpart_options_set_double(options, "deadline", 3); })
                            .then([&] { return hpart_options_set_previous(options, 3, x.data()); })
                            .then([&] { return hpart_info(report.out()); })
                            .then([&] {
                                return hpart_options_set_progress(options, go_on, &owned,
                                                                  [](void *user) { ++*static_cast<int *>(user); });
                            })
                            .status();
    options.out(); // destroys them
    // The callback's pointer is freed once, or is still the caller's.
    return owned == (status == HPART_SUCCESS ? 1 : 0) ? status : HPART_ERR_INTERNAL;
}

struct Way {
    const char *name;
    std::int32_t objective;
    bool alike;
    const char *method;
    const char *key = nullptr, *value = nullptr;
};

constexpr std::array ways{
    Way{"partition: time", 0, false, "exact"},
    Way{"partition: energy", 1, false, "exact"},
    Way{"partition: total energy", 2, false, "exact"},
    Way{"partition: alike processors", 1, true, "exact"},
    Way{"partition: deadline", 1, false, "exact", "deadline", "8"},
    Way{"partition: slowdown", 1, false, "exact", "slowdown", "1.5"},
    Way{"partition: fewest", 0, false, "exact", "ties", "fewest"},
    Way{"partition: interpolation", 0, false, "exact", "interpolate", "akima"},
    Way{"partition: comparison", 0, false, "fpm", "compare", "exact"},
    Way{"partition: idle forbidden", 2, false, "exact", "idle_processors", "forbidden"},
    Way{"partition: chain", 0, false, "exact", "communication", "chain"},
    Way{"partition: summa", 0, false, "exact", "communication", "summa"},
    Way{"hpopta", 0, false, "hpopta"},
    Way{"heopta", 1, false, "heopta"},
    Way{"htpopta", 2, false, "htpopta"},
    Way{"data-locality", 0, false, "data-locality"},
    Way{"hipopta", 0, true, "hipopta"},
    Way{"popta", 0, true, "popta"},
    Way{"eopta", 1, true, "eopta"},
    Way{"paraleph", 0, true, "paraleph"},
    Way{"equal", 0, false, "equal"},
    Way{"cpm", 0, false, "cpm"},
    Way{"fpm", 0, false, "fpm"},
    Way{"smooth-fpm", 0, false, "smooth-fpm"},
    Way{"balanced", 0, false, "balanced"},
};

hpart_status set(hpart_options *options, const Way &way)
{
    Calls calls;
    calls.then([&] { return hpart_options_set_string(options, "method", way.method); });
    if (way.key == nullptr) return calls.status();
    const bool is_text = way.value[0] >= 'a';
    return calls
        .then([&] {
            return is_text ? hpart_options_set_string(options, way.key, way.value)
                           : hpart_options_set_double(options, way.key, std::stod(way.value));
        })
        .status();
}

hpart_status partition(const Way &way, const std::function<void()> &start)
{
    constexpr std::int64_t untouched = -5;
    Platform platform;
    Options options;
    Report report;
    std::array<std::int64_t, processors> x{untouched, untouched, untouched};
    double seconds = 0;
    const auto prepared = Calls()
                              .then([&] { return make(platform, way.alike); })
                              .then([&] { return hpart_platform_set_border_bytes(platform, 8); })
                              .then([&] { return hpart_options_create(options.out()); })
                              .then([&] { return set(options, way); })
                              .status();
    if (prepared != HPART_SUCCESS) return prepared;
    start();
    const auto status =
        hpart_partition(platform, way.objective, size, options, x.data(), &seconds, nullptr, report.out());
    if (status != HPART_SUCCESS && x[0] != untouched) return HPART_ERR_INTERNAL;
    return status;
}

// So large that threads share it; one that cannot be made is done without.
hpart_status threads_of_paraleph(const std::function<void()> &start)
{
    const std::array<std::int64_t, 3> sizes{1, 100'000, 200'000};
    const std::array<double, 3> seconds{1, 3, 4};
    std::array<std::int64_t, processors> x{};
    Platform platform;
    Options options;
    Calls calls;
    calls.then([&] { return hpart_platform_create(processors, platform.out()); });
    for (std::int64_t i = 0; i < processors; ++i)
        calls.then([&] { return hpart_platform_set_time_function(platform, i, 3, sizes.data(), seconds.data()); });
    const auto prepared = calls.then([&] { return hpart_options_create(options.out()); })
                              .then([&] { return hpart_options_set_string(options, "method", "paraleph"); })
                              .then([&] { return hpart_options_set_int(options, "threads", 6); })
                              .status();
    if (prepared != HPART_SUCCESS) return prepared;
    start();
    return hpart_partition_time(platform, 300'001, options, x.data(), nullptr);
}

hpart_status prepare(Platform &platform, bool alike, Options &options, const char *method)
{
    return Calls()
        .then([&] { return make(platform, alike); })
        .then([&] { return hpart_options_create(options.out()); })
        .then([&] { return hpart_options_set_string(options, "method", method); })
        .status();
}

hpart_status front(std::int32_t energy, const char *method, bool alike, const std::function<void()> &start)
{
    Platform platform;
    Options options;
    Front result;
    Report report;
    if (const auto status = prepare(platform, alike, options, method); status != HPART_SUCCESS) return status;
    start();
    return Calls()
        .then([&] { return hpart_front_compute(platform, size, energy, options, result.out()); })
        .then([&] { return hpart_front_report(result, report.out()); })
        .status();
}

hpart_status schedule(const char *method, const std::function<void()> &start)
{
    Platform platform;
    Options options;
    Schedule result;
    Report report;
    if (const auto status = prepare(platform, false, options, method); status != HPART_SUCCESS) return status;
    start();
    return Calls()
        .then([&] { return hpart_schedule_compute(platform, 40, options, result.out()); })
        .then([&] { return hpart_schedule_report(result, report.out()); })
        .status();
}

hpart_status family_calls(const std::function<void()> &start)
{
    Platform platform, slice;
    Family family, again;
    Options options;
    if (const auto status = make(platform, false); status != HPART_SUCCESS) return status;
    start();
    return Calls()
        .then([&] { return hpart_family_create(family.out()); })
        .then([&] { return hpart_family_add(family, 10, platform); })
        .then([&] { return hpart_family_add(family, 20, platform); })
        .then([&] { return hpart_options_create(options.out()); })
        .then([&] { return hpart_options_set_string(options, "interpolate", "linear"); })
        .then([&] { return hpart_family_slice(family, 15, options, slice.out()); })
        .then([&] { return hpart_family_write(family, "allocation_test_family.csv"); })
        .then([&] { return hpart_family_read("allocation_test_family.csv", again.out()); })
        .status();
}

hpart_status matrix_calls(const std::function<void()> &start)
{
    const std::array<double, 5> areas{1, 4, 2, 0, 3};
    std::array<std::int64_t, 5> rows{}, columns{}, heights{}, widths{};
    Report report;
    start();
    return hpart_matrix_partition(5, areas.data(), 40, 30, rows.data(), columns.data(), heights.data(), widths.data(),
                                  report.out());
}

hpart_status adaptive_calls(const std::function<void()> &start)
{
    Adaptive adaptive, warm;
    Platform functions;
    Report report;
    std::array<std::int64_t, 4> x{};
    std::array<double, 4> seconds{};
    start();
    Calls calls;
    calls.then([&] { return hpart_adaptive_create(4, 100, nullptr, adaptive.out()); });
    calls.then([&] { return hpart_adaptive_set_limits(adaptive, 3, 0, 20); });
    for (int iteration = 0; iteration < 6; ++iteration) {
        calls.then([&] { return hpart_adaptive_distribution(adaptive, x.data()); });
        for (std::size_t i = 0; i < x.size(); ++i) seconds[i] = static_cast<double>(x[i]) / static_cast<double>(i + 1);
        calls.then([&] { return hpart_adaptive_update(adaptive, nullptr, seconds.data()); });
    }
    calls.then([&] { return hpart_adaptive_set_size(adaptive, 200); });
    calls.then([&] { return hpart_adaptive_functions(adaptive, functions.out()); });
    calls.then([&] { return hpart_adaptive_create(4, 100, nullptr, warm.out()); });
    calls.then([&] { return hpart_adaptive_start_from(warm, functions); });
    return calls.then([&] { return hpart_adaptive_report(adaptive, report.out()); }).status();
}

hpart_status grouping_calls(const std::function<void()> &start)
{
    std::int64_t count = 0;
    char text[256];
    start();
    return Calls()
        .then([&] { return hpart_grouping_count(nullptr, &count); })
        .then([&] { return hpart_grouping_count("package:2 core:2 pu:1", &count); })
        .then([&] { return hpart_grouping_describe("package:2 core:2 pu:1", 1, text, sizeof text, nullptr); })
        .status();
}

} // namespace

std::vector<Scenario> model_scenarios()
{
    std::vector<Scenario> all{
        {"platform", platform_calls},
        {"options", option_calls},
        {"family", family_calls},
        {"matrix", matrix_calls},
        {"adaptive", adaptive_calls},
        {"grouping", grouping_calls},
        {"threads of paraleph", threads_of_paraleph},
    };
    for (const auto &way : ways) all.push_back({way.name, [&way](const auto &start) { return partition(way, start); }});
    const auto add_front = [&](const char *name, std::int32_t energy, const char *method, bool alike) {
        all.push_back({name, [=](const auto &start) { return front(energy, method, alike, start); }});
    };
    add_front("front", HPART_ENERGY_DYNAMIC, "exact", false);
    add_front("front of total energy", HPART_ENERGY_TOTAL, "exact", false);
    add_front("hepopta", HPART_ENERGY_DYNAMIC, "hepopta", false);
    add_front("aleph", HPART_ENERGY_DYNAMIC, "aleph", true);
    for (const char *method : {"exact", "wdah", "wdah-heuristic"})
        all.push_back({method, [=](const auto &start) { return schedule(method, start); }});
    return all;
}
