// Self-adaptable applications. A part of hpart.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HPART_ADAPTIVE_HPP
#define HPART_ADAPTIVE_HPP

#include "platform.hpp"

namespace hpart
{
inline namespace v0_1
{

/// The next distribution of an iterative application, from the times of its iterations: docs/background/adaptive.md.
class adaptive : public handle<hpart_adaptive, hpart_adaptive_destroy>
{
  public:
    using handle::handle;
    adaptive(int64_t processors, int64_t size, const options &settings = {})
        : adaptive(detail::make<adaptive>(hpart_adaptive_create, processors, size, settings))
    {
    }

    int64_t processors() const { return hpart_adaptive_processors(raw()); }
    /// 0 <= smallest <= x[processor] <= largest. infeasible.
    void set_limits(int64_t processor, size_range sizes)
    {
        call(hpart_adaptive_set_limits, processor, sizes.smallest, sizes.largest);
    }
    /// Changes the size between two iterations. infeasible.
    void set_size(int64_t size) { call(hpart_adaptive_set_size, size); }
    /// Starts from the platform's time functions, before the first update. infeasible.
    void start_from(const platform &known) { call(hpart_adaptive_start_from, known); }

    /// Sizes of the next iteration.
    std::vector<int64_t> distribution() const
    {
        std::vector<int64_t> x(static_cast<std::size_t>(processors()));
        call(hpart_adaptive_distribution, x);
        return x;
    }
    /// Reports an iteration: each processor's own seconds; infinity: it has stopped. x: its sizes, if not distribution(). infeasible.
    void update(view<double> seconds, view<int64_t> x = {})
    {
        detail::require_length(seconds.size(), "seconds", processors(), "processor");
        if (x.size() > 0) detail::require_length(x.size(), "x", processors(), "processor");
        call(hpart_adaptive_update, x.size() > 0 ? x.data() : nullptr, seconds);
    }
    /// True if no distribution is known to be better by more than the tolerance.
    bool converged() const { return hpart_adaptive_converged(raw()) == 1; }
    /// The known time functions.
    platform functions() const { return make<platform>(hpart_adaptive_functions); }
    hpart::report report() const { return make<hpart::report>(hpart_adaptive_report); }
};

} // namespace v0_1
} // namespace hpart

#endif
