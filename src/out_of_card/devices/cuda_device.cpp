#include "out_of_card/devices/cuda_device.hpp"

#include "core/error.hpp"
#include "out_of_card/devices/cuda_driver.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace hpart
{

namespace
{

// Small arrays are cut from larger pieces in these steps.
constexpr std::int64_t granule_bytes = 512;

class CudaBuffer : public DeviceBuffer
{
  public:
    CudaBuffer(std::shared_ptr<CudaContext> context, CudaAddress address)
        : context_(std::move(context)), address_(address)
    {
        ++context_->census().buffers;
    }
    CudaBuffer(const CudaBuffer &) = delete;
    CudaBuffer &operator=(const CudaBuffer &) = delete;
    ~CudaBuffer() override { --context_->census().buffers; }

    CudaContext &context() const { return *context_; }
    CudaAddress address() const { return address_; }
    void *native() const override { return std::bit_cast<void *>(address_); }

  private:
    std::shared_ptr<CudaContext> context_;
    CudaAddress address_;
};

class AllocatedMemory final : public CudaBuffer
{
  public:
    using CudaBuffer::CudaBuffer;
    AllocatedMemory(const AllocatedMemory &) = delete;
    AllocatedMemory &operator=(const AllocatedMemory &) = delete;
    ~AllocatedMemory() override
    {
        if (const CudaCurrent current(context(), std::nothrow); current) context().driver().memory_free(address());
    }
};

class CudaPinned final : public PinnedMemory
{
  public:
    // `end` is the driver's function that frees or unregisters the memory.
    CudaPinned(std::shared_ptr<CudaContext> context, void *memory, CudaResult (*end)(void *))
        : context_(std::move(context)), memory_(memory), end_(end)
    {
        ++context_->census().pinned;
    }
    CudaPinned(const CudaPinned &) = delete;
    CudaPinned &operator=(const CudaPinned &) = delete;
    ~CudaPinned() override
    {
        if (const CudaCurrent current(*context_, std::nothrow); current) end_(memory_);
        --context_->census().pinned;
    }
    void *data() const override { return memory_; }

  private:
    std::shared_ptr<CudaContext> context_;
    void *memory_;
    CudaResult (*end_)(void *);
};

class CudaQueue final : public DeviceQueue
{
  public:
    CudaQueue(std::shared_ptr<CudaContext> context, bool is_urgent) : context_(std::move(context))
    {
        const CudaCurrent current(*context_);
        constexpr int highest = -1000; // the driver takes its own highest priority
        const auto &driver = context_->driver();
        if (is_urgent)
            context_->check(driver.stream_create_with_priority(&stream_, cuda_stream_non_blocking, highest),
                            "cuStreamCreateWithPriority");
        else
            context_->check(driver.stream_create(&stream_, cuda_stream_non_blocking), "cuStreamCreate");
        ++context_->census().queues;
    }
    CudaQueue(const CudaQueue &) = delete;
    CudaQueue &operator=(const CudaQueue &) = delete;
    // After the commands that are in it: they use the caller's memory.
    ~CudaQueue() override
    {
        if (const CudaCurrent current(*context_, std::nothrow); current) {
            context_->driver().stream_synchronize(stream_);
            context_->driver().stream_destroy(stream_);
        }
        --context_->census().queues;
    }
    CudaStream stream() const { return stream_; }

  private:
    std::shared_ptr<CudaContext> context_;
    CudaStream stream_ = nullptr;
};

CudaAddress address(const BufferSide &side)
{
    return static_cast<CudaBuffer &>(*side.buffer).address() + static_cast<CudaAddress>(side.offset_bytes);
}

// CUDA refuses arrays of nothing.
std::size_t at_least_one(std::int64_t bytes) { return static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)); }

std::string device_name(const CudaDriver &driver, CudaDeviceNumber device)
{
    std::array<char, 256> name{};
    driver.check(driver.device_name(name.data(), static_cast<int>(name.size() - 1), device), "cuDeviceGetName");
    return name.data();
}

std::string device_bus(const CudaDriver &driver, CudaDeviceNumber device)
{
    std::array<char, 32> bus{};
    driver.check(driver.device_bus(bus.data(), static_cast<int>(bus.size() - 1), device), "cuDeviceGetPCIBusId");
    return bus.data();
}

std::string driver_text(const CudaDriver &driver)
{
    return text("CUDA ", driver.version() / 1000, ".", driver.version() % 1000 / 10);
}

class CudaDevice final : public Device
{
  public:
    CudaDevice(std::int64_t number, const CudaLibraries &libraries)
        : context_(std::make_shared<CudaContext>(libraries, number)), clock_(context_)
    {
        const CudaCurrent current(*context_);
        const auto &driver = context_->driver();
        info_.spec = text("cuda:", number);
        info_.name = device_name(driver, context_->device());
        info_.driver = driver_text(driver);
        info_.bus = device_bus(driver, context_->device());
        info_.backend = Backend::cuda;
        // Others could have the caller's arrays made known to them, but not two that share a page.
        info_.shares_host_memory = context_->attribute(CudaAttribute::integrated) != 0 &&
                                   context_->attribute(CudaAttribute::pageable_memory_access) != 0;
        info_.compute_units = context_->attribute(CudaAttribute::multiprocessor_count);
        info_.memory_bytes = without_reserve(context_->free_bytes());
        info_.largest_buffer_bytes = info_.memory_bytes;
        info_.granule_bytes = granule_bytes;
    }

    const std::shared_ptr<CudaContext> &context() const { return context_; }
    void *native_handle(std::string_view what) const override
    {
        return what == "CUcontext" ? context_->handle() : nullptr;
    }
    const DeviceInfo &info() const override { return info_; }
    const Census &census() const override { return context_->census(); }

    std::unique_ptr<DeviceBuffer> allocate(std::int64_t bytes) override
    {
        if (bytes > info_.largest_buffer_bytes)
            fail(Status::out_of_memory, info_.spec, " has ", info_.largest_buffer_bytes, " bytes of memory; ", bytes,
                 " are asked for");
        const CudaCurrent current(*context_);
        CudaAddress address = 0;
        context_->check(context_->driver().memory_alloc(&address, at_least_one(bytes)), "cuMemAlloc");
        return std::make_unique<AllocatedMemory>(context_, address);
    }

    std::unique_ptr<DeviceBuffer> wrap_host(void *memory, std::int64_t) override
    {
        if (!info_.shares_host_memory)
            fail(Status::unsupported, info_.spec, " does not work on the host's memory in place");
        return std::make_unique<CudaBuffer>(context_, std::bit_cast<CudaAddress>(memory));
    }

    std::unique_ptr<PinnedMemory> allocate_pinned(std::int64_t bytes) override
    {
        const CudaCurrent current(*context_);
        void *memory = nullptr;
        context_->check(context_->driver().host_alloc(&memory, at_least_one(bytes), cuda_host_alloc_portable),
                        "cuMemHostAlloc");
        return std::make_unique<CudaPinned>(context_, memory, context_->driver().host_free);
    }

    std::unique_ptr<PinnedMemory> pin(void *memory, std::int64_t bytes) override
    {
        const CudaCurrent current(*context_);
        const auto &driver = context_->driver();
        const auto enter = [&](unsigned flags) {
            return driver.host_register(memory, static_cast<std::size_t>(bytes), flags);
        };
        constexpr auto already = CudaResult::host_memory_already_registered;
        auto result = enter(cuda_host_register_portable);
        // Memory that is mapped read-only, as a file may be, needs another flag.
        if (result != CudaResult::success && result != CudaResult::out_of_memory && result != already) {
            const auto read_only = enter(cuda_host_register_portable | cuda_host_register_read_only);
            if (read_only == CudaResult::success || read_only == already) result = read_only;
        }
        if (result == already) fail_argument("some of the memory is registered with CUDA already; unregister it first");
        context_->check(result, "cuMemHostRegister");
        return std::make_unique<CudaPinned>(context_, memory, driver.host_unregister);
    }

    std::unique_ptr<DeviceQueue> make_queue() override { return std::make_unique<CudaQueue>(context_, false); }
    std::unique_ptr<DeviceQueue> make_urgent_queue() override { return std::make_unique<CudaQueue>(context_, true); }
    void flush(DeviceQueue &) override {}

    Event write(DeviceQueue &queue, const BufferSide &to, const void *from, std::int64_t from_pitch_bytes,
                const Rectangle &rectangle, std::span<const Event> after) override
    {
        return add(queue, after, [&](CudaStream stream) {
            copy_in(*context_, stream, {address(to), to.pitch_bytes}, {from, from_pitch_bytes}, rectangle);
        });
    }
    Event read(DeviceQueue &queue, const BufferSide &from, void *to, std::int64_t to_pitch_bytes,
               const Rectangle &rectangle, std::span<const Event> after) override
    {
        return add(queue, after, [&](CudaStream stream) {
            copy_out(*context_, stream, {to, to_pitch_bytes}, {address(from), from.pitch_bytes}, rectangle);
        });
    }
    Event copy(DeviceQueue &queue, const BufferSide &from, const BufferSide &to, const Rectangle &rectangle,
               std::span<const Event> after) override
    {
        return add(queue, after, [&](CudaStream stream) {
            copy_on_device(*context_, stream, {address(to), to.pitch_bytes}, {address(from), from.pitch_bytes},
                           rectangle);
        });
    }
    Event launch(DeviceQueue &queue, Launch launch, std::span<const Event> after) override
    {
        return add(queue, after, [&](CudaStream stream) {
            LaunchContext context;
            context.queue = stream;
            launch(context);
        });
    }

    Event make_gate() override { return nullptr; }
    void open_gate(const Event &, bool) override {}

  private:
    template <typename Work> Event add(DeviceQueue &queue, std::span<const Event> after, const Work &work)
    {
        context_->check_usable();
        const CudaCurrent current(*context_);
        auto *const stream = static_cast<CudaQueue &>(queue).stream();
        auto event = std::make_shared<CudaEvent>(context_, clock_.base());
        for (const auto &other : after) wait_for(stream, static_cast<CudaEvent &>(*other));
        event->start().record(stream);
        try {
            work(stream);
            event->end().record(stream);
        } catch (...) {
            // Part of it may be under way in memory that the caller, told of a failure, takes to be free.
            context_->driver().stream_synchronize(stream);
            throw;
        }
        return event;
    }

    void wait_for(CudaStream stream, CudaEvent &event)
    {
        if (event.is_known_done()) return;
        context_->check(context_->driver().stream_wait_event(stream, event.end().handle(), 0), "cuStreamWaitEvent");
    }

    std::shared_ptr<CudaContext> context_;
    CudaClock clock_;
    DeviceInfo info_;
};

} // namespace

std::shared_ptr<Device> make_cuda_device(std::int64_t number, const CudaLibraries &libraries)
{
    return std::make_shared<CudaDevice>(number, libraries);
}

const std::shared_ptr<CudaContext> &cuda_context(Device &device)
{
    const auto *const cuda = dynamic_cast<const CudaDevice *>(&device.unwrapped());
    if (cuda == nullptr) fail(Status::unsupported, device.info().spec, " is no CUDA device");
    return cuda->context();
}

std::vector<DeviceInfo> list_cuda_devices(const CudaLibraries &libraries, std::string *reason)
{
    std::vector<DeviceInfo> devices;
    try {
        const CudaDriver driver(libraries);
        int count = 0;
        driver.check(driver.device_count(&count), "cuDeviceGetCount");
        for (int number = 0; number < count; ++number) {
            CudaDeviceNumber device = 0;
            std::size_t bytes = 0;
            int units = 0;
            driver.check(driver.device_get(&device, number), "cuDeviceGet");
            driver.check(driver.device_memory(&bytes, device), "cuDeviceTotalMem");
            driver.check(driver.device_attribute(&units, CudaAttribute::multiprocessor_count, device),
                         "cuDeviceGetAttribute");
            DeviceInfo info;
            info.spec = text("cuda:", number);
            info.name = device_name(driver, device);
            info.driver = driver_text(driver);
            info.bus = device_bus(driver, device);
            info.backend = Backend::cuda;
            info.compute_units = units;
            info.memory_bytes = info.largest_buffer_bytes = static_cast<std::int64_t>(bytes);
            devices.push_back(std::move(info));
        }
    } catch (const Error &error) {
        // A machine without CUDA, or a device that does not answer: the devices before it are listed.
        if (reason != nullptr) *reason = error.what();
    }
    return devices;
}

namespace
{

void set_source(CudaRectangleCopy &copy, CudaAddress from)
{
    copy.source_type = CudaMemoryType::device;
    copy.source_device = from;
}
void set_source(CudaRectangleCopy &copy, const void *from)
{
    copy.source_type = CudaMemoryType::host;
    copy.source_host = from;
}
void set_target(CudaRectangleCopy &copy, CudaAddress to)
{
    copy.target_type = CudaMemoryType::device;
    copy.target_device = to;
}
void set_target(CudaRectangleCopy &copy, void *to)
{
    copy.target_type = CudaMemoryType::host;
    copy.target_host = to;
}

CudaAddress advance(CudaAddress address, std::int64_t bytes) { return address + static_cast<CudaAddress>(bytes); }
const void *advance(const void *address, std::int64_t bytes) { return static_cast<const std::byte *>(address) + bytes; }
void *advance(void *address, std::int64_t bytes) { return static_cast<std::byte *>(address) + bytes; }

// `copy_row` is one of the driver's functions for contiguous bytes, `call` its name.
template <typename To, typename From, typename CopyRow>
void copy_by_driver(const CudaContext &context, CudaStream stream, const CudaRows<To> &to, const CudaRows<From> &from,
                    const Rectangle &rectangle, CopyRow *copy_row, const char *call)
{
    const auto [rows, row_bytes] = rectangle;
    if (rows <= 0 || row_bytes <= 0) return;
    if (rows == 1 || (to.pitch_bytes == row_bytes && from.pitch_bytes == row_bytes)) {
        context.check(copy_row(to.first, from.first, static_cast<std::size_t>(rectangle.bytes()), stream), call);
        return;
    }
    CudaRectangleCopy copy{};
    set_source(copy, from.first);
    set_target(copy, to.first);
    copy.source_pitch = static_cast<std::size_t>(from.pitch_bytes);
    copy.target_pitch = static_cast<std::size_t>(to.pitch_bytes);
    copy.width_bytes = static_cast<std::size_t>(row_bytes);
    copy.height = static_cast<std::size_t>(rows);
    const auto result = context.driver().copy_rectangle(&copy, stream);
    if (result != CudaResult::invalid_value) return context.check(result, "cuMemcpy2DAsync");
    // Rows that are too far apart for the device: two gigabytes, or less on the device itself.
    for (std::int64_t row = 0; row < rows; ++row)
        context.check(copy_row(advance(to.first, row * to.pitch_bytes), advance(from.first, row * from.pitch_bytes),
                               static_cast<std::size_t>(row_bytes), stream),
                      call);
}

} // namespace

void copy_in(const CudaContext &context, CudaStream stream, const CudaRows<CudaAddress> &to,
             const CudaRows<const void *> &from, const Rectangle &rectangle)
{
    copy_by_driver(context, stream, to, from, rectangle, context.driver().copy_in, "cuMemcpyHtoDAsync");
}

void copy_out(const CudaContext &context, CudaStream stream, const CudaRows<void *> &to,
              const CudaRows<CudaAddress> &from, const Rectangle &rectangle)
{
    copy_by_driver(context, stream, to, from, rectangle, context.driver().copy_out, "cuMemcpyDtoHAsync");
}

void copy_on_device(const CudaContext &context, CudaStream stream, const CudaRows<CudaAddress> &to,
                    const CudaRows<CudaAddress> &from, const Rectangle &rectangle)
{
    copy_by_driver(context, stream, to, from, rectangle, context.driver().copy_on_device, "cuMemcpyDtoDAsync");
}

} // namespace hpart
