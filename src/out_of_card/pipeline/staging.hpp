// Transfers of plain memory of the host by way of pinned memory, which a device's copy engine reaches by itself: chunks in a
// ring, packed and unpacked by a few threads while the engine works on others.
#pragma once

#include "core/options.hpp"
#include "out_of_card/devices/device.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace hpart
{

// Copies of rectangles on the host by a few threads: one alone does not fill a fast link.

struct HostCopy {
    const std::byte *from = nullptr;
    std::int64_t from_pitch = 0;
    std::byte *to = nullptr;
    std::int64_t to_pitch = 0;
    Rectangle rectangle;
};

class CopyThreads
{
  public:
    // Besides the thread that asks for a copy. Fewer where the system gives no more.
    explicit CopyThreads(int helpers);
    CopyThreads(const CopyThreads &) = delete;
    CopyThreads &operator=(const CopyThreads &) = delete;
    ~CopyThreads();

    // Returns when all is copied. From any thread.
    void copy(const HostCopy &whole) noexcept;

  private:
    struct Part {
        HostCopy copy;
        int *left = nullptr; // parts of the same copy that are not done
    };
    bool give(const HostCopy &copy, int &left) noexcept;
    void run_first(std::unique_lock<std::mutex> &lock);
    void help();

    std::mutex mutex_; // of all below, and of the counters
    std::condition_variable changed_, done_;
    std::deque<Part> parts_;
    bool closing_ = false;
    std::vector<std::thread> threads_;
};

enum class StagingMode : std::uint8_t {
    automatic, // where the device neither runs on the host's cores nor shares its memory
    never,
    always,
};

// Option `staging`.
StagingMode staging_mode(const Options &options);

struct StagingSize {
    std::int64_t chunk_bytes = 0;
    int chunks = 0; // each way
    int copy_threads = 1;
};

// An eighth of this machine's memory at most.
StagingSize usual_staging_size();

class Staging
{
  public:
    // The device's, made at the first call and kept with it. Null where transfers go directly: by the mode, or for want of
    // pinned memory.
    static std::shared_ptr<Staging> of(DeviceSession &session, StagingMode mode);
    // Status::out_of_memory where there is not pinned memory for two chunks each way; of fewer chunks where there is not
    // more.
    Staging(Device &device, const StagingSize &size);
    Staging(const Staging &) = delete;
    Staging &operator=(const Staging &) = delete;
    ~Staging();

    // Gets each command when it is in the queue, to flush and to watch; the last one's event is the transfer's.
    using Given = std::function<void(const Event &)>;

    // When it returns, `from` has been read: reads into that memory must be over. It waits for chunks that are in use, that is for commands given before.
    void write(DeviceQueue &queue, const BufferSide &to, const void *from, std::int64_t from_pitch_bytes,
               const Rectangle &rectangle, std::span<const Event> after, const Given &given);
    // It does not wait: copies for which no chunk is free are given by the thread that empties the chunks. The events are done
    // when `to` has been written.
    void read(DeviceQueue &queue, const BufferSide &from, void *to, std::int64_t to_pitch_bytes,
              const Rectangle &rectangle, std::span<const Event> after, const Given &given);

    // Waits until what was read is where it belongs, and lets go of the events of commands that are over.
    void settle() noexcept;

    // The event that commands of the device wait for: for a staged read, its copy to pinned memory. Waits until that has been given, and
    // throws where it could not be.
    static Event on_device(const Event &event);
    // Throws the failure that prevented the copy of a staged read.
    static void rethrow_failure_of(const Event &event);

    std::int64_t pinned_bytes() const;

    // Under which name a session keeps the rate.
    static constexpr const char *name_of_rate = "staging rate";
    // Bytes a second that the threads copy between plain memory and a device's memory, both ways together; measured at the first
    // call for this device and kept with it.
    double measured_rate(DeviceSession &session);

  private:
    class StagedRead;
    struct Chunk {
        std::unique_ptr<PinnedMemory> memory;
        Event busy; // until this is over
    };
    Chunk &free_chunk();
    void give_reads(); // mutex_ is held
    void unpack_all();
    double measure_rate();

    Device &device_;
    std::int64_t chunk_bytes_;
    CopyThreads threads_;
    std::mutex writing_; // of a whole transfer
    std::vector<Chunk> in_;
    std::size_t next_in_ = 0;
    std::mutex mutex_; // of what follows
    std::condition_variable changed_;
    std::vector<std::unique_ptr<PinnedMemory>> out_;
    std::deque<std::shared_ptr<StagedRead>> reads_; // in the order of their copies; the first may be at work
    std::size_t given_ = 0;                         // of them the first so many have chunks
    std::size_t next_out_ = 0;                      // the chunk of the one after these
    bool closing_ = false;
    std::thread unpacking_;
};

} // namespace hpart
