// One operation's work on a device: blocks sent and fetched in the host's layout, products of blocks on the device, panels
// that stream through a ring of slots.
#pragma once

#include "out_of_card/factorisations/host_matrix.hpp"
#include "out_of_card/factorisations/on_host.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <array>
#include <functional>
#include <vector>

namespace hpart
{

// Blocks of matrices on the device, of any type.

// In the layout of the matrix on the host. Offset and leading dimension are in elements.
struct DeviceBlock {
    DeviceBuffer *buffer = nullptr;
    std::int64_t offset = 0, ld = 0;
    std::int64_t rows = 0, columns = 0;
    bool row_major = true;

    DeviceBlock block(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const
    {
        return {buffer, offset + (row_major ? i * ld + j : i + j * ld), ld, block_rows, block_columns, row_major};
    }
};

using DeviceFactor = FactorOf<DeviceBlock>;

// The cost of work on the host: operations of a factorisation, and bytes that other work reads and writes.
struct HostCost {
    double flops = 0, bytes = 0;
};

// A session may keep one for a device on a simulated clock: it lets the clock run, and nothing is computed.
class SimulatedHost
{
  public:
    SimulatedHost() = default;
    SimulatedHost(const SimulatedHost &) = delete;
    SimulatedHost &operator=(const SimulatedHost &) = delete;
    virtual ~SimulatedHost() = default;
    virtual void spend(const HostCost &cost) = 0;

    static constexpr const char *name = "simulated host";
};

class DeviceWork
{
  public:
    // Maps the finished part of this operation to the finished part of the whole.
    using Fraction = std::function<double(double)>;
    DeviceWork(DeviceSession &session, Scalar type, bool row_major, Control &control, const Options &options,
               Fraction fraction);

    // Memory for a block; it lives as long as this.
    DeviceBlock allocate(std::int64_t rows, std::int64_t columns) { return allocate(rows, columns, row_major_); }
    DeviceBlock allocate(std::int64_t rows, std::int64_t columns, bool row_major);

    // The ring that panels stream through.
    void make_slots(std::int64_t rows, std::int64_t columns);
    // The slot that was used longest ago.
    const DeviceBlock &next_slot();
    const DeviceBlock &slot(std::size_t i) const { return slots_[i]; }

    void send(const DeviceBlock &to, const HostMatrix &from);
    void fetch(const DeviceBlock &from, const HostMatrix &to);
    // The two have one layout.
    void copy(const DeviceBlock &from, const DeviceBlock &to);
    // C = alpha op(A) op(B) + beta C. Empty products are passed over.
    void multiply(Coefficient alpha, const DeviceFactor &a, const DeviceFactor &b, Coefficient beta,
                  const DeviceBlock &c, GemmPart part = GemmPart::whole);
    // The same from C's diagonal down; elements above it are undefined then.
    void multiply_lower(Coefficient alpha, const DeviceFactor &a, const DeviceFactor &b, Coefficient beta,
                        const DeviceBlock &c);
    void launch(Launch launch, std::vector<Area> reads, std::vector<Area> writes)
    {
        flow_.launch(std::move(launch), std::move(reads), std::move(writes));
    }
    void copy_aside(const DeviceBlock &from, const DeviceBlock &to);
    Area area(const DeviceBlock &block) const;
    // Until no command uses the matrix on the host.
    void wait_for(const HostMatrix &matrix);

    // The host's work on the operation's matrices.
    template <typename Work> auto on_host(const HostCost &cost, const Work &work) const
    {
        if (!simulated_) return work();
        simulated_->spend(cost);
        return decltype(work())();
    }
    bool is_simulated() const { return simulated_ != nullptr; }

    const std::shared_ptr<InCardGemm> &kernel() const { return kernel_; }
    Flow &flow() { return flow_; }
    void next_step(double part) { flow_.next_step(fraction_(part), "panels and updates"); }

    static constexpr int slots = 2;

  private:
    BufferSide side(const DeviceBlock &block) const;
    Rectangle lines(std::int64_t rows, std::int64_t columns) const;
    std::int64_t strip_of_triangle(std::int64_t columns) const;
    // Scratch memory for a product that is launched next.
    DeviceBuffer *scratch_for(std::int64_t m, std::int64_t n, std::int64_t k);

    DeviceSession &session_;
    Scalar type_;
    bool row_major_;
    Fraction fraction_;
    std::shared_ptr<InCardGemm> kernel_;
    std::shared_ptr<SimulatedHost> simulated_; // usually none
    std::vector<SessionBuffer> buffers_;
    SessionBuffer scratch_;
    std::int64_t scratch_bytes_ = 0;
    Flow flow_;
    std::array<DeviceBlock, slots> slots_;
    std::size_t next_ = 0;
};

// Triangular diagonal blocks as their inverses, so that solving is a product; but only where that is as accurate.

class DiagonalBlocks
{
  public:
    DiagonalBlocks(Scalar type, std::int64_t count, std::int64_t width, bool row_major)
    {
        for (std::int64_t k = 0; k < count; ++k) {
            blocks_.push_back({{}, {}, {type, width, width, row_major}, true});
            blocks_.back().a = blocks_.back().inverse.matrix();
        }
    }

    struct Shape {
        Triangle triangle = Triangle::lower;
        bool unit_diagonal = false;
    };
    void invert(std::int64_t k, const HostMatrix &a, const Shape &shape);
    // Zeros are written out.
    HostMatrix inverse(std::int64_t k) const;

    // True if a product with the inverse is as accurate as a solution.
    bool is_accurate(std::int64_t k) const { return blocks_[static_cast<std::size_t>(k)].is_accurate; }

    // solved = op(block)^-1 right, on the device and in `to`.
    void solve(DeviceWork &work, std::int64_t k, const DeviceFactor &inverse, const DeviceBlock &right,
               const DeviceBlock &solved, const HostMatrix &to) const;

  private:
    struct Block {
        HostMatrix a; // of the inverse's size until there is one
        Shape shape;
        Workspace inverse;
        bool is_accurate = true;
    };
    std::vector<Block> blocks_;
};

} // namespace hpart
