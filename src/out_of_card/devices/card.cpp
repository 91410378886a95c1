#include "out_of_card/devices/card.hpp"

#include "core/checked.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <utility>

namespace hpart
{

CardBuffer &CardBuffer::operator=(CardBuffer &&other) noexcept
{
    if (this == &other) return *this;
    release();
    card_ = other.card_;
    buffer_ = std::move(other.buffer_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
}

void CardBuffer::release() noexcept
{
    if (!buffer_) return;
    buffer_.reset();
    card_->used_ -= std::exchange(bytes_, 0);
}

Card::Card(std::shared_ptr<Device> device, std::optional<std::int64_t> memory_limit_bytes, DeviceProfile profile)
    : device_(std::move(device)), limited_(memory_limit_bytes.has_value()),
      memory_limit_(std::min(memory_limit_bytes.value_or(device_->info().memory_bytes), device_->info().memory_bytes)),
      profile_(std::move(profile))
{
}

std::int64_t Card::taken_by(std::int64_t bytes) const
{
    const auto granule = info().granule_bytes;
    return saturating_mul(saturating_add(std::max<std::int64_t>(bytes, 1), granule - 1) / granule, granule);
}

CardBuffer Card::allocate(std::int64_t bytes)
{
    const auto taken = taken_by(bytes);
    if (taken > info().largest_buffer_bytes)
        fail(Status::out_of_memory, info().spec, " takes no array above ", info().largest_buffer_bytes, " bytes; ",
             taken, " are needed");
    const auto before = used_.fetch_add(taken);
    try {
        if (taken > memory_limit_ - before)
            fail(Status::out_of_memory, info().spec, " has ", memory_limit_ - before, " bytes left of ", memory_limit_,
                 limited_ ? " that memory_limit allows" : " of memory", "; ", taken, " are needed");
        auto buffer = device_->allocate(bytes);
        auto most = most_used_.load();
        while (most < before + taken && !most_used_.compare_exchange_weak(most, before + taken)) {}
        return {*this, std::move(buffer), taken};
    } catch (...) {
        used_ -= taken;
        throw;
    }
}

} // namespace hpart
