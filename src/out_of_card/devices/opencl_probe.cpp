#include "out_of_card/devices/opencl_probe.hpp"

#include "core/error.hpp"
#include "out_of_card/devices/opencl_query.hpp"

#include <map>
#include <mutex>
#include <optional>

namespace hpart
{

namespace
{

// The usual limit of drivers that have one is 65,535.
constexpr cl_uint turns_of_probe = 100'000;

// No compiler knows the last number without these turns, and each turn has another number.
constexpr const char *probe_source = R"(
__kernel void loop_turns(__global uint *result, uint turns)
{
    uint x = 1;
#pragma unroll 1
    for (uint turn = 0; turn < turns; ++turn) x = x * 1664525u + 1013904223u;
    *result = x;
}
)";

constexpr cl_uint next_number(cl_uint x) { return x * 1664525U + 1013904223U; }

ClKernel make_probe(const OpenClState &state)
{
    if (cl_value<cl_bool>(state.device, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE) return {};
    const char *source = probe_source;
    cl_int status = CL_SUCCESS;
    const ClProgram program(clCreateProgramWithSource(state.context.get(), 1, &source, nullptr, &status));
    check_cl(status, "clCreateProgramWithSource");
    // A compiler that refuses this one refuses the library's programs, with its words.
    if (clBuildProgram(program.get(), 1, &state.device, "-w", nullptr, nullptr) != CL_SUCCESS) return {};
    ClKernel kernel(clCreateKernel(program.get(), "loop_turns", &status));
    check_cl(status, "clCreateKernel");
    return kernel;
}

cl_uint run_probe(const OpenClState &state, cl_kernel kernel)
{
    cl_int status = CL_SUCCESS;
    const ClBuffer result(clCreateBuffer(state.context.get(), CL_MEM_READ_WRITE, sizeof(cl_uint), nullptr, &status));
    check_allocation(status, "clCreateBuffer");
    auto *const buffer = result.get();
    check_cl(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer),
             "clSetKernelArg"); // NOLINT(bugprone-sizeof-expression)
    check_cl(clSetKernelArg(kernel, 1, sizeof turns_of_probe, &turns_of_probe), "clSetKernelArg");
    const std::size_t one = 1;
    auto *const queue = state.service.get();
    check_cl(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr),
             "clEnqueueNDRangeKernel");
    cl_uint number = 0;
    check_cl(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof number, &number, 0, nullptr, nullptr),
             "clEnqueueReadBuffer");
    return number;
}

// Empty if the loop is whole.
std::string fault_of_loops(const OpenClState &state)
{
    const auto kernel = make_probe(state);
    if (kernel.get() == nullptr) return {};
    const auto got = run_probe(state, kernel.get());
    std::optional<cl_uint> turns;
    cl_uint x = 1;
    for (cl_uint turn = 0; turn < turns_of_probe; ++turn, x = next_number(x))
        if (x == got) turns = turn;
    if (got == x) return {};
    return turns ? text("ends a kernel's loops after ", *turns, " turns")
                 : text("computes another result in a loop of ", turns_of_probe, " turns");
}

// By driver and device: a device's units share its driver's faults.
struct CheckedDrivers {
    std::mutex mutex;
    std::map<std::string, std::string> faults;
};

} // namespace

void refuse_short_loops(const OpenClState &state, const DeviceInfo &info)
{
    static CheckedDrivers checked;
    const std::lock_guard lock(checked.mutex);
    const auto key = text(info.driver, ", ", info.name);
    auto found = checked.faults.find(key);
    if (found == checked.faults.end()) found = checked.faults.emplace(key, fault_of_loops(state)).first;
    if (!found->second.empty())
        fail(Status::device, info.spec, " cannot be used: its driver (", key, ") ", found->second,
             ", so that results would be wrong; take another device");
}

} // namespace hpart
