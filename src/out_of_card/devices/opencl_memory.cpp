#include "out_of_card/devices/opencl_state.hpp"

#include "core/error.hpp"
#include "host/page_memory.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

ClBuffer make_buffer(const OpenClState &state, cl_mem_flags flags, std::int64_t bytes, void *memory)
{
    cl_int status = CL_SUCCESS;
    ClBuffer buffer(clCreateBuffer(state.context.get(), flags, static_cast<std::size_t>(bytes), memory, &status));
    check_allocation(status, "clCreateBuffer");
    return buffer;
}

class OpenClBuffer : public DeviceBuffer
{
  public:
    OpenClBuffer(const OpenClStatePtr &state, PageMemory own, ClBuffer buffer, std::int64_t bytes)
        : counted_(state, &Census::buffers), own_(std::move(own)), buffer_(std::move(buffer)), bytes_(bytes)
    {
        state->allocated_bytes += bytes;
    }
    OpenClBuffer(const OpenClBuffer &) = delete;
    OpenClBuffer &operator=(const OpenClBuffer &) = delete;
    ~OpenClBuffer() override { state().allocated_bytes -= bytes_; }
    void *native() const override { return buffer_.get(); }

  protected:
    OpenClState &state() const { return counted_.state(); }
    cl_mem buffer() const { return buffer_.get(); }

  private:
    Counted counted_;
    PageMemory own_; // goes after the buffer that is made of it
    ClBuffer buffer_;
    std::int64_t bytes_;
};

class OpenClWrapped final : public OpenClBuffer
{
  public:
    OpenClWrapped(const OpenClStatePtr &state, ClBuffer buffer, std::int64_t bytes)
        : OpenClBuffer(state, nullptr, std::move(buffer), 0), bytes_(bytes)
    {
    }
    OpenClWrapped(const OpenClWrapped &) = delete;
    OpenClWrapped &operator=(const OpenClWrapped &) = delete;
    ~OpenClWrapped() override
    {
        // A mapping brings the host's view up to date; where it fails the commands before it have failed too.
        cl_int status = CL_SUCCESS;
        auto *const queue = state().service.get();
        void *mapped = clEnqueueMapBuffer(queue, buffer(), CL_TRUE, CL_MAP_READ, 0, static_cast<std::size_t>(bytes_), 0,
                                          nullptr, nullptr, &status);
        if (status == CL_SUCCESS && clEnqueueUnmapMemObject(queue, buffer(), mapped, 0, nullptr, nullptr) == CL_SUCCESS)
            clFinish(queue);
    }

  private:
    std::int64_t bytes_;
};

// Pages of the host: all that there is to pin where the device runs there.
class PinnedPages final : public PinnedMemory
{
  public:
    PinnedPages(const OpenClStatePtr &state, PageMemory pages, bool is_pinned)
        : counted_(state, &Census::pinned), pages_(std::move(pages)), is_pinned_(is_pinned)
    {
    }
    void *data() const override { return pages_.get(); }
    bool is_pinned() const override { return is_pinned_; }

  private:
    Counted counted_;
    PageMemory pages_;
    bool is_pinned_;
};

// Memory that the driver has pinned, mapped for its life.
class PinnedMapping final : public PinnedMemory
{
  public:
    PinnedMapping(const OpenClStatePtr &state, std::int64_t bytes)
        : counted_(state, &Census::pinned),
          buffer_(make_buffer(*state, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr))
    {
        cl_int status = CL_SUCCESS;
        data_ = clEnqueueMapBuffer(state->service.get(), buffer_.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                   static_cast<std::size_t>(bytes), 0, nullptr, nullptr, &status);
        check_allocation(status, "clEnqueueMapBuffer");
    }
    PinnedMapping(const PinnedMapping &) = delete;
    PinnedMapping &operator=(const PinnedMapping &) = delete;
    ~PinnedMapping() override
    {
        auto *const queue = counted_.state().service.get();
        if (clEnqueueUnmapMemObject(queue, buffer_.get(), data_, 0, nullptr, nullptr) == CL_SUCCESS) clFinish(queue);
    }
    void *data() const override { return data_; }

  private:
    Counted counted_;
    ClBuffer buffer_;
    void *data_ = nullptr;
};

// Some drivers take memory when a command first uses it: one does so here, where a failure can be met.
void make_resident(const OpenClState &state, cl_mem buffer)
{
    constexpr char byte = 0;
    cl_event event = nullptr;
    check_allocation(
        clEnqueueWriteBuffer(state.service.get(), buffer, CL_TRUE, 0, sizeof byte, &byte, 0, nullptr, &event),
        "clEnqueueWriteBuffer");
    const ClEvent written(event);
    // A blocking write returns once the byte is copied: some drivers (Intel's) send it later.
    const auto waited = clWaitForEvents(1, &event);
    cl_int status = CL_COMPLETE;
    check_cl(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
             "clGetEventInfo");
    check_allocation(std::min(status, CL_COMPLETE), "clEnqueueWriteBuffer");
    check_cl(waited, "clWaitForEvents");
}

} // namespace

std::unique_ptr<DeviceBuffer> allocate_opencl_buffer(const OpenClStatePtr &state, const DeviceInfo &info,
                                                     std::int64_t bytes)
{
    bytes = std::max<std::int64_t>(bytes, 1); // no buffer is empty
    if (bytes > info.largest_buffer_bytes)
        fail(Status::out_of_memory, info.spec, " takes no array above ", info.largest_buffer_bytes, " bytes; ", bytes,
             " are needed");
    if (const auto left = info.memory_bytes - state->allocated_bytes; bytes > left)
        fail(Status::out_of_memory, info.spec, " has ", left, " bytes left of ", info.memory_bytes, "; ", bytes,
             " are needed");
    if (!info.on_host_cores) {
        auto buffer = make_buffer(*state, CL_MEM_READ_WRITE, bytes, nullptr);
        make_resident(*state, buffer.get());
        return std::make_unique<OpenClBuffer>(state, nullptr, std::move(buffer), bytes);
    }
    auto pages = allocate_pages(bytes);
    auto buffer = make_buffer(*state, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, pages.get());
    return std::make_unique<OpenClBuffer>(state, std::move(pages), std::move(buffer), bytes);
}

std::unique_ptr<DeviceBuffer> wrap_for_opencl(const OpenClStatePtr &state, void *memory, std::int64_t bytes)
{
    return std::make_unique<OpenClWrapped>(
        state, make_buffer(*state, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory), bytes);
}

std::unique_ptr<PinnedMemory> allocate_opencl_pinned(const OpenClStatePtr &state, const DeviceInfo &info,
                                                     std::int64_t bytes)
{
    if (info.on_host_cores) return std::make_unique<PinnedPages>(state, allocate_pages(bytes), true);
    try {
        return std::make_unique<PinnedMapping>(state, std::max<std::int64_t>(bytes, 1));
    } catch (const Error &error) {
        // Some drivers pin more at once than they promise, others no more than their largest array.
        if (error.status() != Status::out_of_memory || bytes <= info.largest_buffer_bytes) throw;
    }
    return std::make_unique<PinnedPages>(state, allocate_pages(bytes), false);
}

} // namespace hpart
