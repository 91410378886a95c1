#include "out_of_card/devices/device.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "host/cores.hpp"

#include <algorithm>
#include <utility>

namespace hpart
{

SessionBuffer &SessionBuffer::operator=(SessionBuffer &&other) noexcept
{
    if (this == &other) return *this;
    release();
    session_ = other.session_;
    buffer_ = std::move(other.buffer_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
}

void SessionBuffer::release() noexcept
{
    if (buffer_) session_->give_back(std::move(buffer_), std::exchange(bytes_, 0));
}

DeviceSession::DeviceSession(std::shared_ptr<Device> device, std::optional<std::int64_t> memory_limit_bytes)
    : device_(std::move(device)), limited_(memory_limit_bytes.has_value()),
      memory_limit_(std::min(memory_limit_bytes.value_or(device_->info().memory_bytes), device_->info().memory_bytes))
{
}

double DeviceSession::shared_units() const
{
    const bool has_all_cores = info().compute_units >= static_cast<std::int64_t>(usable_cores().size());
    return info().on_host_cores && has_all_cores ? static_cast<double>(info().compute_units) : 0;
}

std::int64_t DeviceSession::limit_for(std::int64_t free_bytes) const
{
    const auto others = free_bytes + used_ - part_of_limit_;
    auto limit = others;
    constexpr int most_times = 8; // each adds a small part of the last addition
    for (int times = 0; times < most_times && bytes_of_limit_ != nullptr; ++times)
        limit = others + parts_of_limit_ * taken_by(bytes_of_limit_(limit));
    return limit;
}

std::int64_t DeviceSession::taken_by(std::int64_t bytes) const
{
    const auto granule = info().granule_bytes;
    return saturating_mul(saturating_add(std::max<std::int64_t>(bytes, 1), granule - 1) / granule, granule);
}

SessionBuffer DeviceSession::allocate(std::int64_t bytes)
{
    const auto taken = taken_by(bytes);
    if (taken > info().largest_buffer_bytes)
        fail(Status::out_of_memory, info().spec, " takes no array above ", info().largest_buffer_bytes, " bytes; ",
             taken, " are needed");
    const auto limit = memory_limit(), before = used_.fetch_add(taken);
    try {
        if (taken > limit - before)
            fail(Status::out_of_memory, info().spec, " has ", limit - before, " bytes left of ", limit,
                 limited_ ? " of the memory limit" : " of memory", "; ", taken, " are needed");
        auto buffer = take_idle(taken);
        if (!buffer) {
            keep_within(limit - before - taken);
            // The device may have less than it tells, or others use it.
            buffer = with_room([&] { return device_->allocate(taken); });
        }
        note_used(before + taken);
        return {*this, std::move(buffer), taken};
    } catch (...) {
        used_ -= taken;
        throw;
    }
}

void DeviceSession::note_used(std::int64_t bytes) noexcept
{
    auto most = most_used_.load();
    while (most < bytes && !most_used_.compare_exchange_weak(most, bytes)) {}
}

void DeviceSession::release_idle() noexcept { keep_within(0); }

std::unique_ptr<DeviceBuffer> DeviceSession::take_idle(std::int64_t bytes)
{
    const std::lock_guard lock(of_idle_);
    const auto found =
        std::find_if(idle_.rbegin(), idle_.rend(), [&](const Idle &idle) { return idle.bytes == bytes; });
    if (found == idle_.rend()) return nullptr;
    auto buffer = std::move(found->buffer);
    idle_.erase(std::next(found).base());
    idle_bytes_ -= bytes;
    return buffer;
}

void DeviceSession::keep_within(std::int64_t bytes) noexcept
{
    const std::lock_guard lock(of_idle_);
    auto end = idle_.begin();
    while (end != idle_.end() && idle_bytes_ > bytes) idle_bytes_ -= (end++)->bytes;
    idle_.erase(idle_.begin(), end);
}

bool DeviceSession::has_idle()
{
    const std::lock_guard lock(of_idle_);
    return !idle_.empty();
}

void DeviceSession::give_back(std::unique_ptr<DeviceBuffer> buffer, std::int64_t bytes) noexcept
{
    {
        const std::lock_guard lock(of_idle_);
        try {
            idle_.push_back({bytes, std::move(buffer)});
            idle_bytes_ += bytes;
        } catch (const std::bad_alloc &) { // then it goes now
        }
    }
    used_ -= bytes;
    keep_within(limited_ ? std::max(most_idle_bytes, memory_limit_) : most_idle_bytes);
}

void DeviceSession::learn(double predicted_seconds, double seconds)
{
    constexpr double shortest_to_learn_from = 2e-3, small_part = 0.5;
    constexpr int most_corrections = 3;
    const bool is_doubted = predicted_seconds >= shortest_to_learn_from && seconds > 0 &&
                            seconds < small_part * predicted_seconds && corrections_ < most_corrections;
    if (!is_doubted) return;
    ++corrections_;
    for (const auto &name : std::exchange(rates_, {})) forget(name);
}

} // namespace hpart
