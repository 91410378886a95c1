// A device that does all that another one does: what wraps a device changes the calls that it is about.
#pragma once

#include "out_of_card/devices/device.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace support
{

class WrappingDevice : public hpart::Device
{
    std::shared_ptr<hpart::Device> inner_;

  public:
    explicit WrappingDevice(std::shared_ptr<hpart::Device> inner) : inner_(std::move(inner)), info_(inner_->info()) {}

    const hpart::DeviceInfo &info() const override { return info_; }
    const hpart::Census &census() const override { return inner_->census(); }
    hpart::Device &unwrapped() override { return inner_->unwrapped(); }

    std::unique_ptr<hpart::DeviceBuffer> allocate(std::int64_t bytes) override { return inner_->allocate(bytes); }
    std::unique_ptr<hpart::DeviceBuffer> wrap_host(void *memory, std::int64_t bytes) override
    {
        return inner_->wrap_host(memory, bytes);
    }
    std::unique_ptr<hpart::PinnedMemory> allocate_pinned(std::int64_t bytes) override
    {
        return inner_->allocate_pinned(bytes);
    }

    std::unique_ptr<hpart::DeviceQueue> make_queue() override { return inner_->make_queue(); }
    void flush(hpart::DeviceQueue &queue) override { inner_->flush(queue); }

    hpart::Event write(hpart::DeviceQueue &queue, const hpart::BufferSide &to, const void *from,
                       std::int64_t from_pitch_bytes, const hpart::Rectangle &rectangle,
                       std::span<const hpart::Event> after) override
    {
        return give({Command::Kind::write, &rectangle}, queue, after, [&](hpart::DeviceQueue &at, Events events) {
            return inner_->write(at, to, from, from_pitch_bytes, rectangle, events);
        });
    }
    hpart::Event read(hpart::DeviceQueue &queue, const hpart::BufferSide &from, void *to, std::int64_t to_pitch_bytes,
                      const hpart::Rectangle &rectangle, std::span<const hpart::Event> after) override
    {
        return give({Command::Kind::read, &rectangle}, queue, after, [&](hpart::DeviceQueue &at, Events events) {
            return inner_->read(at, from, to, to_pitch_bytes, rectangle, events);
        });
    }
    hpart::Event copy(hpart::DeviceQueue &queue, const hpart::BufferSide &from, const hpart::BufferSide &to,
                      const hpart::Rectangle &rectangle, std::span<const hpart::Event> after) override
    {
        return give({Command::Kind::copy, &rectangle}, queue, after, [&](hpart::DeviceQueue &at, Events events) {
            return inner_->copy(at, from, to, rectangle, events);
        });
    }
    hpart::Event launch(hpart::DeviceQueue &queue, hpart::Launch launch, std::span<const hpart::Event> after) override
    {
        return give({Command::Kind::launch}, queue, after, [&](hpart::DeviceQueue &at, Events events) {
            return inner_->launch(at, std::move(launch), events);
        });
    }

    hpart::Event make_gate() override { return inner_->make_gate(); }
    void open_gate(const hpart::Event &gate, bool succeed) override { inner_->open_gate(gate, succeed); }

  protected:
    struct Command {
        enum class Kind : std::uint8_t { write, read, copy, launch } kind;
        const hpart::Rectangle *rectangle = nullptr;
    };
    using Events = std::span<const hpart::Event>;
    // Gives the command to a queue of the device inside, after these events.
    using Call = std::function<hpart::Event(hpart::DeviceQueue &, Events)>;
    // All commands pass here.
    virtual hpart::Event give(const Command &, hpart::DeviceQueue &queue, Events after, const Call &call)
    {
        return call(queue, after);
    }

    hpart::Device &inner() { return *inner_; }
    hpart::DeviceInfo info_; // to be changed by those who derive
};

} // namespace support
