// One operation's work on a device: blocks sent and fetched in the host's layout, products of blocks on the device, panels
// that stream through a ring of slots.
#pragma once

#include "out_of_card/factorisations/device_block.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <array>
#include <functional>
#include <vector>

namespace hpart
{

class DeviceWork
{
  public:
    // From the part of the operation that is done to that of the whole.
    using Fraction = std::function<double(double)>;
    DeviceWork(DeviceSession &session, Scalar type, bool row_major, Control &control, const Options &options,
               Fraction fraction);

    // Memory for a block; it lives as long as this.
    DeviceBlock allocate(std::int64_t rows, std::int64_t columns);

    // A part of the ring that a panel streams through.
    struct Slot {
        DeviceBlock part;
        std::vector<Event> ready; // its writes
        Event last_use, fetched;
    };
    void make_slots(std::int64_t rows, std::int64_t columns);
    // The one that was used longest ago.
    Slot &next_slot();

    Event send(const DeviceBlock &to, const HostMatrix &from, const std::vector<Event> &after = {});
    Event fetch(const DeviceBlock &from, const HostMatrix &to, const std::vector<Event> &after = {});
    // C = alpha op(A) op(B) + beta C. Empty products are passed over.
    Event multiply(Coefficient alpha, const DeviceFactor &a, const DeviceFactor &b, Coefficient beta,
                   const DeviceBlock &c, const std::vector<Event> &after = {});
    // The same from C's diagonal down; what is above it is undefined then.
    Event multiply_lower(Coefficient alpha, const DeviceFactor &a, const DeviceFactor &b, Coefficient beta,
                         const DeviceBlock &c, const std::vector<Event> &after = {});
    Event launch(Launch launch, const std::vector<Event> &after = {});
    // Into the slot, after what used it before and `after`.
    void send_to(Slot &slot, const DeviceBlock &to, const HostMatrix &from, const Event &after = nullptr);

    const std::shared_ptr<InCardGemm> &kernel() const { return kernel_; }
    Flow &flow() { return flow_; }
    void next_step(double part) { flow_.next_step(fraction_(part), "panels and updates"); }
    // The last ones given so far; null before the first.
    const Event &last_kernel() const { return last_kernel_; }
    const Event &last_send() const { return last_send_; }
    const Event &last_fetch() const { return last_fetch_; }

    static constexpr int slots = 2;

  private:
    Event multiply_part(GemmPart part, Coefficient alpha, const DeviceFactor &a, const DeviceFactor &b,
                        Coefficient beta, const DeviceBlock &c, const std::vector<Event> &after);
    std::int64_t strip_of_triangle(std::int64_t columns) const;
    // Scratch memory for a product that is launched next.
    DeviceBuffer *scratch_for(std::int64_t m, std::int64_t n, std::int64_t k);

    DeviceSession &session_;
    Scalar type_;
    bool row_major_;
    Fraction fraction_;
    std::shared_ptr<InCardGemm> kernel_;
    std::vector<SessionBuffer> buffers_;
    SessionBuffer scratch_;
    std::int64_t scratch_bytes_ = 0;
    Flow flow_;
    std::array<Slot, slots> slots_;
    std::size_t next_ = 0;
    Event last_kernel_, last_send_, last_fetch_;
};

} // namespace hpart
