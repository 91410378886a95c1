#include "out_of_card/factorisations/blocking.hpp"
#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/recursive.hpp"

// A = L L^H of a row-major matrix, by blocks of rows, so that rows of the matrix travel as they are. A block of L stays on the device
// and grows from the left: each panel of columns is brought up to date by one deep product with all panels before it and the rows
// of L that are its columns, which stream past if they are of earlier blocks. Then it is multiplied with the inverse of the panel's
// square on the diagonal. The host factors the squares, while the next panel is brought up to date.

namespace hpart::on_device
{

namespace
{

class RowCholesky
{
  public:
    RowCholesky(DeviceWork &work, const LeftLookingShape &shape, const HostMatrix &a)
        : work_(work), shape_(shape), a_(a), square_(a.type, shape.panel, shape.panel, true),
          inverses_(a.type, 1, shape.panel, true), block_(work.allocate(shape.resident, shape.rows)),
          inverses_on_device_(work.allocate(shape.rows, shape.panel))
    {
        for (auto &chunk : chunks_) chunk = work.allocate(shape.resident, shape.streamed);
        work.make_slots(shape.panel, shape.rows);
    }
    RowCholesky(const RowCholesky &) = delete;
    RowCholesky &operator=(const RowCholesky &) = delete;

    // LAPACK's info.
    std::int64_t run()
    {
        const auto n = a_.rows;
        send_part({0, std::min(shape_.resident, n)}, 0, 0, 1);
        for (; first_ < n; first_ = end_) {
            end_ = std::min(first_ + shape_.resident, n);
            for (std::int64_t p = 0; p < end_; p += shape_.panel) {
                move_chunks(p);
                if (p < first_)
                    apply_old(p);
                else if (const auto info = factor(p); info > 0)
                    return p + info;
                work_.next_step(static_cast<double>(first_ + (end_ - first_) * (p + 1) / end_) /
                                static_cast<double>(n));
            }
            chunks_before_ += ceil_div(end_, shape_.streamed);
        }
        return 0;
    }
    double panel_seconds() const { return panel_seconds_; }

  private:
    std::int64_t width(std::int64_t p) const { return std::min(shape_.panel, a_.rows - p); }
    // The block's rows from this one on, of some columns.
    DeviceBlock rows_from(std::int64_t row, std::int64_t column, std::int64_t columns) const
    {
        return block_.block(row - first_, column, end_ - row, columns);
    }
    // The same of the panel that is being made; its chunk's rows above the diagonal are never sent.
    DeviceBlock in_chunk(std::int64_t row, std::int64_t p) const
    {
        return chunk(p / shape_.streamed).block(row - first_, p % shape_.streamed, end_ - row, width(p));
    }
    DeviceBlock inverse(std::int64_t p) const { return inverses_on_device_.block(p, 0, width(p), width(p)); }

    // Memory for so many columns of A, counted from the block's first.
    const DeviceBlock &chunk(std::int64_t k) const
    {
        return chunks_[static_cast<std::size_t>((chunks_before_ + k) % 2)];
    }

    // A block's rows of a chunk of columns are sent and fetched in as many parts as chunks have panels: others need the link between
    // them.
    struct Rows {
        std::int64_t first = 0, end = 0;
    };
    // At least a panel's: if a square is not positive definite, all rows above it have left.
    Rows part_of_rows(const Rows &rows, std::int64_t part, std::int64_t parts) const
    {
        const auto length = std::max(shape_.panel, ceil_div(rows.end - rows.first, parts)),
                   first = rows.first + part * length;
        return {std::min(first, rows.end), std::min(first + length, rows.end)};
    }
    // Chunk `place` from the block's first on is the chunk of these rows that begins at `column`.
    void send_part(const Rows &block, std::int64_t column, std::int64_t part, std::int64_t parts)
    {
        const auto place = block.first == first_ ? column / shape_.streamed : ceil_div(end_, shape_.streamed);
        const auto [first, end] = part_of_rows({std::max(block.first, column), block.end}, part, parts);
        const auto columns = std::min(shape_.streamed, block.end - column);
        work_.send(chunk(place).block(first - block.first, 0, end - first, columns),
                   a_.block(first, column, end - first, columns));
    }
    // Beside panel p: the next chunk comes, and the last one, which is L now, leaves.
    void move_chunks(std::int64_t p)
    {
        const auto part = p % shape_.streamed / shape_.panel, column = p - p % shape_.streamed,
                   parts = ceil_div(std::min(shape_.streamed, end_ - column), shape_.panel),
                   next = column + shape_.streamed, last = column - shape_.streamed;
        if (next < end_)
            send_part({first_, end_}, next, part, parts);
        else if (end_ < a_.rows)
            send_part({end_, std::min(end_ + shape_.resident, a_.rows)}, 0, part, parts);
        if (last < 0 || last >= first_) return;
        const auto [first, end] = part_of_rows({first_, end_}, part, parts);
        work_.fetch(block_.block(first - first_, last, end - first, shape_.streamed),
                    a_.block(first, last, end - first, shape_.streamed));
    }

    // A panel of columns of earlier blocks.
    void apply_old(std::int64_t p)
    {
        const auto slot = work_.next_slot().block(0, 0, width(p), p);
        work_.send(slot, a_.block(p, 0, width(p), p));
        work_.multiply(-1, {rows_from(first_, 0, p)}, {slot, Transpose::conjugate}, 1, in_chunk(first_, p));
        solve(p, first_);
    }

    // Subtracts the product of the panels [from, to) from panel p of the block's own columns.
    void apply_own(std::int64_t p, std::int64_t from, std::int64_t to)
    {
        const auto rows = rows_from(p, from, to - from);
        work_.multiply(-1, {rows}, {rows.block(0, 0, width(p), to - from), Transpose::conjugate}, 1, in_chunk(p, p));
    }

    // A panel of the block's own columns. Returns LAPACK's info.
    std::int64_t factor(std::int64_t p)
    {
        const auto w = width(p), next = p + w, before = std::max(first_, p - shape_.panel);
        if (p == first_)
            apply_own(p, 0, p);
        else
            apply_own(p, before, p);
        const auto square = square_.matrix().block(0, 0, w, w), in_place = a_.block(p, p, w, w);
        work_.fetch(in_chunk(p, p).block(0, 0, w, w), square);
        if (next < end_) apply_own(next, 0, p);
        work_.fetch(rows_from(p, first_, p - first_).block(0, 0, w, p - first_), a_.block(p, first_, w, p - first_));
        work_.wait_for(square);
        const auto start = Clock::now();
        const auto info = work_.on_host({.flops = panel_flops(StepKind::cholesky, a_.type, w, w)}, [&] {
            on_host::copy_lower(square, in_place);
            const auto result = on_host::factor_cholesky(in_place);
            if (result == 0 && next < a_.rows) {
                work_.wait_for(inverses_.inverse(0)); // it may be on its way to the device
                inverses_.invert(0, in_place, {.triangle = Triangle::lower});
            }
            return result;
        });
        const auto seconds = seconds_since(start);
        panel_seconds_ += seconds;
        if (auto *const timeline = work_.flow().timeline())
            timeline->add("host", "panel", timeline->now() - seconds, timeline->now());
        if (info > 0 || next == a_.rows) return info;
        is_accurate_.push_back(inverses_.is_accurate(0));
        work_.send(inverse(p), inverses_.inverse(0));
        if (next < end_) solve(p, next);
        return 0;
    }

    // Makes the rows of L from this one on in a panel that is up to date.
    void solve(std::int64_t p, std::int64_t row)
    {
        const auto c = in_chunk(row, p), x = rows_from(row, p, width(p));
        if (is_accurate_[static_cast<std::size_t>(p / shape_.panel)])
            return work_.multiply(1, {c}, {inverse(p), Transpose::conjugate}, 0, x);
        const auto to = a_.block(row, p, x.rows, x.columns);
        work_.fetch(c, to);
        work_.wait_for(to);
        // The memory of L and C is L^T and C^T in the other layout: conj(L) X^T = C^T, and conj(L) = (L^T)^H.
        on_host::solve_triangle({.triangle = Triangle::upper, .transpose = Transpose::conjugate},
                                a_.block(p, p, x.columns, x.columns).transposed(), to.transposed());
        work_.send(x, to);
    }

    DeviceWork &work_;
    const LeftLookingShape shape_;
    const HostMatrix a_;
    const Workspace square_;
    DiagonalBlocks inverses_;       // of the last square
    std::vector<bool> is_accurate_; // of each square's inverse
    const DeviceBlock block_;       // rows [first_, end_) of L
    const DeviceBlock inverses_on_device_;
    std::array<DeviceBlock, 2> chunks_;
    std::int64_t first_ = 0, end_ = 0, chunks_before_ = 0;
    double panel_seconds_ = 0;
};

} // namespace

std::optional<std::int64_t> factor_cholesky_by_rows(FactorisationContext &context, const HostMatrix &a)
{
    return run_on_device<RowCholesky>(context, factorisation_of(StepKind::cholesky, a), a);
}

} // namespace hpart::on_device
