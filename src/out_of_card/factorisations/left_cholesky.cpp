// A = L L^H, left-looking by blocks of columns. Only the triangle moves: the squares on the diagonal, which hold what is not
// ours to write, come to a workspace first.
#include "out_of_card/factorisations/on_card.hpp"

namespace hpart::on_card
{

namespace
{

template <typename Value> class LeftCholesky final : public LeftLooking
{
  public:
    LeftCholesky(CardWork &work, const LeftLookingShape &shape, const HostMatrix &a)
        : LeftLooking(work, shape), a_(a), square_(shape.last_panel, shape.last_panel, a.row_major),
          resident_(work.allocate(shape.rows, shape.resident))
    {
        work.make_slots(shape.rows, shape.panel);
    }

    static bool fits(const CardWork &work, const LeftLookingShape &shape, std::int64_t bytes)
    {
        return work.bytes_of_block(shape.rows, shape.resident) +
                   CardWork::slots * work.bytes_of_block(shape.rows, shape.panel) <=
               bytes;
    }

  private:
    // Of the lower triangle, a panel below its diagonal square.
    HostMatrix below(std::int64_t k) const
    {
        return block_of(a_, panel_end(k), panel_begin(k), a_.rows - panel_end(k), panel_width(k));
    }
    HostMatrix square(std::int64_t k) const
    {
        return {a_.type, a_.row_major, panel_width(k), panel_width(k), square_.part().data, square_.part().ld};
    }
    // Rows and columns of the matrix that are on the card.
    CardPart on_card(std::int64_t row, const Columns &columns) const
    {
        return resident_.block(row - block().first, columns.first - block().first, a_.rows - row, columns.count);
    }

    void begin_block() override
    {
        const std::vector<Event> after{work_.last_kernel(), work_.last_fetch()};
        const auto end = block().first + block().count;
        for (auto column = block().first; column < end; column += shape_.panel) {
            const auto width = std::min(shape_.panel, end - column);
            loaded_ = work_.send(on_card(column, {column, width}),
                                 block_of(a_, column, column, a_.rows - column, width), after);
        }
    }

    Event fetch_panel(std::int64_t k) override
    {
        const auto part = on_card(panel_begin(k), {panel_begin(k), panel_width(k)});
        const auto width = panel_width(k);
        const std::vector<Event> after{work_.last_kernel()};
        const auto first = work_.fetch(part.block(0, 0, width, width), square(k), after);
        const auto rest = work_.fetch(part.block(width, 0, part.rows - width, width), below(k), after);
        fetched_ = k;
        return rest ? rest : first;
    }

    std::int64_t factor_panel(std::int64_t k) override
    {
        const auto in_place =
            part_of<Value>(block_of(a_, panel_begin(k), panel_begin(k), panel_width(k), panel_width(k)));
        const auto fetched = part_of<Value>(square(k));
        if (fetched_ == k)
            for (std::int64_t j = 0; j < fetched.columns; ++j)
                for (std::int64_t i = j; i < fetched.rows; ++i) in_place.at(i, j) = fetched.at(i, j);
        return on_host::factor_cholesky_panel(
            part_of<Value>(block_of(a_, panel_begin(k), panel_begin(k), a_.rows - panel_begin(k), panel_width(k))));
    }

    void accept(std::int64_t) override {}

    CardWork::Slot &stream(std::int64_t k) override
    {
        auto &slot = work_.next_slot();
        slot_row_ = std::max(panel_end(k), block().first);
        const auto panel = block_of(a_, slot_row_, panel_begin(k), a_.rows - slot_row_, panel_width(k));
        work_.send_to(slot, slot.part.block(0, 0, panel.rows, panel.columns), panel);
        return slot;
    }

    void apply(std::int64_t k, CardWork::Slot &slot, const Columns &columns) override
    {
        auto after = slot.ready;
        after.push_back(loaded_);
        const auto rows = [&](std::int64_t count) {
            return slot.part.block(columns.first - slot_row_, 0, count, panel_width(k));
        };
        work_.multiply_lower(-1, {rows(a_.rows - columns.first)}, {rows(columns.count), Transpose::conjugate}, 1,
                             on_card(columns.first, columns), after);
    }

    bool ends_at_info() const override { return true; }

    const HostMatrix a_;
    const Workspace<Value> square_;
    const CardPart resident_;
    Event loaded_;
    std::int64_t slot_row_ = 0; // the matrix's row that is the slot's first
    std::int64_t fetched_ = -1; // the panel whose square is in the workspace
};

} // namespace

template <typename Value> std::optional<std::int64_t> factor_cholesky(Products &products, const Part<Value> &a)
{
    if (products.only_card() == nullptr) return std::nullopt;
    const LeftLookingProblem problem{.method = LeftLookingMethod::cholesky,
                                     .type = ScalarOf<Value>::type,
                                     .rows = a.rows,
                                     .columns = a.columns,
                                     .depth = std::min(a.rows, a.columns)};
    return run_on_card<LeftCholesky<Value>>(products, host_matrix(a), {problem, cholesky_flops(host_matrix(a))});
}

#define HPART_CHOLESKY(Value) template std::optional<std::int64_t> factor_cholesky(Products &, const Part<Value> &);
HPART_FOR_ALL_TYPES(HPART_CHOLESKY)
#undef HPART_CHOLESKY

} // namespace hpart::on_card
