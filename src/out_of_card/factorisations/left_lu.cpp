// LU with partial pivoting, left-looking by blocks of columns. A panel is applied to a block with its exchanges of rows; on the host it
// keeps the order of rows that it was factored in until no block needs it.

#include "host/thread_group.hpp"
#include "out_of_card/factorisations/device_panels.hpp"
#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/left_looking.hpp"
#include "out_of_card/factorisations/on_host.hpp"
#include "out_of_card/factorisations/recursive.hpp"
#include "out_of_card/factorisations/row_swaps.hpp"

#include <algorithm>

namespace hpart::on_device
{

namespace
{

class LeftLu final : public LeftLooking
{
  public:
    LeftLu(DeviceWork &work, const LeftLookingShape &shape, const HostMatrix &a, std::span<std::int64_t> pivots)
        : LeftLooking(work, shape), a_(a), pivots_(pivots), swaps_(row_swaps(work.flow().session())),
          tops_(a.type, shape.panels_on_device ? 0 : panels(), shape.panel, a.row_major),
          resident_(work.allocate(shape.rows, shape.resident)),
          fetched_together_(std::max(shape.panel, shape.streamed)),
          panels_ahead_(shape.panels_on_device && !a.row_major ? half_of_group(shape) : 0),
          columns_ahead_(round_up(shape.resident * 3 / 8, shape.panel))
    {
        const auto problem = factorisation_of(StepKind::lu, a);
        if (swaps_->reads_list()) results_.emplace(work, panels(), DevicePanels::bytes_found(problem, shape.panel));
        if (shape.panels_on_device) panels_.emplace(work, problem, shape, *results_);
        work.make_slots(shape.rows, std::max(shape.panel, shape.streamed));
        if (!panels_)
            for (auto &row : solved_) row = work.allocate(shape.panel, shape.resident);
        for (std::int64_t k = 0; k < panels(); ++k) followed_.push_back(panel_end(k));
        has_list_.resize(followed_.size());
    }

  private:
    struct GroupAhead {
        DeviceBlock slot = {};
        std::int64_t step = 0; // the panel after which it was sent
    };
    struct Ahead {
        std::int64_t first = -1, columns = 0; // of the matrix
        std::int64_t swapped = 0;             // panels whose pivots they follow
        std::int64_t sent = 0, panels = 0; // panels that are in slots, and those that were applied to all the columns
        std::int64_t done = 0;             // columns that the next group was applied to
        std::array<GroupAhead, DeviceWork::slots> groups = {{}};
    };

    // The most panels that divide the panels of a group, and have room beside one of them.
    static std::int64_t half_of_group(const LeftLookingShape &shape)
    {
        const auto group = shape.streamed / shape.panel;
        auto part = group - 1;
        while (part > 0 && group % part != 0) --part;
        return part;
    }
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
        if (panels_) results_->clear(); // before the block is sent
        send_block(resident_, a_);
        end_ahead();
        // Panels of earlier blocks then come with the order of rows that this block begins with.
        if (panels_)
            for (std::int64_t k = 0; k < panels() && panel_end(k) <= block().first; ++k)
                swap_block(k, k < ahead_.swapped ? ahead_end() : block().first);
    }

    HostMatrix fetch_panel(std::int64_t k) override
    {
        const auto here = on_device(k, {panel_begin(k), panel_width(k)});
        if (!panels_) {
            work_.fetch(here, panel(k));
            return panel(k);
        }
        in_slot_ = k;
        slot_ = &work_.next_slot();
        panels_->factor(k, here, slot_->block(0, 0, here.rows, here.columns));
        fetch_above(resident_, {panel_begin(k), panel_width(k)}, a_);
        has_list_[static_cast<std::size_t>(k)] = true;
        return {};
    }

    std::int64_t factor_panel(std::int64_t k) override
    {
        const auto part = panel(k);
        if (panels_) {
            if (panels_->await(k)) {
                std::ranges::copy_n(static_cast<const std::int64_t *>(results_->found(k)), part.columns,
                                    pivots_of(k).begin());
                return 0;
            }
            in_slot_ = -1;
            has_list_[static_cast<std::size_t>(k)] = false;
            work_.fetch(on_device(k, {panel_begin(k), panel_width(k)}), part);
            work_.wait_for(part);
        }
        const auto bytes = static_cast<double>(part.rows * part.columns * bytes_of(part.type));
        const HostCost cost{panel_flops(StepKind::lu, part.type, part.rows, part.columns),
                            part.row_major ? 4 * bytes : 0};
        return work_.on_host(cost, [&] {
            const auto info = by_columns_.use(
                part, [&](const HostMatrix &columns) { return on_host::factor_lu(columns, pivots_of(k)); });
            if (is_applied(k) && !panels_)
                tops_.invert(k, part.block(0, 0, part.columns, part.columns),
                             {.triangle = Triangle::lower, .unit_diagonal = true});
            return info;
        });
    }

    void accept(std::int64_t k) override
    {
        if (!panels_ || !a_.row_major) {
            if (in_slot_ == k) work_.fetch(slot_->block(0, 0, below(k), panel_width(k)), panel(k));
            fetched_ = k + 1;
            return;
        }
        // Rows of single panels would be short: several leave together, from their places in the block.
        const auto place = on_device(k, {panel_begin(k), panel_width(k)});
        if (in_slot_ == k)
            panels_->turn_to(place);
        else
            work_.send(place, panel(k));
        const bool is_last = panel_end(k) == block().first + block().count || k + 1 == panels();
        if (is_last || panel_end(k) % fetched_together_ == 0) {
            fetch_part(1);
            leaving_ = {fetched_, k + 1, panel_begin(fetched_)};
        }
        fetch_part(is_last ? 1 : fetched_together_ / shape_.panel);
    }

    // One of so many parts of the panels that leave, so that the next panel's results need not wait for all of them.
    void fetch_part(std::int64_t parts)
    {
        auto &[first, end, row] = leaving_;
        if (first == end) return;
        const auto column = panel_begin(first), columns = panel_end(end - 1) - column;
        const auto rows = std::min(a_.rows - row, ceil_div(a_.rows - column, parts));
        work_.fetch(resident_.block(row, column - block().first, rows, columns), a_.block(row, column, rows, columns));
        row += rows;
        if (row == a_.rows) fetched_ = first = end;
    }

    void settle(std::int64_t k) override
    {
        for (auto &pivot : pivots_of(k)) pivot += panel_begin(k);
        swapped_ += panel_width(k);
    }

    // Panels that no block needs any more follow the pivots behind them.
    void work_beside(std::int64_t k) override
    {
        if (block().first + block().count < a_.columns) {
            if (panel_begin(k) >= block().first) look_ahead(k);
            return;
        }
        if (panel_begin(k) < block().first)
            follow(0, k - 2 * streamed_together(k), swapped_);
        else if (!panels_)
            follow(0, k - 1, swapped_);
        else if (k + 1 < panels())
            follow_beside(k + 1, std::min(k - 1, fetched_));
    }
    std::int64_t streamed_together(std::int64_t k) const override { return panels_ ? panels_of_group(k) : 1; }
    void finish() override { follow(0, panels(), swapped_); }

    // Panels from `first` on, before `end`, follow the first `pivots` pivots.
    void follow(std::int64_t first, std::int64_t end, std::int64_t pivots)
    {
        first = std::max<std::int64_t>(first, 0);
        if (first >= end) return;
        const auto columns = panel_end(end - 1) - panel_begin(first);
        work_.wait_for(a_.block(panel_begin(first), panel_begin(first), a_.rows - panel_begin(first), columns));
        double bytes = 0;
        for (auto k = first; k < end; ++k) bytes += bytes_to_follow(k, pivots);
        if (bytes == 0) return;
        // Strips that a core's cache holds, enough for all threads.
        constexpr std::int64_t strip = 32;
        const auto strips = ceil_div(shape_.panel, strip);
        work_.on_host({.bytes = bytes}, [&] {
            threads_.for_each((end - first) * strips, [&](std::int64_t part) {
                const auto k = first + part / strips, column = part % strips * strip, from = followed(k);
                if (column < panel_width(k) && from < pivots)
                    on_host::swap_rows(
                        a_.block(0, panel_begin(k) + column, a_.rows, std::min(strip, panel_width(k) - column)),
                        swapped().first(static_cast<std::size_t>(pivots)).subspan(static_cast<std::size_t>(from)), true,
                        from);
            });
        });
        for (auto k = first; k < end; ++k) {
            auto &panel = followed_[static_cast<std::size_t>(k)];
            panel = std::max(panel, pivots);
        }
    }
    std::int64_t followed(std::int64_t k) const { return followed_[static_cast<std::size_t>(k)]; }
    // An exchange reads and writes two numbers; but columns that are contiguous stay in the cache meanwhile.
    double bytes_to_follow(std::int64_t k, std::int64_t pivots) const
    {
        const auto exchanges = std::max<std::int64_t>(0, pivots - followed(k)), rows = a_.rows - followed(k);
        const auto numbers = a_.row_major ? 4 * exchanges : std::min(4 * exchanges, 2 * rows);
        return static_cast<double>(bytes_of(a_.type)) * static_cast<double>(numbers * panel_width(k));
    }

    // Panels before `end` follow the pivots, in turn, until the device has factored panel k.
    void follow_beside(std::int64_t k, std::int64_t end)
    {
        constexpr double bytes_at_once = 8e6; // some 0.1 ms
        for (std::int64_t visited = 0; visited < end && !results_->is_here(k);) {
            if (following_ >= end) following_ = 0;
            const auto first = following_;
            for (double bytes = 0; following_ < end && bytes < bytes_at_once; ++following_)
                bytes += bytes_to_follow(following_, swapped_);
            follow(first, following_, swapped_);
            visited += following_ - first;
        }
    }

    // Pivots of the panels that are settled, which count from the first row.
    std::span<const std::int64_t> swapped() const { return pivots_.first(static_cast<std::size_t>(swapped_)); }

    // The block's columns behind a panel, from `from` on, follow its pivots.
    void swap_block(std::int64_t k, std::int64_t from = 0)
    {
        const auto first = std::max({panel_end(k), block().first, from}), end = block().first + block().count;
        if (first < end) swap(k, on_device(k, {first, end - first}));
    }

    void swap(std::int64_t k, const DeviceBlock &columns)
    {
        const auto before = panel_end(k) <= swapped_ ? panel_begin(k) : 0; // settled pivots count from the first row
        std::vector<std::int64_t> list(static_cast<std::size_t>(panel_width(k)));
        std::ranges::transform(pivots_of(k), list.begin(), [before](std::int64_t pivot) { return pivot - before; });
        if (results_ && !has_list_[static_cast<std::size_t>(k)]) {
            results_->send(k, list.data(), std::ssize(list) * std::int64_t{sizeof(std::int64_t)});
            has_list_[static_cast<std::size_t>(k)] = true;
        }
        for (auto &pivot : list) --pivot;
        work_.launch(
            swaps_->swap(a_.type, columns, std::move(list), results_ ? results_->found_on_device(k) : BufferSide{}),
            results_ ? std::vector{results_->area(k)} : std::vector<Area>{}, {work_.area(columns)});
    }

    // Kernels have little to do beside the block's last panels: the first columns of the next block, which are there, are brought
    // up to date with the first panels. Not by rows, where the link is the limit: these panels are sent once more for the other
    // columns.
    void look_ahead(std::int64_t k)
    {
        const auto next = block().first + block().count;
        const auto width = std::min(columns_ahead_, a_.columns - next);
        if (panels_ahead_ == 0 || sent() < next + width) return;
        if (ahead_.first != next) ahead_ = {.first = next, .columns = width};
        // As much work as the first panel of a block brings. A group is on its way for some two steps; kernels would wait for it.
        auto left = shape_.resident - std::max<std::int64_t>(0, next - panel_end(k + 1));
        while (left > 0 && ahead_.panels < ahead_.sent && group_ahead(ahead_.panels).step + 3 <= k) {
            const auto columns = std::clamp(left / panels_ahead_ / shape_.panel * shape_.panel, shape_.panel, width);
            left -= panels_ahead_ * apply_ahead(columns);
        }
        while (ahead_.sent < ahead_.panels + DeviceWork::slots * panels_ahead_ && ahead_.sent + panels_ahead_ <= k)
            send_ahead(k);
    }

    // Panels that are on the host, in the order of rows after panel k.
    void send_ahead(std::int64_t k)
    {
        auto &group = group_ahead(ahead_.sent);
        const auto end = ahead_.sent + panels_ahead_, first = panel_begin(ahead_.sent);
        follow(ahead_.sent, end, swapped_);
        group = {work_.slot(static_cast<std::size_t>(ahead_.sent / panels_ahead_ % DeviceWork::slots))
                     .block(0, shape_.panel, a_.rows - first, panel_end(end - 1) - first),
                 k};
        for (; ahead_.sent < end; ++ahead_.sent) {
            const auto column = panel_begin(ahead_.sent), width = panel_width(ahead_.sent);
            work_.send(group.slot.block(0, column - first, a_.rows - first, width),
                       a_.block(first, column, a_.rows - first, width));
        }
    }

    std::int64_t apply_ahead(std::int64_t columns)
    {
        const auto &group = group_ahead(ahead_.panels);
        for (; ahead_.done == 0 && ahead_.swapped <= group.step; ++ahead_.swapped)
            swap(ahead_.swapped, on_device_ahead(ahead_.swapped, 0, ahead_.columns));
        columns = std::min(columns, ahead_.columns - ahead_.done);
        apply_on_device(group.slot, on_device_ahead(ahead_.panels, ahead_.done, columns));
        ahead_.done += columns;
        if (ahead_.done == ahead_.columns) {
            ahead_.panels += panels_ahead_;
            ahead_.done = 0;
        }
        return columns;
    }

    void end_ahead()
    {
        while (ahead_.first == block().first && ahead_.panels < ahead_.sent) apply_ahead(ahead_.columns);
    }

    GroupAhead &group_ahead(std::int64_t k)
    {
        return ahead_.groups[static_cast<std::size_t>(k / panels_ahead_ % DeviceWork::slots)];
    }
    DeviceBlock on_device_ahead(std::int64_t k, std::int64_t first, std::int64_t columns) const
    {
        return resident_.block(panel_begin(k), first, below(k), columns);
    }
    // Behind the block's columns that are up to date with panels before ahead_.panels.
    std::int64_t ahead_end() const
    {
        return ahead_.first == block().first ? ahead_.first + ahead_.columns : block().first;
    }

    const DeviceBlock &stream(std::int64_t k) override
    {
        const bool is_old = panel_end(k) <= block().first;
        const auto together = is_old ? streamed_together(k) : 1;
        width_ = panel_end(k + together - 1) - panel_begin(k);
        if (!is_old || !panels_) swap_block(k);
        if (is_old && panels_) // while the device applies those before
            follow(k, k + together, std::min(block().first, swapped_));
        if (panels_) send_behind(resident_, a_, std::min(panel_end(k), panel_begin(fetched_)));
        if (in_slot_ == k) return *slot_;
        in_slot_ = -1;
        const auto &slot = work_.next_slot();
        const auto width = panel_width(k), rows = below(k);
        if (panels_) {
            work_.send(slot.block(0, 0, rows, width_), a_.block(panel_begin(k), panel_begin(k), rows, width_));
            return slot;
        }
        work_.send(slot.block(0, 0, width, width), tops_.inverse(k));
        work_.send(slot.block(width, 0, rows - width, width), panel(k).block(width, 0, rows - width, width));
        return slot;
    }

    void apply(std::int64_t k, const DeviceBlock &slot, const Columns &columns) override
    {
        const auto width = width_, rows = below(k);
        const auto block = on_device(k, columns);
        if (panels_) {
            const auto behind = std::min(ahead_end(), columns.first + columns.count) - columns.first;
            if (panel_end(k) > this->block().first || behind <= 0 || ahead_.panels <= k) {
                apply_on_device(slot.block(0, 0, rows, width), block);
                if (a_.row_major)
                    work_.fetch(block.block(0, 0, width, columns.count),
                                a_.block(panel_begin(k), columns.first, width, columns.count));
                return;
            }
            const auto done = std::min(width, panel_begin(ahead_.panels) - panel_begin(k));
            if (done < width)
                apply_on_device(slot.block(done, done, rows - done, width - done),
                                block.block(done, 0, rows - done, behind));
            if (behind < columns.count)
                apply_on_device(slot.block(0, 0, rows, width), block.block(0, behind, rows, columns.count - behind));
            return;
        }
        const auto top = slot.block(0, 0, width, width), l = slot.block(width, 0, rows - width, width);
        const auto upper = block.block(0, 0, width, columns.count);
        const auto u = a_.block(panel_begin(k), columns.first, width, columns.count);
        const auto solved = solved_[next_solved_++ % solved_.size()].block(0, 0, width, columns.count);
        tops_.solve(work_, k, {top}, upper, solved, u);
        work_.multiply(-1, {l}, {solved}, 1, block.block(width, 0, rows - width, columns.count));
    }

    // Columns behind panels that are next to each other, which the device has factored.
    void apply_on_device(const DeviceBlock &panels, const DeviceBlock &columns)
    {
        const auto width = panels.columns, rows = panels.rows - width;
        const auto upper = columns.block(0, 0, width, columns.columns);
        panels_->solve({.unit_diagonal = true}, panels.block(0, 0, width, width), upper);
        work_.multiply(-1, {panels.block(width, 0, rows, width)}, {upper}, 1,
                       columns.block(width, 0, rows, columns.columns));
    }

    void fetch_behind(const Columns &columns) override
    {
        if (panels_) fetch_above(resident_, columns, a_);
    }
    bool ends_at_info() const override { return false; }

    const HostMatrix a_;
    const std::span<std::int64_t> pivots_;
    const std::shared_ptr<RowSwaps> swaps_;
    std::int64_t swapped_ = 0;           // pivots of settled panels
    std::int64_t following_ = 0;         // the panel that is next to follow them
    std::vector<std::int64_t> followed_; // pivots that each panel on the host follows, counted from the first
    OwnThreads threads_;                 // a panel is factored while others are swapped
    on_host::PanelByColumns by_columns_;
    DiagonalBlocks tops_;
    const DeviceBlock resident_;
    std::array<DeviceBlock, 2> solved_; // rows of U: one is fetched while the other is made
    std::size_t next_solved_ = 0;
    std::optional<PanelResults> results_;
    std::optional<DevicePanels> panels_;
    std::vector<bool> has_list_; // panels whose pivots are on the device
    std::int64_t width_ = 0;     // columns that are applied
    std::int64_t fetched_ = 0;   // panels that are on their way to the host, or there
    struct Leaving {
        std::int64_t first = 0, end = 0, row = 0; // panels, and the first row that is not fetched
    };
    Leaving leaving_;
    const std::int64_t fetched_together_;
    // Panels of a group ahead, or none; columns of the next block. More of them arrive later; for fewer, panels are sent too often.
    const std::int64_t panels_ahead_, columns_ahead_;
    Ahead ahead_;
    std::int64_t in_slot_ = -1; // the panel that the device has factored in slot_
    const DeviceBlock *slot_ = nullptr;
};

} // namespace

std::optional<std::int64_t> factor_lu(FactorisationContext &context, const HostMatrix &a,
                                      std::span<std::int64_t> pivots)
{
    const auto matrix = a;
    return run_on_device<LeftLu>(context, factorisation_of(StepKind::lu, matrix), matrix, pivots);
}

} // namespace hpart::on_device
