#include "c_api/callback.hpp"
#include "c_api/open_device.hpp"
#include "out_of_card/pipeline/run_steps.hpp"

using namespace hpart;
using namespace hpart::c_api;

struct hpart_pipeline {
    hpart_device *device = nullptr;
    StepList steps;
};

struct hpart_step {
    const StepView &view;
};

namespace
{

hpart_status use(hpart_pipeline *pipeline, std::int64_t array, Access access, const void *memory, std::int64_t rows,
                 std::int64_t row_bytes, std::int64_t pitch_bytes)
{
    return guarded([&] {
        require(pipeline, "pipeline");
        require(memory, "memory");
        pipeline->steps.use(array, access, {reinterpret_cast<std::uintptr_t>(memory), rows, row_bytes, pitch_bytes});
    });
}

DeviceSession &only_device(hpart_device &device)
{
    const auto count = device.devices.sessions.size();
    if (count != 1) fail_argument("device is a list of ", count, "; a pipeline runs on one: open that one alone");
    return *device.devices.sessions.front();
}

} // namespace

extern "C" {

hpart_status hpart_pipeline_create(hpart_device *device, hpart_pipeline **pipeline)
{
    return guarded([&] {
        require(device, "device");
        require(pipeline, "pipeline");
        only_device(*device);
        *pipeline = new hpart_pipeline{device, {}};
    });
}

void hpart_pipeline_destroy(hpart_pipeline *pipeline) { delete pipeline; }

hpart_status hpart_pipeline_add_array(hpart_pipeline *pipeline, int64_t block_bytes, int64_t slots, int64_t *array)
{
    return guarded([&] {
        require(pipeline, "pipeline");
        require(array, "array");
        *array = pipeline->steps.add_array(slots, block_bytes);
    });
}

hpart_status hpart_pipeline_read(hpart_pipeline *pipeline, int64_t array, const void *memory, int64_t rows,
                                 int64_t row_bytes, int64_t pitch_bytes)
{
    return use(pipeline, array, Access::in, memory, rows, row_bytes, pitch_bytes);
}

hpart_status hpart_pipeline_write(hpart_pipeline *pipeline, int64_t array, void *memory, int64_t rows,
                                  int64_t row_bytes, int64_t pitch_bytes)
{
    return use(pipeline, array, Access::out, memory, rows, row_bytes, pitch_bytes);
}

hpart_status hpart_pipeline_update(hpart_pipeline *pipeline, int64_t array, void *memory, int64_t rows,
                                   int64_t row_bytes, int64_t pitch_bytes)
{
    return use(pipeline, array, Access::inout, memory, rows, row_bytes, pitch_bytes);
}

hpart_status hpart_pipeline_end_step(hpart_pipeline *pipeline)
{
    return guarded([&] {
        require(pipeline, "pipeline");
        pipeline->steps.end_step();
    });
}

hpart_status hpart_pipeline_run(hpart_pipeline *pipeline, hpart_pipeline_kernel kernel, void *user,
                                const hpart_options *options, hpart_report **report)
{
    if (pipeline == nullptr) return guarded([&] { require(pipeline, "pipeline"); });
    return operate(pipeline->device, options, call_pipeline, report,
                   [&](DeviceGroup &, const Options &settings, Report &about) {
                       require(reinterpret_cast<const void *>(kernel), "kernel");
                       if (pipeline->steps.has_open_step())
                           fail_argument("the last step has no end; call hpart_pipeline_end_step");
                       auto control = Control::from(settings);
                       const auto flow = FlowOptions::from(settings);
                       const StepKernel call_kernel = [&, call = Callback()](const StepView &view) {
                           const hpart_step step{view};
                           return call("the kernel", [&] { return kernel(&step, user); });
                       };
                       run_steps(only_device(*pipeline->device), pipeline->steps, call_kernel, flow, control, about);
                   });
}

int64_t hpart_step_index(const hpart_step *step) { return step == nullptr ? -1 : step->view.index; }

void *hpart_step_queue(const hpart_step *step) { return step == nullptr ? nullptr : step->view.queue; }

void *hpart_step_memory(const hpart_step *step, int64_t k)
{
    if (step == nullptr || k < 0 || k >= static_cast<std::int64_t>(step->view.memory.size())) return nullptr;
    return step->view.memory[static_cast<std::size_t>(k)];
}

} // extern "C"
