// Callbacks of a C++ program that throw: the call fails with HPART_ERR_CALLBACK, and the message has what() in it.
#include "devices.h"

#include <array>
#include <cstdint>
#include <stdexcept>

namespace
{

int kernel(std::int64_t, void *) { throw std::runtime_error("kernel's\nown words"); }
int strange_kernel(std::int64_t, void *) { throw 3; }
int progress(double, const char *, void *) { throw std::runtime_error("progress's own words"); }
int complexity(std::int64_t, double *, void *) { throw std::runtime_error("complexity's own words"); }
int read_meter(void *, double *, double *) { throw std::runtime_error("meter's own words"); }
int step_kernel(const hpart_step *, void *) { throw std::runtime_error("step's own words"); }
int step_that_fails(const hpart_step *, void *) { return 9; }
int go_on(std::int64_t, void *) { return 0; }

void test_team()
{
    const std::array<std::int64_t, 1> x{1};
    double seconds = 0;
    const auto measure = [&](hpart_kernel function, hpart_options *options) {
        hpart_team *team = new_team();
        CHECK_OK(hpart_team_add(team, "one", function, nullptr, nullptr, nullptr));
        const auto status = hpart_team_measure(team, x.data(), options, &seconds, nullptr, nullptr);
        hpart_team_destroy(team);
        return status;
    };
    CHECK_FAILS(measure(kernel, nullptr), HPART_ERR_CALLBACK, "the kernel threw an exception: 'kernel's?own words'");
    CHECK_FAILS(measure(strange_kernel, nullptr), HPART_ERR_CALLBACK, "the kernel threw an exception of unknown type");
    hpart_options *options = new_options();
    CHECK_OK(hpart_options_set_progress(options, progress, nullptr, nullptr));
    CHECK_FAILS(measure(go_on, options), HPART_ERR_CALLBACK, "progress's own words");
    hpart_options_destroy(options);
}

void test_platform_and_meter()
{
    const std::array<std::int64_t, 1> sizes{1};
    const std::array<double, 1> speeds{1};
    hpart_platform *platform = new_platform(1);
    CHECK_FAILS(hpart_platform_set_speed_function(platform, 0, 1, sizes.data(), speeds.data(), complexity, nullptr),
                HPART_ERR_CALLBACK, "complexity's own words");
    hpart_platform_destroy(platform);
    hpart_meter *meter = nullptr;
    CHECK_OK(hpart_meter_create("volts", read_meter, HPART_WATTS, 1, 0, nullptr, nullptr, &meter));
    CHECK_FAILS(hpart_meter_start(meter), HPART_ERR_CALLBACK,
                "meter volts: its function threw an exception: 'meter's own words'");
    hpart_meter_close(meter);
}

// On the host the kernel runs on a thread of the library's.
void test_pipeline(const char *spec)
{
    std::array<double, 4> values{};
    hpart_device *device = open_or_skip(spec, -1);
    hpart_pipeline *pipeline = nullptr;
    std::int64_t array = 0;
    if (device == nullptr) return;
    CHECK_OK(hpart_pipeline_create(device, &pipeline));
    CHECK_OK(hpart_pipeline_add_array(pipeline, sizeof values, 0, &array));
    CHECK_OK(hpart_pipeline_update(pipeline, array, values.data(), 1, sizeof values, sizeof values));
    CHECK_OK(hpart_pipeline_end_step(pipeline));
    CHECK_FAILS(hpart_pipeline_run(pipeline, step_kernel, nullptr, nullptr, nullptr), HPART_ERR_CALLBACK,
                "step's own words");
    CHECK_FAILS(hpart_pipeline_run(pipeline, step_that_fails, nullptr, nullptr, nullptr), HPART_ERR_CALLBACK,
                "returned 9");
    hpart_pipeline_destroy(pipeline);
    hpart_device_close(device);
}

} // namespace

int main()
{
    test_team();
    test_platform_and_meter();
    for (const char *spec : {"host", "opencl:0:0"}) test_pipeline(spec);
    return check_result();
}
