// What the operations of this folder stand on: matrix products that go out of card where that pays, and the account of
// them and of the work on the host.
#pragma once

#include "out_of_card/factorisations/lapack.hpp"
#include "out_of_card/factorisations/left_looking_problem.hpp"
#include "out_of_card/factorisations/part.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/pipeline/flow.hpp"

namespace hpart
{

// A factor of a product.
template <typename Value> struct Factor {
    Part<Value> part;
    Transpose transpose = Transpose::none;

    std::int64_t rows() const { return transpose == Transpose::none ? part.rows : part.columns; }
    std::int64_t columns() const { return transpose == Transpose::none ? part.columns : part.rows; }
};

class Products
{
  public:
    // `flops`: of the whole operation, for the report and progress.
    Products(Cards &cards, const Options &options, double flops);

    // Blocks of so many columns and less are done on the host.
    std::int64_t host_width() const { return host_width_; }
    // Where the recursion cuts: at about the middle, after a whole number of host blocks.
    std::int64_t half_of(std::int64_t n) const { return (n / 2 + host_width_ - 1) / host_width_ * host_width_; }

    // The card, where it is one and has memory of its own, or a limit that makes it so; else null.
    Card *only_card() const;
    // Of panels, where the caller wants one.
    std::optional<std::int64_t> wanted_width() const;
    // But by these products and work on the host that is counted here: a failure of the first says so.
    void nothing_is_changed_yet() { unchanged_ = true; }
    Control &control() { return control_; }
    const Options &options() const { return options_; }

    // C = alpha op(A) op(B) + beta C; all of one layout.
    template <typename Value>
    void multiply(Value alpha, const Factor<Value> &a, const Factor<Value> &b, Value beta, const Part<Value> &c);

    // Of a product.
    template <typename Value> static double flops(std::int64_t m, std::int64_t n, std::int64_t k)
    {
        return flops_per_product(ScalarOf<Value>::type) * static_cast<double>(m) * static_cast<double>(n) *
               static_cast<double>(k);
    }

    // Work on the host that counts as panels'; throws Status::cancelled when the caller says stop.
    template <typename Work> auto on_host(double flops, const Work &work)
    {
        control_.tell(fraction(), "panels");
        unchanged_ = false;
        const Stopwatch watch(*this, flops);
        return work();
    }

    // Of the whole, for progress, when this part of an operation of so many flops is done too.
    double fraction_after(double part, double flops) const
    {
        return flops_ > 0 ? std::min(1.0, (flops_done_ + part * flops) / flops_) : 0;
    }

    // A left-looking method has done its work.
    struct LeftLookingRecord {
        LeftLookingShape shape;
        double panel_seconds = 0, flops = 0;
        std::int64_t least_bytes = 0;
    };
    void add(const FlowRecord &flow, const LeftLookingRecord &record);

    void report(Report &report) const;

  private:
    class Stopwatch
    {
      public:
        Stopwatch(Products &products, double flops) : products_(products), flops_(flops) {}
        Stopwatch(const Stopwatch &) = delete;
        Stopwatch &operator=(const Stopwatch &) = delete;
        ~Stopwatch()
        {
            products_.panel_seconds_ += seconds_since(start_);
            products_.flops_done_ += flops_;
        }

      private:
        Products &products_;
        double flops_;
        Clock::time_point start_ = Clock::now();
    };
    double fraction() const { return fraction_after(0, 0); }
    void out_of_card(const GemmCall &call, double flops);

    Cards &cards_;
    const Options &options_;
    Control control_;
    double setup_seconds() const; // of all cards, until now
    Clock::time_point start_ = Clock::now();
    double setup_before_;
    double flops_;
    std::int64_t host_width_;
    double flops_done_ = 0;
    bool unchanged_ = false; // what the caller's call writes; false where that is not known
    std::optional<LeftLookingRecord> left_looking_;
    double panel_seconds_ = 0;
    std::optional<std::int64_t> least_bytes_; // of what went out of card
    Account account_;
};

} // namespace hpart
