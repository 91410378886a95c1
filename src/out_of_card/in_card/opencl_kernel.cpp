#include "out_of_card/in_card/opencl_kernel.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"

#include <algorithm>
#include <utility>

namespace hpart
{

namespace
{

std::string compiler_log(cl_program program, cl_device_id device)
{
    std::size_t size = 0;
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS || size == 0)
        return "its compiler does not say why";
    std::string log(size, '\0');
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    log.resize(log.find('\0'));
    std::string words; // a message has one line
    for (std::string_view rest = log; !rest.empty();) {
        const auto end = std::min(rest.find('\n'), rest.size());
        if (const auto line = trim(rest.substr(0, end)); !line.empty()) words += text(words.empty() ? "" : "; ", line);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return words;
}

[[noreturn]] void fail_refused(std::string_view what, const std::string &words)
{
    fail(Status::device, "the device's compiler refuses ", what, ": ", words);
}

} // namespace

OpenClRange tall_range(std::int64_t columns, std::int64_t rows, const std::array<std::size_t, 2> &group_items)
{
    constexpr std::int64_t most = 65535;
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    return {{size(columns), size(std::min(rows, most)), size(ceil_div(rows, most))}, group_items};
}

OpenClDefinitions &OpenClDefinitions::set(std::string_view name, std::int64_t value)
{
    text_ += hpart::text(text_.empty() ? "" : " ", "-D", name, "=", value);
    return *this;
}

void build_program(const OpenClNative &native, cl_program program, const std::string &options, std::string_view what)
{
    const auto status = clBuildProgram(program, 1, &native.device, options.c_str(), nullptr, nullptr);
    if (status == CL_BUILD_PROGRAM_FAILURE) fail_refused(what, compiler_log(program, native.device));
    check_cl(status, "clBuildProgram");
}

cl_program program_of_source(const OpenClNative &native, const std::string &source, const std::string &options,
                             std::string_view what)
{
    auto &programs = *native.programs;
    const std::lock_guard lock(programs.mutex);
    auto &kept = programs.compiled[{source, options}];
    if (kept.refusal) fail_refused(what, *kept.refusal);
    if (kept.program.get() != nullptr) return kept.program.get();
    const char *text = source.c_str();
    cl_int status = CL_SUCCESS;
    ClProgram program(clCreateProgramWithSource(native.context, 1, &text, nullptr, &status));
    check_cl(status, "clCreateProgramWithSource");
    status = clBuildProgram(program.get(), 1, &native.device, options.c_str(), nullptr, nullptr);
    if (status == CL_BUILD_PROGRAM_FAILURE)
        fail_refused(what, kept.refusal.emplace(compiler_log(program.get(), native.device)));
    check_cl(status, "clBuildProgram");
    kept.program = std::move(program);
    return kept.program.get();
}

cl_program opencl_program(const OpenClNative &native, const char *source, const OpenClDefinitions &definitions)
{
    // NVIDIA's compiler tells the number of its warnings on the standard error of the process.
    return program_of_source(native, source, definitions.text() + " -w",
                             "the library's program with " + definitions.text());
}

OpenClKernel::OpenClKernel(const OpenClNative &native, const char *source, const OpenClDefinitions &definitions,
                           const char *kernel)
{
    cl_int status = CL_SUCCESS;
    kernel_ = ClKernel(clCreateKernel(opencl_program(native, source, definitions), kernel, &status));
    check_cl(status, "clCreateKernel");
}

void OpenClKernel::set_argument(cl_uint index, std::size_t size, const void *value)
{
    check_cl(clSetKernelArg(kernel_.get(), index, size, value), "clSetKernelArg");
}

void OpenClKernel::enqueue(LaunchContext &context, const OpenClRange &range)
{
    const auto &[groups, items] = range;
    const std::array<std::size_t, 3> all = {groups[0] * items[0], groups[1] * items[1], groups[2]},
                                     each = {items[0], items[1], 1};
    cl_event event = nullptr;
    check_cl(clEnqueueNDRangeKernel(opencl_queue(context), kernel_.get(), 3, nullptr, all.data(), each.data(), 0,
                                    nullptr, &event),
             "clEnqueueNDRangeKernel");
    const ClEvent before(static_cast<cl_event>(std::exchange(context.last_event, event)));
    if (context.first_event != nullptr) return;
    clRetainEvent(event);
    context.first_event = event;
}

} // namespace hpart
