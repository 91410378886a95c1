// The kernel's files of this machine: numbers, control groups, the processor's name and its time.
#pragma once

#include "core/error.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace hpart
{

// Folder with the proc and sys of the machine: HPART_MACHINE_ROOT, as of a captured machine, or "". Status::io if it is no folder.
std::string machine_root();
std::string proc_root();
std::string sysfs_root();

struct SysfsText {
    Status status = Status::success; // permission; unsupported: not there; io: anything else
    std::string text;                // its first line, trimmed; the system's reason when the status is not success
    bool is_busy = false;            // reading it again may help
};
SysfsText read_sysfs(const std::string &path);

// An Error of a device that was busy: reading it again may help.
class BusyError final : public Error
{
  public:
    using Error::Error;
};

// Sum of the numbers behind these words, each of which begins a line: "pswpin 12", "MemAvailable: 12 kB". None: the file has none.
std::optional<std::int64_t> sum_in_file(const std::string &path, std::initializer_list<std::string_view> words);

// Pages that were swapped in and out.
double swapped_pages(const std::string &proc_root);

// The file's number. Throws Error: permission with `remedy`, else `otherwise`; BusyError.
std::int64_t read_sysfs_number(const std::string &path, std::string_view remedy, Status otherwise);

// The control groups of this process, as containers and batch systems set them; both versions.

// The folders of its group with this controller, "cpu" or "memory", and of the groups that it lies in, innermost first.
std::vector<std::string> control_groups(std::string_view controller, const std::string &proc_root);

// Bytes until the tightest memory limit of these groups: the limit less the memory in use without the page cache. The largest
// number if no group has a limit.
std::int64_t group_memory_left(const std::string &proc_root = hpart::proc_root());

// The name of this machine's processor.

// As proc/cpuinfo has it; "" where it has none.
std::string processor_model();

// Stands in the description of OpenBLAS where its kernels are of an older processor.
constexpr std::string_view older_kernels = "it does not know this processor";

// A device as hpart_device_describe has it: "opencl:0:0 NAME, 2 compute units, 1073741824 bytes, CPU, double precision, OpenCL 3.0";
// "CPU, indivisible" of processors without units, ", bus 0000:3b:00.0" of a GPU.
struct DeviceDescription {
    std::string spec; // "opencl:0:0", "cuda:0", "host"
    std::string name;
    std::string type;        // "CPU", "GPU", "accelerator" or "host"
    std::string driver = {}; // "OpenCL 3.0 ..."; "" of the host
    std::string bus = {};    // of a GPU, "0000:3b:00.0"; "" where it is not known
    std::int64_t compute_units = 0;
    std::int64_t memory_bytes = 0;
    bool double_precision = true;
    bool is_divisible = true; // into its compute units: "opencl:0:0:1" is one
};
std::string describe(const DeviceDescription &device);
// The reverse, of a description without the spec. Nothing where it has another form.
std::optional<DeviceDescription> parse_device(std::string_view description);
// PoCL is an OpenCL implementation for cores: its units are cores.
bool is_pocl(std::string_view driver);

// Processor time of cores and of this process, as /proc has it.

// Core seconds of these cores (all if empty), as /proc/stat's content has them.
struct CoreTimes {
    double busy = 0, stolen = 0, idle = 0;
    int cores = 0;
};
CoreTimes parse_core_times(std::string_view stat, const std::vector<int> &cores);
CoreTimes core_times(const std::string &proc_root, const std::vector<int> &cores);

// A process by its file stat: "17 (a name) S 1 ...". The name may have blanks and brackets.
struct ProcessTimes {
    std::string name;
    double seconds = 0, of_children = 0; // core seconds; of the children that it waited for
};
std::optional<ProcessTimes> parse_process_times(std::string_view stat);

// Core seconds of this process and of the processes that it started and those started, living or waited for; without the living threads
// that may not run on these cores, unless `cores` is empty.
double own_core_seconds(const std::string &proc_root, const std::vector<int> &cores);

// The cores "0-2,7" of a thread's status, in order; none where the status does not tell.
std::vector<int> allowed_cores(std::string_view status);

// Seconds for which a thread ran, and for which it was ready to run but had no core. "2933568 1200 1": nanoseconds, and how often.
struct ThreadSchedule {
    double ran = 0, waited = 0;
};
ThreadSchedule parse_schedule(std::string_view schedstat);

// Measures the time for which the threads of a process, and of the processes that it started, wait for a core. A thread that ended
// before the last look is known until the look before.
class FamilyWaits
{
  public:
    explicit FamilyWaits(pid_t process, std::string proc_root = "/proc");
    // Forgets the waits until now.
    void begin();
    // Also after the process has ended, until it is freed.
    void look();
    // The wait of the thread that waited longest since begin().
    double seconds() const { return seconds_; }

  private:
    template <typename Take> void for_each_thread(pid_t process, const Take &take) const;

    pid_t process_;
    std::string proc_root_;
    std::map<pid_t, double> before_; // of the threads that lived at begin()
    double seconds_ = 0;
};

} // namespace hpart
