// One operation's work on a device: blocks sent and fetched in the host's layout, products of blocks on the device, panels
// that stream through a ring of slots.
#pragma once

#include "out_of_card/factorisations/device_block.hpp"
#include "out_of_card/factorisations/host_matrix.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <array>
#include <functional>
#include <vector>

namespace hpart
{

class DeviceWork
{
  public:
    // Maps the finished part of this operation to the finished part of the whole.
    using Fraction = std::function<double(double)>;
    DeviceWork(DeviceSession &session, Scalar type, bool row_major, Control &control, const Options &options,
               Fraction fraction);

    // Memory for a block; it lives as long as this.
    DeviceBlock allocate(std::int64_t rows, std::int64_t columns);

    // The ring that panels stream through.
    void make_slots(std::int64_t rows, std::int64_t columns);
    // The slot that was used longest ago.
    const DeviceBlock &next_slot();

    void send(const DeviceBlock &to, const HostMatrix &from);
    void fetch(const DeviceBlock &from, const HostMatrix &to);
    // C = alpha op(A) op(B) + beta C. Empty products are passed over.
    void multiply(Coefficient alpha, const DeviceFactor &a, const DeviceFactor &b, Coefficient beta,
                  const DeviceBlock &c, GemmPart part = GemmPart::whole);
    // The same from C's diagonal down; elements above it are undefined then.
    void multiply_lower(Coefficient alpha, const DeviceFactor &a, const DeviceFactor &b, Coefficient beta,
                        const DeviceBlock &c);
    // A kernel that changes the block.
    void launch(Launch launch, const DeviceBlock &block);
    // Until no command uses the matrix on the host.
    void wait_for(const HostMatrix &matrix);

    const std::shared_ptr<InCardGemm> &kernel() const { return kernel_; }
    Flow &flow() { return flow_; }
    void next_step(double part) { flow_.next_step(fraction_(part), "panels and updates"); }

    static constexpr int slots = 2;

  private:
    BufferSide side(const DeviceBlock &block) const;
    Area area(const DeviceBlock &block) const;
    Rectangle lines(std::int64_t rows, std::int64_t columns) const;
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
    std::array<DeviceBlock, slots> slots_;
    std::size_t next_ = 0;
};

} // namespace hpart
