// The matrix products of this folder's operations, out of card where that pays, and the account of them and of the work on the
// host. The same code counts an operation before it is done: then no product is made, and work of the host is passed over.
#pragma once

#include "core/text.hpp"
#include "out_of_card/factorisations/blocking.hpp"
#include "out_of_card/factorisations/lapack.hpp"
#include "out_of_card/factorisations/on_host.hpp"
#include "out_of_card/factorisations/strategy.hpp"
#include "out_of_card/gemm/gemm.hpp"

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hpart
{

class FactorisationContext
{
  public:
    // The operation's code. It touches elements within the functions below alone: while it is counted there may be none.
    using Work = std::function<void(FactorisationContext &context)>;
    // For an operation on one of the devices or on all. Fails where their memory is too little.
    FactorisationContext(const DeviceGroup &asked, const Options &options, Scalar type, const std::string &name,
                         const Work &work);

    const RecursionRules &rules() const { return rules_; }
    double flops(const OperationCount::Sizes &sizes) const { return OperationCount::flops_of(type_, sizes); }
    // The device, where it is one and has memory of its own, or a limit that makes it so; else null.
    DeviceSession *only_device() const;
    bool is_counting() const { return count_.has_value(); }
    // The caller's results are changed, other than by the functions below.
    void results_change() { unchanged_ = false; }
    bool is_unchanged() const { return unchanged_; }
    Control &control() { return control_; }
    const Options &options() const { return options_; }

    // C = alpha op(A) op(B) + beta C; all of one layout.
    void multiply(Coefficient alpha, const Factor &a, const Factor &b, Coefficient beta, const HostMatrix &c);

    // Runs host work that costs `part` of an m x n x k product. Throws Status::cancelled if the caller stops it.
    template <typename Work> void on_host(const OperationCount::Sizes &sizes, double part, const Work &work)
    {
        const auto operations = part * flops(sizes);
        if (count_ && operations > 0) count_->on_host[sizes] += part;
        timed(operations, work);
    }
    // The same of a block that it factors. Returns LAPACK's info.
    template <typename Work> auto factor_on_host(const HostPanel &panel, const Work &work)
    {
        if (count_) ++count_->panels[panel];
        return timed(panel_flops(panel.method, type_, panel.rows, panel.columns), work);
    }
    // Cheap work beside them: `change` on the caller's results, `prepare` on what they are made from.
    template <typename Work> auto change(const Work &work)
    {
        unchanged_ = unchanged_ && is_counting();
        return prepare(work);
    }
    template <typename Work> auto prepare(const Work &work) const
    {
        return is_counting() ? decltype(work())() : work();
    }
    Workspace workspace(std::int64_t rows, std::int64_t columns, bool row_major) const
    {
        return {type_, rows, columns, row_major, !is_counting()};
    }
    // work(i) for i = 0, 1, ..., all of one count.
    template <typename Work> void repeat(std::int64_t times, const Work &work)
    {
        if (!is_counting()) {
            for (std::int64_t i = 0; i < times; ++i) work(i);
        } else if (times > 0) {
            const auto before = std::exchange(*count_, {.type = type_});
            work(std::int64_t(0));
            const auto one = std::exchange(*count_, before);
            count_->add(one, times);
        }
    }
    // Counts a step of the only device, if that does it left-looking.
    bool count_left_looking(const FactorisationStep &problem);

    // Part of the whole that is done, for progress, with this part of a piece of work of so many flops.
    double fraction_after(double part, double flops) const
    {
        return choice_.count.flops > 0 ? std::min(1.0, (flops_done_ + part * flops) / choice_.count.flops) : 0;
    }
    double fraction() const { return fraction_after(0, 0); }

    // A method begins anew with less memory.
    void count_retry() { ++account_.retries; }
    // A left-looking method has done its work.
    void add(const FlowRecord &flow, const LeftLookingRecord &record);

    // In place of the work: all that a report can say before it.
    void predict(const Work &work);
    // flops: that the operation needs, by the usual count.
    void report(double flops, Report &report) const;
    // Records the run time for the next choice of devices.
    void learn() const;

  private:
    class Stopwatch
    {
      public:
        Stopwatch(FactorisationContext &context, double flops) : context_(context), flops_(flops) {}
        Stopwatch(const Stopwatch &) = delete;
        Stopwatch &operator=(const Stopwatch &) = delete;
        ~Stopwatch()
        {
            const auto seconds = seconds_since(start_);
            if (auto *const timeline = context_.control_.timeline().get())
                timeline->add("host", "part on the host", timeline->now() - seconds, timeline->now());
            context_.panel_seconds_ += seconds;
            context_.flops_done_ += flops_;
        }

      private:
        FactorisationContext &context_;
        double flops_;
        Clock::time_point start_ = Clock::now();
    };
    // Counts a run as it is, the recursion's products alone, or a run with left-looking methods that time their kernels.
    enum class Counting : std::uint8_t { as_run, by_products, timed };
    // Counts, on these devices. share_of_memory: of the free memory, above 1 beyond the caller's limit.
    FactorisationContext(const DeviceGroup &devices, const Options &options, Scalar type, Counting counting,
                         double share_of_memory);
    static OperationCount counted(const DeviceGroup &devices, const Options &options, Scalar type, const Work &work,
                                  Counting counting = Counting::as_run, double share_of_memory = 1);
    std::int64_t advised_memory(DeviceSession &session, const Work &work) const;

    template <typename Work> auto timed(double flops, const Work &work)
    {
        if (count_) {
            count_->flops += flops;
            return decltype(work())();
        }
        control_.report_progress(fraction(), "panels");
        unchanged_ = false;
        const Stopwatch watch(*this, flops);
        return work();
    }
    void out_of_card(const GemmCall &call, double flops);
    void add_parts(const Account &product, double flops);
    void report_parts(Account &account) const;
    // By the only device left-looking, or by products that were not small.
    bool devices_took_part() const { return left_looking_.has_value() || products_on_devices_ > 0; }

    Clock::time_point start_ = Clock::now();
    const DeviceGroup &asked_;
    const Scalar type_;
    Choice choice_;
    DeviceGroup &devices_ = choice_.devices; // of those that were asked
    const Options &options_;
    Control control_;
    double own_setup_seconds() const { return choice_seconds_ + devices_.setup_seconds() - setup_before_; }
    double choice_seconds_ = 0;
    double setup_before_ = 0; // of what was chosen
    RecursionRules rules_;
    std::optional<OperationCount> count_; // while it counts
    Counting counting_ = Counting::as_run;
    double share_of_memory_ = 1;
    double flops_done_ = 0;
    bool unchanged_ = true; // what the caller's call writes
    std::optional<LeftLookingRecord> left_looking_;
    std::optional<double> predicted_seconds_; // nothing is done
    double panel_seconds_ = 0;
    std::optional<std::int64_t> least_bytes_; // of what went out of card
    Account account_;
    std::int64_t products_on_devices_ = 0;
    std::vector<DevicePart> parts_; // of several devices that share products: flops of each
};

// The frame of the public operations: checks, the context of the work, its report, and the words of its errors.

struct OperationTask {
    const char *name;                 // without the letter of its type; for messages
    std::string sizes;                // likewise
    double flops;                     // by the usual count
    std::vector<HostMatrix> matrices; // a, b or c

    Scalar type() const { return matrices.front().type; }
    std::string what() const { return text("sdcz"[static_cast<int>(type())], name, " of ", sizes); }
};

inline std::string sizes_of(const HostMatrix &a) { return text(a.rows, " x ", a.columns); }
inline std::string system_of(const HostMatrix &a, const HostMatrix &b)
{
    return text(sizes_of(a), " with ", pluralise(b.columns, "right-hand side"));
}

// Does the operation, or only predicts it with dry_run. `run` returns LAPACK's info; a first run without data counts its work. Its
// context is reported also when the caller's data end the work.
std::int64_t run_reported(const DeviceGroup &devices, const OperationTask &task, const Options &options, Report &report,
                          const std::function<std::int64_t(FactorisationContext &)> &run);

// The same with `work` that returns LAPACK's info, or nothing.
template <typename Work>
std::int64_t reported(const DeviceGroup &devices, const OperationTask &task, const Options &options, Report &report,
                      const Work &work)
{
    return run_reported(devices, task, options, report, [&](FactorisationContext &context) {
        if constexpr (std::is_void_v<decltype(work(context))>)
            return work(context), std::int64_t(0);
        else
            return work(context);
    });
}

} // namespace hpart
