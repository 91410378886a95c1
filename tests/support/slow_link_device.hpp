// A device behind a link that is slower than its own copies, so that plans for devices are tested without one. The link takes
// no compute unit: a copy's event ends when the link, one transfer after another, has had the time for its bytes.
#pragma once

#include "wrapping_device.hpp"

#include <memory>

namespace support
{

struct Link {
    double in_bytes_per_second = 1e9;
    double out_bytes_per_second = 1e9;
    bool half_duplex = false; // one transfer at a time, either way
    // Seen as a device: it neither runs on the host's cores nor shares the host's memory.
    bool as_device = true;
    double row_seconds = 0; // of each row of a rectangle, besides its bytes
};

class SlowLinkDevice final : public WrappingDevice
{
  public:
    SlowLinkDevice(std::shared_ptr<hpart::Device> inner, const Link &link);
    SlowLinkDevice(const SlowLinkDevice &) = delete;
    SlowLinkDevice &operator=(const SlowLinkDevice &) = delete;
    ~SlowLinkDevice() override;

    // When the timer has let go of what is over.
    const hpart::Census &census() const override;

    std::unique_ptr<hpart::DeviceQueue> make_queue() override;
    void flush(hpart::DeviceQueue &queue) override;

  private:
    hpart::Event give(const Command &command, hpart::DeviceQueue &queue, Events after, const Call &call) override;
    struct Clocks;
    class Queue;
    std::unique_ptr<Clocks> clocks_;
};

} // namespace support
