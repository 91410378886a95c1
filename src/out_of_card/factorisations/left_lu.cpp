// LU with partial pivoting, left-looking by blocks of columns.

#include "out_of_card/factorisations/left_lu.hpp"

#include "host/thread_group.hpp"
#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/left_looking.hpp"
#include "out_of_card/factorisations/on_host.hpp"
#include "out_of_card/factorisations/recursive.hpp"
#include "out_of_card/in_card/cublas.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

class HostRowSwaps final : public RowSwaps
{
  public:
    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others) override
    {
        const auto bytes = block.offset * bytes_of(type);
        const HostMatrix rows{
            type,    block.row_major, block.rows, block.columns, static_cast<char *>(block.buffer->native()) + bytes,
            block.ld};
        for (auto &other : others) ++other; // as LAPACK counts
        return [=](LaunchContext &) { on_host::swap_rows(rows, others); };
    }
};

std::shared_ptr<RowSwaps> make_row_swaps(DeviceSession &session)
{
    switch (session.info().backend) {
    case Backend::host: return std::make_shared<HostRowSwaps>();
#ifdef HPART_HAVE_OPENCL
    case Backend::opencl: return make_opencl_row_swaps(session);
#endif
    default: return make_cuda_row_swaps(session);
    }
}

} // namespace

std::shared_ptr<RowSwaps> row_swaps(DeviceSession &session)
{
    return session.kept<RowSwaps>("row swaps", [&] { return make_row_swaps(session); });
}

namespace
{

// A call of cuBLAS for each pair of rows.
class CudaRowSwaps final : public RowSwaps, public std::enable_shared_from_this<CudaRowSwaps>
{
  public:
    explicit CudaRowSwaps(std::shared_ptr<Cublas> cublas) : cublas_(std::move(cublas)) {}

    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others) override
    {
        return [self = shared_from_this(), type, block, others = std::move(others)](LaunchContext &context) {
            auto *const handle = self->cublas_->in_stream(static_cast<CudaStream>(context.queue));
            with_type(type, [&]<typename Value>() {
                const auto &calls = self->cublas_->library().calls<Value>();
                auto *const top = static_cast<Value *>(block.buffer->native()) + block.offset;
                const auto row_stride = block.row_major ? block.ld : 1, column_stride = block.row_major ? 1 : block.ld;
                const auto most = std::max<std::int64_t>(1, longest_cublas_span / column_stride);
                for (std::int64_t k = 0; k < std::ssize(others); ++k)
                    for (std::int64_t column = 0; others[k] != k && column < block.columns; column += most) {
                        auto *const first = top + column * column_stride;
                        CublasLibrary::check(calls.exchange(handle, std::min(most, block.columns - column),
                                                            first + k * row_stride, first + others[k] * row_stride,
                                                            column_stride),
                                             "cublasSwap");
                    }
            });
        };
    }

  private:
    std::shared_ptr<Cublas> cublas_;
};

} // namespace

std::shared_ptr<RowSwaps> make_cuda_row_swaps(DeviceSession &session)
{
    return std::make_shared<CudaRowSwaps>(cublas_of(session));
}

} // namespace hpart

namespace hpart::on_device
{

namespace
{

class LeftLu final : public LeftLooking
{
  public:
    LeftLu(DeviceWork &work, const LeftLookingShape &shape, const HostMatrix &a, std::span<std::int64_t> pivots)
        : LeftLooking(work, shape), a_(a), pivots_(pivots), swaps_(row_swaps(work.flow().session())),
          tops_(a.type, panels(), shape.panel, a.row_major), resident_(work.allocate(shape.rows, shape.resident))
    {
        work.make_slots(shape.rows, shape.panel);
        for (auto &row : solved_) row = work.allocate(shape.panel, shape.resident);
    }

  private:
    std::span<std::int64_t> pivots_of(std::int64_t k)
    {
        return pivots_.subspan(static_cast<std::size_t>(panel_begin(k)), static_cast<std::size_t>(panel_width(k)));
    }
    std::int64_t below(std::int64_t k) const { return a_.rows - panel_begin(k); }
    HostMatrix panel(std::int64_t k) const
    {
        return a_.block(panel_begin(k), panel_begin(k), below(k), panel_width(k));
    }
    // The rows from panel k's first on, of columns of the matrix.
    DeviceBlock on_device(std::int64_t k, const Columns &columns) const
    {
        return resident_.block(panel_begin(k), columns.first - block().first, below(k), columns.count);
    }

    void begin_block() override
    {
        const auto sent = sent_of_block();
        const auto columns = a_.block(0, sent.first, a_.rows, sent.count);
        swap_left();
        work_.on_host(swapping(swapped_, sent.count), [&] {
            threads_.for_each(ceil_div(sent.count, shape_.panel), [&](std::int64_t part) {
                const auto first = part * shape_.panel;
                on_host::swap_rows(columns.block(0, first, a_.rows, std::min(shape_.panel, sent.count - first)),
                                   swapped());
            });
        });
        work_.send(resident_.block(0, sent.first - block().first, a_.rows, sent.count), columns);
    }

    HostMatrix fetch_panel(std::int64_t k) override
    {
        work_.fetch(on_device(k, {panel_begin(k), panel_width(k)}), panel(k));
        return panel(k);
    }

    std::int64_t factor_panel(std::int64_t k) override
    {
        const auto part = panel(k);
        const auto bytes = static_cast<double>(part.rows * part.columns * bytes_of(part.type));
        const HostCost cost{panel_flops(StepKind::lu, part.type, part.rows, part.columns),
                            part.row_major ? 4 * bytes : 0};
        return work_.on_host(cost, [&] {
            const auto info = by_columns_.use(
                part, [&](const HostMatrix &columns) { return on_host::factor_lu(columns, pivots_of(k)); });
            if (is_applied(k))
                tops_.invert(k, part.block(0, 0, part.columns, part.columns),
                             {.triangle = Triangle::lower, .unit_diagonal = true});
            return info;
        });
    }

    // Each exchange reads and writes two numbers.
    HostCost swapping(std::int64_t rows, std::int64_t columns) const
    {
        return {.bytes = static_cast<double>(4 * rows * bytes_of(a_.type)) * static_cast<double>(columns)};
    }

    void accept(std::int64_t k) override
    {
        const auto end = panel_end(k);
        const std::span<const std::int64_t> pivots = pivots_of(k);
        std::vector<std::int64_t> others(pivots.size());
        std::ranges::transform(pivots, others.begin(), [](std::int64_t pivot) { return pivot - 1; });
        const auto right = std::max(end, block().first), block_end = block().first + block().count;
        if (right >= block_end) return;
        const auto swapped = on_device(k, {right, block_end - right});
        work_.launch(swaps_->swap(a_.type, swapped, others), swapped);
    }

    void settle(std::int64_t k) override
    {
        for (auto &pivot : pivots_of(k)) pivot += panel_begin(k);
        swapped_ += panel_width(k);
    }
    void finish() override { swap_left(); }

    // Pivots of the panels that are settled, which count from the first row.
    std::span<const std::int64_t> swapped() const { return pivots_.first(static_cast<std::size_t>(swapped_)); }

    // Panels on the left follow the pivots of those behind them before they are sent for the next block: each at once, as its columns
    // would leave the caches between one panel and the next.
    void swap_left()
    {
        work_.wait_for(a_.block(0, 0, a_.rows, panels() == 0 ? 0 : panel_end(panels() - 1)));
        const auto rest = swapped_ - left_swapped_; // and of their own columns half
        work_.on_host(swapping(rest, left_swapped_ + rest / 2), [&] {
            threads_.for_each(panels(), [this](std::int64_t k) {
                const auto first = std::max(panel_end(k), left_swapped_);
                if (first >= swapped_) return;
                on_host::swap_rows(a_.block(0, panel_begin(k), a_.rows, panel_width(k)),
                                   swapped().subspan(static_cast<std::size_t>(first)), true, first);
            });
        });
        left_swapped_ = swapped_;
    }

    const DeviceBlock &stream(std::int64_t k) override
    {
        const auto &slot = work_.next_slot();
        const auto width = panel_width(k), rows = below(k);
        work_.send(slot.block(0, 0, width, width), tops_.inverse(k));
        work_.send(slot.block(width, 0, rows - width, width), panel(k).block(width, 0, rows - width, width));
        return slot;
    }

    void apply(std::int64_t k, const DeviceBlock &slot, const Columns &columns) override
    {
        const auto width = panel_width(k), rows = below(k);
        const auto block = on_device(k, columns);
        const auto top = slot.block(0, 0, width, width), l = slot.block(width, 0, rows - width, width);
        const auto u = solved_[next_solved_++ % solved_.size()].block(0, 0, width, columns.count);
        tops_.solve(work_, k, {top}, block.block(0, 0, width, columns.count), u,
                    a_.block(panel_begin(k), columns.first, width, columns.count));
        work_.multiply(-1, {l}, {u}, 1, block.block(width, 0, rows - width, columns.count));
    }

    bool ends_at_info() const override { return false; }

    const HostMatrix a_;
    const std::span<std::int64_t> pivots_;
    const std::shared_ptr<RowSwaps> swaps_;
    std::int64_t swapped_ = 0,
                 left_swapped_ = 0; // pivots of settled panels; and those that the panels before them follow
    OwnThreads threads_;            // a panel is factored while others are swapped
    on_host::PanelByColumns by_columns_;
    DiagonalBlocks tops_;
    const DeviceBlock resident_;
    std::array<DeviceBlock, 2> solved_; // rows of U: one is fetched while the other is made
    std::size_t next_solved_ = 0;
};

} // namespace

std::optional<std::int64_t> factor_lu(FactorisationContext &context, const HostMatrix &a,
                                      std::span<std::int64_t> pivots)
{
    const auto matrix = a;
    return run_on_device<LeftLu>(context, factorisation_of(StepKind::lu, matrix), matrix, pivots);
}

} // namespace hpart::on_device
