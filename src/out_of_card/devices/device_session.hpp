// A device in use: its memory limit, hpart's account of the memory taken, and the data kept for it between calls.
#pragma once

#include "core/clock.hpp"
#include "core/error.hpp"
#include "out_of_card/devices/device.hpp"
#include "out_of_card/devices/device_lock.hpp"
#include "out_of_card/devices/pinned_ranges.hpp"

#include <algorithm>
#include <any>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hpart
{

class DeviceSession;

// A buffer that is on the device's account until it is destroyed.
class SessionBuffer
{
  public:
    SessionBuffer() = default;
    SessionBuffer(SessionBuffer &&other) noexcept { *this = std::move(other); }
    SessionBuffer &operator=(SessionBuffer &&other) noexcept;
    SessionBuffer(const SessionBuffer &) = delete;
    SessionBuffer &operator=(const SessionBuffer &) = delete;
    ~SessionBuffer() { release(); }

    DeviceBuffer *get() const { return buffer_.get(); }
    explicit operator bool() const { return buffer_ != nullptr; }
    void release() noexcept;

  private:
    friend class DeviceSession;
    SessionBuffer(DeviceSession &session, std::unique_ptr<DeviceBuffer> buffer, std::int64_t bytes)
        : session_(&session), buffer_(std::move(buffer)), bytes_(bytes)
    {
    }
    DeviceSession *session_ = nullptr;
    std::unique_ptr<DeviceBuffer> buffer_;
    std::int64_t bytes_ = 0;
};

class DeviceSession
{
  public:
    // A limit of nothing: the device's own memory.
    DeviceSession(std::shared_ptr<Device> device, std::optional<std::int64_t> memory_limit_bytes);

    Device &device() const { return *device_; }
    const DeviceInfo &info() const { return device_->info(); }
    // Compute units that copies share with kernels, where all cores of this machine are its own; else 0.
    double shared_units() const;
    // The limit that was set; the device's own memory has none of the caller's.
    bool is_limited() const { return limited_; }
    std::int64_t memory_limit() const { return std::min(memory_limit_, whole_memory()); }
    // Without the caller's limit.
    std::int64_t whole_memory() const { return info().memory_bytes - of_libraries_; }
    std::int64_t used() const { return used_; }
    std::int64_t most_used() const { return most_used_; }
    // The limit with which so many bytes would be free: as much in use as now, but for what follows the limit.
    std::int64_t limit_for(std::int64_t free_bytes) const;
    // So many of the bytes in use follow the limit: a library's workspace. Once.
    void note_part_of_limit(std::int64_t bytes, std::int64_t (*bytes_of_limit)(std::int64_t limit))
    {
        part_of_limit_ = bytes;
        bytes_of_limit_ = bytes_of_limit;
    }

    // Bytes that an allocation of so many takes.
    std::int64_t taken_by(std::int64_t bytes) const;
    // A library's code and handles: the device has less for us, until they go. The caller's limit is of data.
    void note_library(std::int64_t bytes) noexcept { of_libraries_ += bytes; }
    // Status::out_of_memory, with the sizes, when it does not fit under the limit or the device has none.
    SessionBuffer allocate(std::int64_t bytes);
    // Keeps returned buffers for allocations of the same size: new memory costs more than a pass over it. Keeps most_idle_bytes at
    // most, or as many as the limit if the caller has set a larger one: that memory is hpart's. Frees them before an allocation
    // fails for want of memory. release_idle frees all now.
    static constexpr std::int64_t most_idle_bytes = std::int64_t{256} << 20;
    void release_idle() noexcept;
    // Work that takes memory of the device without asking here; again without the idle buffers where there was too little.
    template <typename Work> auto with_room(const Work &work)
    {
        try {
            return work();
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory || !has_idle()) throw;
        }
        release_idle();
        return work();
    }

    DeviceLock &in_use() { return in_use_; }

    // The caller's part of the device's pinned memory.
    PinnedRanges &pinned_ranges() { return pinned_ranges_; }

    // Work that later calls are spared: measuring, compiling, planning. The operations' times are without it.
    template <typename Work> auto set_up(const Work &work)
    {
        const SetUp timed(*this);
        return work();
    }
    // All until now, in this process.
    double setup_seconds() const { return static_cast<double>(setup_nanoseconds_) * 1e-9; }

    // Things made once for this device (compiled kernels, plans, measured rates), by name. `make` is called under in_use.
    template <typename Thing, typename Make> std::shared_ptr<Thing> kept(const std::string &name, const Make &make)
    {
        auto place = kept_.find(name);
        if (place == kept_.end()) {
            std::shared_ptr<Thing> made = set_up(make);
            place = kept_.insert_or_assign(name, std::move(made)).first;
        }
        return std::any_cast<std::shared_ptr<Thing>>(place->second);
    }
    // The same for a measured rate, and for what follows from rates: until learn() doubts it.
    template <typename Thing, typename Make> std::shared_ptr<Thing> kept_rate(const std::string &name, const Make &make)
    {
        if (!kept_.contains(name)) rates_.insert(name); // given ones stay
        return kept<Thing>(name, make);
    }
    // A run that took a small part of its prediction shows that something else had the cores while the rates were measured: they are
    // measured anew. A few times only, as a model may be that far off by itself.
    void learn(double predicted_seconds, double seconds);
    // Null if it was not made.
    template <typename Thing> std::shared_ptr<Thing> find(const std::string &name) const
    {
        const auto place = kept_.find(name);
        return place == kept_.end() ? nullptr : std::any_cast<std::shared_ptr<Thing>>(place->second);
    }
    // It is made anew when it is next asked for.
    void forget(const std::string &name) { kept_.erase(name); }

  private:
    friend class SessionBuffer;
    // Within another it counts as that one's.
    class SetUp
    {
      public:
        explicit SetUp(DeviceSession &session) : session_(session), is_outermost_(session.setting_up_++ == 0) {}
        SetUp(const SetUp &) = delete;
        SetUp &operator=(const SetUp &) = delete;
        ~SetUp()
        {
            --session_.setting_up_;
            if (is_outermost_) session_.setup_nanoseconds_ += (Clock::now() - start_).count();
        }

      private:
        DeviceSession &session_;
        bool is_outermost_;
        Clock::time_point start_ = Clock::now();
    };
    struct Idle {
        std::int64_t bytes;
        std::unique_ptr<DeviceBuffer> buffer;
    };
    void note_used(std::int64_t bytes) noexcept;
    std::unique_ptr<DeviceBuffer> take_idle(std::int64_t bytes);
    void keep_within(std::int64_t bytes) noexcept; // of idle buffers, the latest
    bool has_idle();
    void give_back(std::unique_ptr<DeviceBuffer> buffer, std::int64_t bytes) noexcept;

    std::shared_ptr<Device> device_;
    bool limited_;
    std::int64_t memory_limit_;
    std::atomic<std::int64_t> used_{0}, most_used_{0}, of_libraries_{0};
    std::int64_t part_of_limit_ = 0;
    std::int64_t (*bytes_of_limit_)(std::int64_t limit) = nullptr;
    std::mutex of_idle_;
    std::vector<Idle> idle_; // the longest idle first
    std::int64_t idle_bytes_ = 0;
    DeviceLock in_use_{device_->info()};
    std::atomic<int> setting_up_{0};
    std::atomic<std::int64_t> setup_nanoseconds_{0};
    PinnedRanges pinned_ranges_;
    std::set<std::string> rates_; // of kept_
    int corrections_ = 0;
    std::map<std::string, std::any> kept_; // goes before the device
};

} // namespace hpart
