// Factorisations by blocks of columns that stay on the card while all panels before them stream past: each element of the
// matrix goes in and out once, and the panels, N^3/(3 W) elements for blocks of W columns, go in. The panels themselves are
// factored on the host, the next one while the card brings the columns behind it up to date.
#pragma once

#include "out_of_card/factorisations/card_work.hpp"

#include <future>

namespace hpart
{

// Widths and heights of what is on the card.
struct LeftLookingShape {
    std::int64_t rows = 0, columns = 0;
    std::int64_t panel = 0;    // columns of a panel
    std::int64_t resident = 0; // of a block: whole panels
};

class LeftLooking
{
  public:
    LeftLooking(CardWork &work, const LeftLookingShape &shape) : work_(work), shape_(shape) {}
    LeftLooking(const LeftLooking &) = delete;
    LeftLooking &operator=(const LeftLooking &) = delete;
    virtual ~LeftLooking() = default;

    // LAPACK's info.
    std::int64_t run();
    double panel_seconds() const { return panel_seconds_; }

  protected:
    struct Columns {
        std::int64_t first = 0, count = 0;
    };
    std::int64_t panels() const { return (std::min(shape_.rows, shape_.columns) + shape_.panel - 1) / shape_.panel; }
    std::int64_t panel_begin(std::int64_t k) const { return k * shape_.panel; }
    std::int64_t panel_end(std::int64_t k) const
    {
        return std::min({(k + 1) * shape_.panel, shape_.rows, shape_.columns});
    }
    std::int64_t panel_width(std::int64_t k) const { return panel_end(k) - panel_begin(k); }
    // The columns that are on the card.
    const Columns &block() const { return block_; }

    // Sends the block to the card, up to date with the panels that were accepted.
    virtual void begin_block() = 0;
    // Fetches a panel that is up to date, and gives the event after which the host may factor it.
    virtual Event fetch_panel(std::int64_t k) = 0;
    // On a thread of its own; returns the panel's info. Throws what it must.
    virtual std::int64_t factor_panel(std::int64_t k) = 0;
    // A factored panel is to be applied next: all before it have been.
    virtual void accept(std::int64_t k) = 0;
    virtual CardWork::Slot &stream(std::int64_t k) = 0;
    // To columns of the matrix that are on the card.
    virtual void apply(std::int64_t k, CardWork::Slot &slot, const Columns &columns) = 0;
    // Whether a panel whose info is not 0 ends the factorisation.
    virtual bool ends_at_info() const = 0;

    CardWork &work_;
    const LeftLookingShape shape_;

  private:
    // False: the factorisation has ended.
    bool join(std::int64_t k);
    void start_factoring(std::int64_t k);
    bool run_block();
    double fraction(std::int64_t k) const;

    Columns block_;
    std::int64_t accepted_ = 0;
    std::int64_t info_ = 0;
    double panel_seconds_ = 0;
    struct Factored {
        std::int64_t info = 0;
        double seconds = 0;
    };
    std::future<Factored> factoring_; // of panel accepted_
};

} // namespace hpart
