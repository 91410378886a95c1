// The part of CUDA's driver interface that the library uses, by the names of the driver's binary interface (the same in
// versions 11 to 13), found when the program runs: nothing of CUDA is needed to build.
#pragma once

#include "core/file.hpp"
#include "core/progress.hpp"
#include "out_of_card/devices/device.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace hpart
{

using CudaDeviceNumber = int;
using CudaAddress = unsigned long long;
using CudaContextHandle = struct CUctx_st *;
using CudaStream = struct CUstream_st *;
using CudaEventHandle = struct CUevent_st *;
using CudaModuleHandle = struct CUmod_st *;
using CudaFunction = struct CUfunc_st *;

enum class CudaResult : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    stub_library = 34,
    no_device = 100,
    not_ready = 600,
    host_memory_already_registered = 712,
};

enum class CudaAttribute : int {
    multiprocessor_count = 16,
    integrated = 18,
    pageable_memory_access = 88,
};

enum class CudaMemoryType : int { host = 1, device = 2 };

// The driver's CUDA_MEMCPY2D.
struct CudaRectangleCopy {
    std::size_t source_x_bytes, source_y;
    CudaMemoryType source_type;
    const void *source_host;
    CudaAddress source_device;
    void *source_array;
    std::size_t source_pitch;

    std::size_t target_x_bytes, target_y;
    CudaMemoryType target_type;
    void *target_host;
    CudaAddress target_device;
    void *target_array;
    std::size_t target_pitch;

    std::size_t width_bytes, height;
};

constexpr unsigned cuda_stream_non_blocking = 1;
constexpr unsigned cuda_event_blocking_sync = 1;
constexpr unsigned cuda_host_alloc_portable = 1;
constexpr unsigned cuda_host_register_portable = 1;
constexpr unsigned cuda_host_register_read_only = 8;

//      member, symbol, parameters
#define HPART_CUDA_DRIVER_FUNCTIONS(X)                                                                                 \
    X(init, cuInit, unsigned flags)                                                                                    \
    X(driver_version, cuDriverGetVersion, int *version)                                                                \
    X(get_error_name, cuGetErrorName, CudaResult error, const char **name)                                             \
    X(device_count, cuDeviceGetCount, int *count)                                                                      \
    X(device_get, cuDeviceGet, CudaDeviceNumber *device, int ordinal)                                                  \
    X(device_name, cuDeviceGetName, char *name, int length, CudaDeviceNumber device)                                   \
    X(device_bus, cuDeviceGetPCIBusId, char *bus, int length, CudaDeviceNumber device)                                 \
    X(device_attribute, cuDeviceGetAttribute, int *value, CudaAttribute attribute, CudaDeviceNumber device)            \
    X(device_memory, cuDeviceTotalMem_v2, std::size_t *bytes, CudaDeviceNumber device)                                 \
    X(primary_context_retain, cuDevicePrimaryCtxRetain, CudaContextHandle *context, CudaDeviceNumber device)           \
    X(primary_context_release, cuDevicePrimaryCtxRelease_v2, CudaDeviceNumber device)                                  \
    X(push_current, cuCtxPushCurrent_v2, CudaContextHandle context)                                                    \
    X(pop_current, cuCtxPopCurrent_v2, CudaContextHandle *context)                                                     \
    X(memory_info, cuMemGetInfo_v2, std::size_t *free, std::size_t *total)                                             \
    X(memory_alloc, cuMemAlloc_v2, CudaAddress *address, std::size_t bytes)                                            \
    X(memory_free, cuMemFree_v2, CudaAddress address)                                                                  \
    X(host_alloc, cuMemHostAlloc, void **memory, std::size_t bytes, unsigned flags)                                    \
    X(host_free, cuMemFreeHost, void *memory)                                                                          \
    X(host_register, cuMemHostRegister_v2, void *memory, std::size_t bytes, unsigned flags)                            \
    X(host_unregister, cuMemHostUnregister, void *memory)                                                              \
    X(copy_in, cuMemcpyHtoDAsync_v2, CudaAddress to, const void *from, std::size_t bytes, CudaStream stream)           \
    X(copy_out, cuMemcpyDtoHAsync_v2, void *to, CudaAddress from, std::size_t bytes, CudaStream stream)                \
    X(copy_on_device, cuMemcpyDtoDAsync_v2, CudaAddress to, CudaAddress from, std::size_t bytes, CudaStream stream)    \
    X(copy_rectangle, cuMemcpy2DAsync_v2, const CudaRectangleCopy *copy, CudaStream stream)                            \
    X(stream_create, cuStreamCreate, CudaStream *stream, unsigned flags)                                               \
    X(stream_create_with_priority, cuStreamCreateWithPriority, CudaStream *stream, unsigned flags, int priority)       \
    X(stream_destroy, cuStreamDestroy_v2, CudaStream stream)                                                           \
    X(stream_wait_event, cuStreamWaitEvent, CudaStream stream, CudaEventHandle event, unsigned flags)                  \
    X(stream_synchronize, cuStreamSynchronize, CudaStream stream)                                                      \
    X(event_create, cuEventCreate, CudaEventHandle *event, unsigned flags)                                             \
    X(event_destroy, cuEventDestroy_v2, CudaEventHandle event)                                                         \
    X(event_record, cuEventRecord, CudaEventHandle event, CudaStream stream)                                           \
    X(event_query, cuEventQuery, CudaEventHandle event)                                                                \
    X(event_synchronize, cuEventSynchronize, CudaEventHandle event)                                                    \
    X(event_elapsed, cuEventElapsedTime, float *milliseconds, CudaEventHandle start, CudaEventHandle end)              \
    X(module_load, cuModuleLoadData, CudaModuleHandle *module, const void *text)                                       \
    X(module_unload, cuModuleUnload, CudaModuleHandle module)                                                          \
    X(module_function, cuModuleGetFunction, CudaFunction *function, CudaModuleHandle module, const char *name)         \
    X(launch_kernel, cuLaunchKernel, CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,         \
      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CudaStream stream,                  \
      void **parameters, void **extra)

// Places to search; empty: the usual names, first in the folders of the environment variable HPART_CUDA_PATH.
struct CudaLibraries {
    std::string driver{}, cublas{}, cufft{}, cusolver{};
};

// A library of CUDA's toolkit. The name of its file ends in its major version.
struct CudaLibraryKind {
    const char *what;         // for messages
    const char *file;         // "libcublas"
    const char *get_property; // the function that returns its version
    int first_major;          // in CUDA 11; one more in each CUDA that follows
};

// The file names to look for. The names of the newest CUDA that this driver runs come first.
std::vector<std::string> cuda_library_names(const std::string &given, const CudaLibraryKind &kind, int driver_version);

class CudaDriver
{
  public:
    // Status::unsupported where there is no driver, Status::device where it finds no device or does not start.
    explicit CudaDriver(const CudaLibraries &libraries = {});

#define HPART_CUDA_MEMBER(member, symbol, ...) CudaResult (*member)(__VA_ARGS__) = nullptr;
    HPART_CUDA_DRIVER_FUNCTIONS(HPART_CUDA_MEMBER)
#undef HPART_CUDA_MEMBER

    // "CUDA_ERROR_NOT_FOUND (500)", and what to do about an error that lasts.
    std::string error_name(CudaResult result) const;
    // Throws unless it is success: Status::out_of_memory where the code says so, else Status::device with call and code.
    void check(CudaResult result, const char *call) const;

    const CudaLibraries &libraries() const { return libraries_; }
    // The driver's place.
    const std::string &name() const { return name_; }
    // 12040 for 12.4: the newest version of CUDA that this driver runs.
    int version() const { return version_; }
    // Status::unsupported where it is not installed, or for a newer CUDA only than this driver runs.
    DynamicLibrary load(const CudaLibraryKind &kind, const std::string &given) const;

  private:
    CudaLibraries libraries_;
    std::string name_;
    int version_ = 0;
};

// A CUDA device's primary context, held for as long as something of it is alive, and made current around calls: any thread
// may make one.

class CudaContext
{
  public:
    // Status::device when there is no device of this number, or it cannot be used.
    CudaContext(const CudaLibraries &libraries, std::int64_t number);
    CudaContext(const CudaContext &) = delete;
    CudaContext &operator=(const CudaContext &) = delete;
    ~CudaContext();

    const CudaDriver &driver() const { return driver_; }
    CudaDeviceNumber device() const { return device_; }
    CudaContextHandle handle() const { return handle_; }
    // Zero where the driver does not know it.
    int attribute(CudaAttribute attribute) const;
    // The device's free memory. The context must be current.
    std::int64_t free_bytes() const;
    void check(CudaResult result, const char *call) const { driver_.check(result, call); }

    // CUDA's errors of commands stick: the whole context is of no use after one, and no command can be told to have ended
    // well. The first is kept.
    void note_failure(CudaResult result);
    bool has_failed() const { return failed_; }
    std::string failure() const;
    // Status::device once it has failed.
    void check_usable() const;

    Census &census() { return census_; }

  private:
    CudaDriver driver_;
    CudaDeviceNumber device_ = 0;
    CudaContextHandle handle_ = nullptr;
    std::atomic<bool> failed_{false};
    mutable std::mutex mutex_;
    std::string failure_;
    Census census_;
};

// While one exists the context is this thread's current one.
class CudaCurrent
{
  public:
    explicit CudaCurrent(const CudaContext &context);
    // For what gives things back, which goes on whatever happens. It is false where the driver or the context is gone, and
    // all that belonged to it: then nothing is to be given back.
    CudaCurrent(const CudaContext &context, std::nothrow_t) noexcept;
    explicit operator bool() const { return pushed_; }
    CudaCurrent(const CudaCurrent &) = delete;
    CudaCurrent &operator=(const CudaCurrent &) = delete;
    ~CudaCurrent();

  private:
    const CudaContext &context_;
    bool pushed_;
};

// Rectangles from and to the device and on it. The context is current.
template <typename Address> struct CudaRows {
    Address first;
    std::int64_t pitch_bytes;
};

void copy_in(const CudaContext &context, CudaStream stream, const CudaRows<CudaAddress> &to,
             const CudaRows<const void *> &from, const Rectangle &rectangle);
void copy_out(const CudaContext &context, CudaStream stream, const CudaRows<void *> &to,
              const CudaRows<CudaAddress> &from, const Rectangle &rectangle);
void copy_on_device(const CudaContext &context, CudaStream stream, const CudaRows<CudaAddress> &to,
                    const CudaRows<CudaAddress> &from, const Rectangle &rectangle);

// Events of CUDA's streams as the ends of commands, with the times between which they ran.

// An event that times; goes back when destroyed. The context is current when one is made.
class CudaMark
{
  public:
    explicit CudaMark(std::shared_ptr<CudaContext> context);
    CudaMark(const CudaMark &) = delete;
    CudaMark &operator=(const CudaMark &) = delete;
    ~CudaMark();

    CudaEventHandle handle() const { return handle_; }
    void record(CudaStream stream);
    // Time between two marks that are over.
    double seconds_since(const CudaMark &earlier) const;

  private:
    std::shared_ptr<CudaContext> context_;
    CudaEventHandle handle_ = nullptr;
};

// Marks tell only how long one comes after another, as a float of milliseconds: marks that are far apart lose digits.
// So times are taken from a base that is not old, and the bases' times are added up.
class CudaClock
{
  public:
    struct Base {
        std::shared_ptr<const CudaMark> mark;
        double seconds = 0; // after the first base
    };
    // A float tells milliseconds up to the usual age of a base to half a microsecond.
    explicit CudaClock(std::shared_ptr<CudaContext> context, double longest_base_seconds = 8);
    CudaClock(const CudaClock &) = delete;
    CudaClock &operator=(const CudaClock &) = delete;
    ~CudaClock();

    // A base that is over. The context is current.
    Base base();

  private:
    std::shared_ptr<CudaMark> mark_now();

    std::shared_ptr<CudaContext> context_;
    CudaStream stream_ = nullptr; // that is always empty
    std::mutex mutex_;
    Base base_;
    Clock::time_point made_;
    const double longest_base_seconds_;
};

// Failed once the context has, unless it was seen to be done before.
class CudaEvent final : public DeviceEvent
{
  public:
    CudaEvent(std::shared_ptr<CudaContext> context, CudaClock::Base base);
    CudaEvent(const CudaEvent &) = delete;
    CudaEvent &operator=(const CudaEvent &) = delete;
    ~CudaEvent() override;

    CudaMark &start() { return start_; }
    CudaMark &end() { return end_; }
    bool is_known_done() const { return state_ == EventState::done; }

    EventState state() const override;
    EventState wait() const override;
    Interval interval() const override;
    std::string failure() const override { return context_->failure(); }

  private:
    EventState ask(CudaResult (*CudaDriver::*function)(CudaEventHandle)) const;

    std::shared_ptr<CudaContext> context_;
    CudaClock::Base base_;
    CudaMark start_, end_;
    mutable std::atomic<EventState> state_{EventState::pending};
};

// Kernels of our own on CUDA's devices, translated by the driver when they are first used.

// The text of the kernels in in_card/cuda_kernels.cu for the driver.
extern const char *const cuda_kernels_ptx;

class CudaModule
{
  public:
    CudaModule(std::shared_ptr<CudaContext> context, const char *text);
    CudaModule(const CudaModule &) = delete;
    CudaModule &operator=(const CudaModule &) = delete;
    ~CudaModule();

    CudaFunction function(const char *name) const;
    // Adds a launch to the stream; the parameters are read at once.
    void launch(CudaFunction function, std::int64_t blocks, int threads_per_block, CudaStream stream,
                void **parameters) const;

  private:
    std::shared_ptr<CudaContext> context_;
    CudaModuleHandle handle_ = nullptr;
};

} // namespace hpart
