// The base of this folder's operations: matrix products that go out of card where that pays, and the account of
// them and of the work on the host.
#pragma once

#include "out_of_card/factorisations/blocking.hpp"
#include "out_of_card/factorisations/flops.hpp"
#include "out_of_card/factorisations/lapack.hpp"
#include "out_of_card/factorisations/part.hpp"
#include "out_of_card/factorisations/strategy.hpp"
#include "out_of_card/gemm/gemm.hpp"

namespace hpart
{

// A factor of a product.
template <typename Value> struct Factor {
    Part<Value> part;
    Transpose transpose = Transpose::none;

    std::int64_t rows() const { return transpose == Transpose::none ? part.rows : part.columns; }
    std::int64_t columns() const { return transpose == Transpose::none ? part.columns : part.rows; }
};

// C = alpha op(A) op(B) + beta C; all of one layout.
template <typename Value>
void multiply_on_host(Value alpha, const Factor<Value> &a, const Factor<Value> &b, Value beta, const Part<Value> &c);

class FactorisationContext
{
  public:
    // For an operation of these steps, on one of the devices or on all. Fails where their memory is too little.
    FactorisationContext(const DeviceGroup &asked, const Options &options, const Steps &steps);

    const RecursionRules &rules() const { return rules_; }
    // The device, where it is one and has memory of its own, or a limit that makes it so; else null.
    DeviceSession *only_device() const;
    // Other than by these products and work on the host that is counted here.
    void results_change() { unchanged_ = false; }
    bool is_unchanged() const { return unchanged_; }
    Control &control() { return control_; }
    const Options &options() const { return options_; }

    // C = alpha op(A) op(B) + beta C; all of one layout.
    template <typename Value>
    void multiply(Value alpha, const Factor<Value> &a, const Factor<Value> &b, Value beta, const Part<Value> &c);

    // Operations of a product.
    template <typename Value> static double flops(std::int64_t m, std::int64_t n, std::int64_t k)
    {
        return flops_per_product(ScalarOf<Value>::type) * static_cast<double>(m) * static_cast<double>(n) *
               static_cast<double>(k);
    }

    // Work on the host that counts as panels'; throws Status::cancelled when the caller says stop.
    template <typename Work> auto on_host(double flops, const Work &work)
    {
        control_.report_progress(fraction(), "panels");
        unchanged_ = false;
        const Stopwatch watch(*this, flops);
        return work();
    }

    // While it exists the recursion does this step. It multiplies more than the step needs, with zeros and ones: its
    // flops count for progress in proportion.
    class Recursion
    {
      public:
        Recursion(FactorisationContext &products, const FactorisationStep &step) : products_(products)
        {
            const auto flops = recursion_cost(step, products.rules_).flops;
            products.share_ = flops > 0 ? flops_of(step) / flops : 1;
        }
        Recursion(const Recursion &) = delete;
        Recursion &operator=(const Recursion &) = delete;
        ~Recursion() { products_.share_ = 1; }

      private:
        FactorisationContext &products_;
    };

    // Part of the whole that is done, for progress, with this part of a piece of work of so many flops.
    double fraction_after(double part, double flops) const
    {
        return flops_ > 0 ? std::min(1.0, (flops_done_ + part * flops * share_) / flops_) : 0;
    }
    double fraction() const { return fraction_after(0, 0); }

    // A left-looking method has done its work.
    struct LeftLookingRecord {
        LeftLookingShape shape;
        double panel_seconds = 0, flops = 0;
        std::int64_t least_bytes = 0;
    };
    void add(const FlowRecord &flow, const LeftLookingRecord &record);

    // In place of the work: all that a report can say before it.
    void predict(const Steps &steps);
    void report(Report &report) const;
    // All is done: what it took is for the next choice.
    void learn() const;

  private:
    class Stopwatch
    {
      public:
        Stopwatch(FactorisationContext &products, double flops) : products_(products), flops_(flops) {}
        Stopwatch(const Stopwatch &) = delete;
        Stopwatch &operator=(const Stopwatch &) = delete;
        ~Stopwatch()
        {
            const auto seconds = seconds_since(start_);
            if (auto *const timeline = products_.control_.timeline().get())
                timeline->add("host", "part on the host", timeline->now() - seconds, timeline->now());
            products_.panel_seconds_ += seconds;
            products_.flops_done_ += flops_ * products_.share_;
        }

      private:
        FactorisationContext &products_;
        double flops_;
        Clock::time_point start_ = Clock::now();
    };
    void out_of_card(const GemmCall &call, double flops);
    void add_parts(const Account &product, double flops);
    void report_parts(Account &account) const;
    // By the only device left-looking, or by products that were not small.
    bool devices_took_part() const { return left_looking_.has_value() || products_on_devices_ > 0; }

    const DeviceGroup &asked_;
    Choice choice_;
    DeviceGroup &devices_ = choice_.devices; // of those that were asked
    const Options &options_;
    Control control_;
    double own_setup_seconds() const { return choice_seconds_ + devices_.setup_seconds() - setup_before_; }
    Clock::time_point start_ = Clock::now();
    double choice_seconds_ = 0;
    double setup_before_ = 0; // of what was chosen
    RecursionRules rules_;
    double flops_ = 0, flops_done_ = 0; // that the operation needs
    double share_ = 1;                  // of those that are counted
    bool unchanged_ = true;             // what the caller's call writes
    std::optional<LeftLookingRecord> left_looking_;
    std::optional<double> predicted_seconds_; // nothing is done
    double panel_seconds_ = 0;
    std::optional<std::int64_t> least_bytes_; // of what went out of card
    Account account_;
    std::int64_t products_on_devices_ = 0;
    std::vector<DevicePart> parts_; // of several devices that share products: flops of each
};

} // namespace hpart
