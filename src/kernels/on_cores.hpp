// A kernel on the cores of one processor, each of which does its share.
#pragma once

#include "kernels/checks.hpp"
#include "kernels/kinds.hpp"
#include "kernels/workers.hpp"

#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace hpart
{

// Problem: the dimensions, made by of(dims), with description(), at(size) and check(slices). Problem::Data: the host side of a slice, made of
// them and a number of rows, with fill(problem, slice, part, parts) and result(). Problem::Share: what one worker does, made of problem, data,
// rows, worker and number of workers, with run(phase).
template <typename Problem> class KernelOnCores final : public BuiltinKernel
{
  public:
    KernelOnCores(const Problem &problem, CoreList cores) : problem_(problem), workers_(std::move(cores)) {}

    std::string description() const override { return problem_.description(); }
    std::span<const double> result() const override { return as_doubles(data_.result(), in_double_); }
    Check check(std::span<const SliceResult> slices) const override { return problem_.check(slices); }

    void prepare(const Slice &slice) override
    {
        release();
        workers_.start();
        now_ = problem_.at(slice.rows);
        data_ = Data(now_, slice.rows);
        const auto fill = [&](std::size_t worker) { data_.fill(now_, slice, worker, workers_.count()); };
        workers_.run(fill); // first touch, before planning
        for (std::size_t worker = 0; worker < workers_.count(); ++worker)
            shares_.emplace_back(now_, data_, slice.rows, worker, workers_.count());
        if constexpr (Share::planning_overwrites) workers_.run(fill);
    }

    void run() override
    {
        for (int phase = 0; phase < Share::phases; ++phase)
            workers_.run([&](std::size_t worker) { shares_[worker].run(phase); });
    }

    void release() noexcept override
    {
        shares_.clear();
        data_ = {};
        in_double_ = {};
        workers_.stop();
    }

  private:
    using Data = typename Problem::Data;
    using Share = typename Problem::Share;
    Problem problem_, now_{}; // as asked for, and of the slice
    Workers workers_;
    Data data_;
    std::deque<Share> shares_;
    mutable std::vector<double> in_double_;
};

template <typename Problem> std::unique_ptr<BuiltinKernel> make_on_cores(KernelKind::Dims dims, CoreList cores)
{
    return std::make_unique<KernelOnCores<Problem>>(Problem::of(dims), std::move(cores));
}

} // namespace hpart
