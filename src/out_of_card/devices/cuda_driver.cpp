#include "out_of_card/devices/cuda_driver.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <utility>

#include <glob.h>

namespace hpart
{

namespace
{

constexpr int not_initialized = 3, deinitialized = 4;
// The major versions whose libraries are looked for by their file names.
constexpr int first_cuda = 11, last_cuda = 13;

std::string variable(const char *name)
{
    const auto *const value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

// HPART_CUDA_PATH is a list of folders, parted by colons.
std::vector<std::string> folders_of_user()
{
    std::vector<std::string> folders;
    std::istringstream list(variable("HPART_CUDA_PATH"));
    for (std::string folder; std::getline(list, folder, ':');)
        if (!folder.empty()) folders.push_back(text(folder, "/"));
    return folders;
}

// NVIDIA's packages for Python bring the libraries.
void add_python_folders(std::vector<std::string> &folders)
{
    std::vector<std::string> roots = {"/usr/lib", "/usr/local/lib"};
    for (const auto &[name, below] :
         {std::pair("VIRTUAL_ENV", "/lib"), {"CONDA_PREFIX", "/lib"}, {"HOME", "/.local/lib"}})
        if (const auto root = variable(name); !root.empty()) roots.push_back(root + below);
    for (const auto &root : roots)
        for (const auto *packages : {"dist-packages", "site-packages"}) {
            glob_t found{};
            if (glob(text(root, "/python3*/", packages, "/nvidia/*/lib/").c_str(), 0, nullptr, &found) == 0)
                folders.insert(folders.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
            globfree(&found);
        }
}

std::vector<std::string> driver_names(const std::string &given)
{
    if (!given.empty()) return {given};
    std::vector<std::string> names;
    for (const auto &folder : folders_of_user()) names.push_back(folder + "libcuda.so.1");
    // Containers have it in the second place, the Windows Subsystem for Linux in the third.
    for (const auto *place : {"", "/usr/local/nvidia/lib64/", "/usr/lib/wsl/lib/"})
        names.push_back(text(place, "libcuda.so.1"));
    return names;
}

// A kernel or the hardware failed: CUDA gives this code from then on, to every call of the process.
bool is_lasting(int code)
{
    constexpr std::array lasting = {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911};
    return std::find(lasting.begin(), lasting.end(), code) != lasting.end();
}

} // namespace

std::vector<std::string> cuda_library_names(const std::string &given, const CudaLibraryKind &kind, int driver_version)
{
    if (!given.empty()) return {given};
    std::vector<std::string> names, others;
    add_python_folders(others);
    const auto add = [&](const std::string &file, const std::string &toolkit) {
        for (const auto &folder : folders_of_user()) names.push_back(folder + file);
        for (const auto &folder : {std::string(), toolkit, std::string("/usr/local/nvidia/lib64/")})
            names.push_back(folder + file);
        for (const auto &folder : others) names.push_back(folder + file);
    };
    for (auto major = std::min(driver_version / 1000, last_cuda); major >= first_cuda; --major)
        add(text(kind.file, ".so.", kind.first_major + major - first_cuda), text("/usr/local/cuda-", major, "/lib64/"));
    add(text(kind.file, ".so"), "/usr/local/cuda/lib64/");
    return names;
}

CudaDriver::CudaDriver(const CudaLibraries &libraries) : libraries_(libraries)
{
    const DynamicLibrary library("the CUDA driver", driver_names(libraries.driver));
#define HPART_CUDA_BIND(member, symbol, ...) library.bind(member, #symbol);
    HPART_CUDA_DRIVER_FUNCTIONS(HPART_CUDA_BIND)
#undef HPART_CUDA_BIND
    // CUDA 13 renamed it; the old name stays for old programs.
    if (library.find("cuEventElapsedTime_v2") != nullptr) library.bind(event_elapsed, "cuEventElapsedTime_v2");

    name_ = library.name();
    const auto result = init(0);
    if (result == CudaResult::stub_library)
        fail(Status::unsupported, "the CUDA driver (", library.name(),
             ") is a stub to link with; the driver itself is not installed");
    if (result == CudaResult::no_device) fail(Status::device, "the CUDA driver finds no device on this machine");
    check(result, "cuInit");
    check(driver_version(&version_), "cuDriverGetVersion");
}

DynamicLibrary CudaDriver::load(const CudaLibraryKind &kind, const std::string &given) const
{
    DynamicLibrary library(kind.what, cuda_library_names(given, kind, version_));
    // A file without a version in its name may be any.
    constexpr int major_version = 0;
    int (*get_property)(int property, int *value) = nullptr;
    library.bind_if_there(get_property, kind.get_property);
    int major = 0;
    if (get_property == nullptr || get_property(major_version, &major) != 0) return library;
    const auto cuda = first_cuda + major - kind.first_major, runs = version_ / 1000;
    if (cuda > runs)
        fail(Status::unsupported, kind.what, " (", library.name(), ") is of CUDA ", cuda, "; this driver runs CUDA ",
             runs, ".", version_ % 1000 / 10, " and older: install ", kind.what, " of CUDA ", runs);
    return library;
}

std::string CudaDriver::error_name(CudaResult result) const
{
    const char *name = nullptr;
    const bool known = get_error_name(result, &name) == CudaResult::success && name != nullptr;
    const auto code = static_cast<int>(result);
    return text(known ? name : "unknown CUDA error", " (", code, ")",
                is_lasting(code) ? "; this process can no longer use CUDA: start another" : "");
}

void CudaDriver::check(CudaResult result, const char *call) const
{
    if (result == CudaResult::success) return;
    const auto code = static_cast<int>(result);
    if (code == not_initialized)
        fail(Status::device, call, ": ", error_name(result),
             ": a process forked from one that uses CUDA cannot use it; fork first, or start another program");
    if (code == deinitialized) fail(Status::device, call, ": ", error_name(result), ": the process is exiting");
    fail(result == CudaResult::out_of_memory ? Status::out_of_memory : Status::device, call, ": ", error_name(result));
}

CudaContext::CudaContext(const CudaLibraries &libraries, std::int64_t number) : driver_(libraries)
{
    int count = 0;
    check(driver_.device_count(&count), "cuDeviceGetCount");
    if (number < 0 || number >= count)
        fail(Status::device, "cuda:", number, " is not there; the CUDA driver finds ", count,
             count == 1 ? " device, cuda:0" : " devices, counted from cuda:0");
    check(driver_.device_get(&device_, static_cast<int>(number)), "cuDeviceGet");
    check(driver_.primary_context_retain(&handle_, device_), "cuDevicePrimaryCtxRetain");
}

CudaContext::~CudaContext() { driver_.primary_context_release(device_); }

int CudaContext::attribute(CudaAttribute attribute) const
{
    int value = 0;
    return driver_.device_attribute(&value, attribute, device_) == CudaResult::success ? value : 0;
}

std::int64_t CudaContext::free_bytes() const
{
    std::size_t free = 0, total = 0;
    check(driver_.memory_info(&free, &total), "cuMemGetInfo");
    return static_cast<std::int64_t>(free);
}

void CudaContext::note_failure(CudaResult result)
{
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    failure_ = driver_.error_name(result);
    failed_ = true;
}

std::string CudaContext::failure() const
{
    const std::lock_guard lock(mutex_);
    return failure_;
}

void CudaContext::check_usable() const
{
    if (failed_) fail(Status::device, "the CUDA device is of no more use after ", failure());
}

CudaCurrent::CudaCurrent(const CudaContext &context) : context_(context), pushed_(true)
{
    context.check(context.driver().push_current(context.handle()), "cuCtxPushCurrent");
}

CudaCurrent::CudaCurrent(const CudaContext &context, std::nothrow_t) noexcept
    : context_(context), pushed_(context.driver().push_current(context.handle()) == CudaResult::success)
{
}

CudaCurrent::~CudaCurrent()
{
    CudaContextHandle popped = nullptr;
    if (pushed_) context_.driver().pop_current(&popped);
}

CudaMark::CudaMark(std::shared_ptr<CudaContext> context) : context_(std::move(context))
{
    context_->check(context_->driver().event_create(&handle_, cuda_event_blocking_sync), "cuEventCreate");
}

CudaMark::~CudaMark()
{
    if (const CudaCurrent current(*context_, std::nothrow); current) context_->driver().event_destroy(handle_);
}

void CudaMark::record(CudaStream stream)
{
    context_->check(context_->driver().event_record(handle_, stream), "cuEventRecord");
}

double CudaMark::seconds_since(const CudaMark &earlier) const
{
    float milliseconds = 0;
    context_->check(context_->driver().event_elapsed(&milliseconds, earlier.handle(), handle_), "cuEventElapsedTime");
    return static_cast<double>(milliseconds) / 1000;
}

CudaClock::CudaClock(std::shared_ptr<CudaContext> context, double longest_base_seconds)
    : context_(std::move(context)), longest_base_seconds_(longest_base_seconds)
{
    const CudaCurrent current(*context_);
    const auto &driver = context_->driver();
    context_->check(driver.stream_create(&stream_, cuda_stream_non_blocking), "cuStreamCreate");
    try {
        base_ = {mark_now(), 0};
    } catch (...) {
        driver.stream_destroy(stream_);
        throw;
    }
}

CudaClock::~CudaClock()
{
    if (const CudaCurrent current(*context_, std::nothrow); current) context_->driver().stream_destroy(stream_);
}

std::shared_ptr<CudaMark> CudaClock::mark_now()
{
    auto mark = std::make_shared<CudaMark>(context_);
    mark->record(stream_);
    context_->check(context_->driver().event_synchronize(mark->handle()), "cuEventSynchronize");
    made_ = Clock::now();
    return mark;
}

CudaClock::Base CudaClock::base()
{
    const std::lock_guard lock(mutex_);
    if (seconds_since(made_) > longest_base_seconds_) {
        const auto mark = mark_now();
        base_ = {mark, base_.seconds + mark->seconds_since(*base_.mark)};
    }
    return base_;
}

CudaEvent::CudaEvent(std::shared_ptr<CudaContext> context, CudaClock::Base base)
    : context_(std::move(context)), base_(std::move(base)), start_(context_), end_(context_)
{
    ++context_->census().events;
}

CudaEvent::~CudaEvent() { --context_->census().events; }

EventState CudaEvent::state() const { return ask(&CudaDriver::event_query); }

EventState CudaEvent::wait() const { return ask(&CudaDriver::event_synchronize); }

EventState CudaEvent::ask(CudaResult (*CudaDriver::*function)(CudaEventHandle)) const
{
    if (state_ != EventState::pending) return state_;
    if (!context_->has_failed()) {
        const CudaCurrent current(*context_, std::nothrow);
        const auto result = (context_->driver().*function)(end_.handle());
        if (result == CudaResult::not_ready) return EventState::pending;
        if (result != CudaResult::success) context_->note_failure(result);
    }
    state_ = context_->has_failed() ? EventState::failed : EventState::done;
    return state_;
}

Interval CudaEvent::interval() const
{
    if (!is_known_done() || context_->has_failed()) return {};
    const CudaCurrent current(*context_, std::nothrow);
    try {
        const auto start = base_.seconds + start_.seconds_since(*base_.mark);
        return {start, start + end_.seconds_since(start_)};
    } catch (const std::exception &) {
        return {}; // the driver cannot tell
    }
}

CudaModule::CudaModule(std::shared_ptr<CudaContext> context, const char *text) : context_(std::move(context))
{
    const CudaCurrent current(*context_);
    context_->check(context_->driver().module_load(&handle_, text), "cuModuleLoadData");
}

CudaModule::~CudaModule()
{
    if (const CudaCurrent current(*context_, std::nothrow); current) context_->driver().module_unload(handle_);
}

CudaFunction CudaModule::function(const char *name) const
{
    const CudaCurrent current(*context_);
    CudaFunction function = nullptr;
    context_->check(context_->driver().module_function(&function, handle_, name), "cuModuleGetFunction");
    return function;
}

void CudaModule::launch(CudaFunction function, std::int64_t blocks, int threads_per_block, CudaStream stream,
                        void **parameters) const
{
    if (blocks > std::numeric_limits<int>::max())
        fail(Status::unsupported, "a kernel needs ", blocks, " blocks; CUDA takes at most ",
             std::numeric_limits<int>::max());
    context_->check(context_->driver().launch_kernel(function, static_cast<unsigned>(blocks), 1, 1,
                                                     static_cast<unsigned>(threads_per_block), 1, 1, 0, stream,
                                                     parameters, nullptr),
                    "cuLaunchKernel");
}

} // namespace hpart
