// Makes PoCL's device look and fail like a GPU. The calls of OpenCL are intercepted: either the program is linked with
// opencl_shim.cpp, and sets it up with set(), or LD_PRELOAD names the library, and the environment variable OPENCL_SHIM
// holds settings, as "gpu,barriers=zero,memory=1073741824".
#pragma once

#include <cstdint>
#include <string>

namespace opencl_shim
{

enum class BarrierTimes : std::uint8_t { known, zero, refused };
// The driver's words on commands whose wait list failed: both calls report it; as on Intel's, their status is "complete" and only
// clWaitForEvents reports it; nothing reports it.
enum class Dependents : std::uint8_t { failed, complete, silent };

enum class Division : std::uint8_t { by_counts, equally, none };

struct Settings {
    // "gpu": a GPU with memory of its own. It has neither native kernels nor sub-devices. Its largest allocation is a
    // quarter of its memory, and its grids have at most 65535 groups in the second and third dimension.
    bool is_gpu = false;
    // "indivisible": no sub-devices; "indivisible=counts": none of given sizes. Asked for them, it ends the process.
    Division division = Division::by_counts;
    BarrierTimes barriers = BarrierTimes::known; // "barriers=zero" or "refused": profiling of barriers and markers
    Dependents dependents = Dependents::failed;  // "dependents=complete" or "silent"
    bool late_writes = false;  // "late_writes": blocking writes of a few bytes return before they are done
    bool no_double = false;    // "no_double": no double precision
    bool idle_kernels = false; // "idle_kernels": kernels do nothing, but their commands end well
    // "loop_turns=N": of the kernel that counts them when a device is opened, after which it ends well; 0: all
    std::uint32_t loop_turns = 0;
    bool constant_times =
        false; // "constant_times": each command was queued at 0 ns, submitted at 1, begun at 2, over at 3
    std::string empty_platform{};  // "empty_platform=NAME": platforms have this name and no device; "": as they are
    std::int64_t memory_bytes = 0; // "memory=N": of the device; 0: as the driver has it
    // The real memory. Buffers beyond it are made, but commands fail while they exist; 0: all.
    std::int64_t usable_bytes = 0;
    int failure = -5; // the code of those commands
};

void set(const Settings &settings);

struct Seen {
    std::int64_t buffers = 0;           // made so far
    std::int64_t builds = 0;            // of programs
    std::int64_t most_device_bytes = 0; // of buffers at one time
};
// Since the last set().
Seen seen();

} // namespace opencl_shim
