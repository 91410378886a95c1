#include "scenarios.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

namespace
{

constexpr std::int64_t n = 48;
constexpr std::int64_t small_memory = 20000;   // bytes: the matrices do not fit
constexpr std::int64_t shared_memory = 200000; // bytes of each device

struct Numbers {
    Numbers() : a(n * n), b(n * n), c(n * n)
    {
        for (std::size_t k = 0; k < a.size(); ++k) {
            a[k] = std::sin(static_cast<double>(k));
            b[k] = std::cos(static_cast<double>(k));
        }
        for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] += 2.0 * n; // positive definite
    }
    std::vector<double> a, b, c;
};

int nothing(std::int64_t, void *) { return 0; }

int read_watts(void *user, double *value, double *seconds)
{
    *value = 5;
    *seconds = *static_cast<double *>(user) += 0.01;
    return 0;
}

hpart_status make_options(Options &options)
{
    return Calls()
        .then([&] { return hpart_options_create(options.out()); })
        .then([&] { return hpart_options_set_int(options, "min_repetitions", 3); })
        .then([&] { return hpart_options_set_int(options, "max_repetitions", 3); })
        .status();
}

using Operation = hpart_status (*)(hpart_device *, Numbers &, hpart_report **);

// Rates of links and kernels are in a file of the test's own.
hpart_status open_device(const char *spec, std::int64_t memory_limit, Device &device)
{
    Options options;
    return Calls()
        .then([&] { return hpart_options_create(options.out()); })
        .then([&] { return hpart_options_set_string(options, "profile_file", "allocation_test.profile"); })
        .then([&] {
            return memory_limit == 0 ? HPART_SUCCESS : hpart_options_set_int(options, "memory_limit", memory_limit);
        })
        .then([&] { return hpart_device_open(spec, options, device.out()); })
        .status();
}

hpart_status team_calls(const std::function<void()> &start)
{
    const std::array<std::int64_t, 2> x{2, 3}, sizes{1, 2};
    std::array<double, 2> seconds{};
    Options options;
    Team team;
    Platform platform;
    Report measured, executed;
    if (const auto status = make_options(options); status != HPART_SUCCESS) return status;
    start();
    return Calls()
        .then([&] { return hpart_team_create(team.out()); })
        .then([&] { return hpart_team_add(team, "the first of the processors", nothing, nullptr, nullptr, nullptr); })
        .then([&] { return hpart_team_add(team, "second", nothing, nullptr, nullptr, "0"); })
        .then([&] { return hpart_team_set_kernel(team, "a kernel that does nothing, 1.0"); })
        .then([&] { return hpart_team_measure(team, x.data(), options, seconds.data(), nullptr, measured.out()); })
        .then([&] { return hpart_team_profile(team, 2, sizes.data(), options, platform.out()); })
        .then([&] { return hpart_team_execute(team, x.data(), nullptr, seconds.data(), executed.out()); })
        .status();
}

hpart_status optimize_calls(const std::function<void()> &start)
{
    const std::array<std::int64_t, 4> sizes{1, 2, 3, 4};
    std::array<std::int64_t, 2> x{};
    double seconds = 0;
    Options options;
    Team team;
    Platform platform;
    Report report;
    const auto prepared =
        Calls()
            .then([&] { return make_options(options); })
            .then([&] { return hpart_options_set_string(options, "checkpoint_file", "allocation_test_optimum.csv"); })
            .then([&] { return hpart_team_create(team.out()); })
            .then([&] { return hpart_team_add(team, "first", nothing, nullptr, nullptr, nullptr); })
            .then([&] { return hpart_team_add(team, "second", nothing, nullptr, nullptr, nullptr); })
            .then([&] { return hpart_team_set_kernel(team, "nothing"); })
            .status();
    std::remove("allocation_test_optimum.csv");
    if (prepared != HPART_SUCCESS) return prepared;
    start();
    return hpart_team_optimize(team, HPART_OBJECTIVE_TIME, 5, sizes.size(), sizes.data(), options, x.data(), &seconds,
                               platform.out(), report.out());
}

hpart_status program_calls(const std::function<void()> &start)
{
    const std::array<std::int64_t, 2> x{2, 3}, sizes{1, 2};
    std::array<double, 2> seconds{};
    Options options, lines;
    Team team;
    Platform platform;
    const auto prepared = Calls()
                              .then([&] { return make_options(options); })
                              .then([&] { return hpart_options_create(lines.out()); })
                              .then([&] { return hpart_options_set_string(lines, "protocol", "lines"); })
                              .status();
    if (prepared != HPART_SUCCESS) return prepared;
    start();
    return Calls()
        .then([&] { return hpart_team_create(team.out()); })
        .then([&] {
            return hpart_team_add_program(team, "stays", "sh -c 'while read size; do echo $size; done'", lines);
        })
        .then([&] { return hpart_team_add_program(team, "starts again", "echo the size {size}", nullptr); })
        .then([&] { return hpart_team_measure(team, x.data(), options, seconds.data(), nullptr, nullptr); })
        .then([&] { return hpart_team_profile(team, 2, sizes.data(), options, platform.out()); })
        .status();
}

hpart_status builtin_calls(const std::function<void()> &start)
{
    const std::array<std::int64_t, 1> x{8};
    double seconds = 0;
    Options options, dims;
    Team team;
    const auto prepared = Calls()
                              .then([&] { return make_options(options); })
                              .then([&] { return hpart_options_create(dims.out()); })
                              .then([&] { return hpart_options_set_string(dims, "dims", "n=8,k=8"); })
                              .status();
    if (prepared != HPART_SUCCESS) return prepared;
    start();
    return Calls()
        .then([&] { return hpart_team_create(team.out()); })
        .then([&] { return hpart_team_add_builtin(team, nullptr, "dgemm", "cpu:0", dims); })
        .then([&] { return hpart_team_measure(team, x.data(), options, &seconds, nullptr, nullptr); })
        .status();
}

hpart_status own_meter_calls(const std::function<void()> &start)
{
    double clock = 0, seconds = 0, joules = 0;
    Options options;
    Meter meter;
    Team team; // destroyed before the meter
    Report report;
    const auto prepared = Calls()
                              .then([&] { return make_options(options); })
                              .then([&] { return hpart_options_set_double(options, "base_power", 1); })
                              .status();
    if (prepared != HPART_SUCCESS) return prepared;
    start();
    return Calls()
        .then([&] {
            return hpart_meter_create("a meter of the user's own", read_watts, HPART_WATTS, 0.001, 0, &clock, nullptr,
                                      meter.out());
        })
        .then([&] { return hpart_meter_start(meter); })
        .then([&] { return hpart_meter_stop(meter, &joules, &seconds); })
        .then([&] { return hpart_meter_report(meter, report.out()); })
        .then([&] { return hpart_team_create(team.out()); })
        .then([&] { return hpart_team_add(team, "one", nothing, nullptr, nullptr, nullptr); })
        .then([&] { return hpart_team_set_meter(team, -1, meter); })
        .status();
}

hpart_status recording_calls(const std::function<void()> &start)
{
    const std::string path = "allocation_test_recording.csv";
    const std::string spec = "replay:" + path;
    std::ofstream(path) << "seconds,watts\n0,5\n1,5\n2,5\n3,5\n";
    double seconds = 0, joules = 0;
    Meter meter;
    char text[512];
    start();
    Calls calls;
    calls.then([&] { return hpart_meter_open(spec.c_str(), nullptr, meter.out()); })
        .then([&] { return hpart_meter_start(meter); })
        .then([&] { return hpart_meter_stop(meter, &joules, &seconds); });
    // The search for what this machine has.
    for (std::int64_t k = 0; k < hpart_meter_count(); ++k)
        calls.then([&] { return hpart_meter_describe(k, text, sizeof text, nullptr, nullptr); });
    return calls.status();
}

// Data that may be changed make it another status; the message has the reason.
hpart_status with_reason(hpart_status status)
{
    const bool is_memory = std::strstr(hpart_last_error(), "out of memory") != nullptr;
    return status == HPART_ERR_DEVICE && is_memory ? HPART_ERR_OUT_OF_MEMORY : status;
}

int double_block(const hpart_step *step, void *)
{
    auto *values = static_cast<double *>(hpart_step_memory(step, 0));
    for (std::int64_t k = 0; k < n; ++k) values[k] *= 2;
    return 0;
}

hpart_status pipeline_calls(const std::function<void()> &start)
{
    std::vector<double> values(4 * n, 1.0);
    Device device;
    Report report;
    Pipeline pipeline; // destroyed before the device
    std::int64_t array = 0;
    if (const auto status = open_device("host", 0, device); status != HPART_SUCCESS) return status;
    start();
    Calls calls;
    calls.then([&] { return hpart_pipeline_create(device, pipeline.out()); });
    calls.then([&] { return hpart_pipeline_add_array(pipeline, n * 8, 2, &array); });
    for (std::size_t k = 0; k < 4; ++k) {
        calls.then([&] { return hpart_pipeline_update(pipeline, array, &values[k * n], 1, n * 8, n * 8); });
        calls.then([&] { return hpart_pipeline_end_step(pipeline); });
    }
    calls.then([&] { return hpart_pipeline_run(pipeline, double_block, nullptr, nullptr, report.out()); });
    return with_reason(calls.status());
}

hpart_status open_calls(const std::function<void()> &start)
{
    Device device;
    start();
    return Calls()
        .then([&] { return hpart_device_open("host", nullptr, device.out()); })
        .then([&] {
            void *memory = hpart_alloc_pinned(device, 1000);
            hpart_free_pinned(device, memory);
            return memory != nullptr ? HPART_SUCCESS : HPART_ERR_OUT_OF_MEMORY;
        })
        .status();
}

// HPART_ERR_OUT_OF_MEMORY promises that the data is as it was; HPART_ERR_DEVICE says that it may not be.
hpart_status operate(Operation operation, std::int64_t memory_limit, const std::function<void()> &start)
{
    Device device;
    Report report;
    Numbers numbers;
    const Numbers before;
    const auto prepared = open_device("host", memory_limit, device);
    if (prepared != HPART_SUCCESS) return prepared;
    start();
    const auto status = operation(device, numbers, report.out());
    const bool same = numbers.a == before.a && numbers.b == before.b && numbers.c == before.c;
    return status == HPART_ERR_OUT_OF_MEMORY && !same ? HPART_ERR_INTERNAL : with_reason(status);
}

// Several devices that share an operation; what is made at the first one, by the drivers too, is there.
hpart_status share(Operation operation, const std::function<void()> &start)
{
    Device devices;
    Report first, second;
    Numbers numbers;
    const auto prepared = Calls()
                              .then([&] { return open_device("opencl:0:0,host", shared_memory, devices); })
                              .then([&] { return operation(devices, numbers, first.out()); })
                              .status();
    if (prepared != HPART_SUCCESS) return prepared;
    start();
    return with_reason(operation(devices, numbers, second.out()));
}

constexpr std::array<std::int64_t, 2> plane{n, n / 2};

struct Named {
    const char *name;
    Operation operation;
};

constexpr std::array device_operations{
    Named{"dgemm",
          [](hpart_device *device, Numbers &m, hpart_report **report) {
              return hpart_dgemm(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_TRANSPOSE, n, n, n, 1, m.a.data(),
                                 n, m.b.data(), n, 0.5, m.c.data(), n, nullptr, report);
          }},
    Named{"dgemv",
          [](hpart_device *device, Numbers &m, hpart_report **report) {
              return hpart_dgemv(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, n, n, 1, m.a.data(), n, m.b.data(), 1, 0,
                                 m.c.data(), 1, nullptr, report);
          }},
    Named{"dgetrf",
          [](hpart_device *device, Numbers &m, hpart_report **report) {
              std::array<std::int64_t, n> pivots{};
              return hpart_dgetrf(device, HPART_COLUMN_MAJOR, n, n, m.a.data(), n, pivots.data(), nullptr, report);
          }},
    Named{"dpotrf",
          [](hpart_device *device, Numbers &m, hpart_report **report) {
              return hpart_dpotrf(device, HPART_ROW_MAJOR, HPART_LOWER, n, m.a.data(), n, nullptr, report);
          }},
    Named{"dgeqrf",
          [](hpart_device *device, Numbers &m, hpart_report **report) {
              return hpart_dgeqrf(device, HPART_COLUMN_MAJOR, n, n, m.a.data(), n, m.c.data(), nullptr, report);
          }},
    Named{"dgesv",
          [](hpart_device *device, Numbers &m, hpart_report **report) {
              std::array<std::int64_t, n> pivots{};
              return hpart_dgesv(device, HPART_COLUMN_MAJOR, n, 3, m.a.data(), n, pivots.data(), m.b.data(), n, nullptr,
                                 report);
          }},
    Named{"dposv",
          [](hpart_device *device, Numbers &m, hpart_report **report) {
              return hpart_dposv(device, HPART_ROW_MAJOR, HPART_UPPER, n, 3, m.a.data(), n, m.b.data(), n, nullptr,
                                 report);
          }},
    Named{"dgels",
          [](hpart_device *device, Numbers &m, hpart_report **report) {
              return hpart_dgels(device, HPART_COLUMN_MAJOR, HPART_NO_TRANSPOSE, n, n / 2, 3, m.a.data(), n, m.b.data(),
                                 n, nullptr, report);
          }},
    Named{"dgels of a transposed row-major matrix",
          [](hpart_device *device, Numbers &m, hpart_report **report) {
              return hpart_dgels(device, HPART_ROW_MAJOR, HPART_TRANSPOSE, n, n / 2, 3, m.a.data(), n, m.b.data(), n,
                                 nullptr, report);
          }},
    Named{"zfft",
          [](hpart_device *device, Numbers &m, hpart_report **report) {
              return hpart_zfft(device, 2, plane.data(), 1, -1, m.a.data(), m.a.data(), nullptr, report);
          }},
    Named{"zfft of a line",
          [](hpart_device *device, Numbers &m, hpart_report **report) {
              const std::int64_t line = n * n / 2;
              return hpart_zfft(device, 1, &line, 1, -1, m.a.data(), m.c.data(), nullptr, report);
          }},
    Named{"dfft_r2c",
          [](hpart_device *device, Numbers &m, hpart_report **report) {
              return hpart_dfft_r2c(device, 2, plane.data(), 1, m.a.data(), m.c.data(), nullptr, report);
          }},
    Named{"dfft_c2r",
          [](hpart_device *device, Numbers &m, hpart_report **report) {
              return hpart_dfft_c2r(device, 2, plane.data(), 1, m.a.data(), m.c.data(), nullptr, report);
          }},
};

} // namespace

void measure_devices()
{
    for (const char *spec : {"host", "opencl:0:0"}) {
        Options options;
        Device device;
        Numbers numbers;
        Calls()
            .then([&] { return open_device(spec, std::int64_t{1} << 28, device); })
            .then([&] { return hpart_options_create(options.out()); })
            .then([&] { return hpart_options_set_string(options, "zero_copy", "never"); })
            .then([&] {
                return hpart_dgemm(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, n, n, n, 1,
                                   numbers.a.data(), n, numbers.b.data(), n, 0, numbers.c.data(), n, options, nullptr);
            });
    }
}

std::vector<Scenario> machine_scenarios()
{
    std::vector<Scenario> all{
        {"team", team_calls},         {"optimize", optimize_calls},
        {"program", program_calls},   {"built-in kernel", builtin_calls},
        {"meter", own_meter_calls},   {"recording", recording_calls},
        {"pipeline", pipeline_calls}, {"device", open_calls},
    };
    for (const auto &each : device_operations) {
        const std::string name = each.name;
        const auto operation = each.operation;
        all.push_back({name, [=](const auto &start) { return operate(operation, 0, start); }});
        all.push_back(
            {name + " out of card", [=](const auto &start) { return operate(operation, small_memory, start); }});
        if (name == "dgemm" || name == "zfft" || name == "zfft of a line")
            all.push_back({name + " on two devices", [=](const auto &start) { return share(operation, start); }, true});
    }
    return all;
}
