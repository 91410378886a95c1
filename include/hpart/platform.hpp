// Platforms, distributions, fronts and schedules. A part of hpart.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HPART_PLATFORM_HPP
#define HPART_PLATFORM_HPP

#include "handles.hpp"

#include <limits>

namespace hpart
{
inline namespace v0_1
{

// ---- platforms ----

/// Points of a processor's functions, in increasing size; NaN: no value.
struct function {
    std::vector<int64_t> sizes;
    std::vector<double> seconds, joules;
};

/// The value that partition minimises.
enum class objective : int32_t {
    time = HPART_OBJECTIVE_TIME,
    energy = HPART_OBJECTIVE_ENERGY,
    total_energy = HPART_OBJECTIVE_TOTAL_ENERGY,
    sum_time = HPART_OBJECTIVE_SUM_TIME
};

/// Confidence intervals of these points, in seconds and joules; NaN: unknown end. repetitions 0: unknown.
struct intervals {
    std::vector<double> time_low, time_high, energy_low, energy_high;
    std::vector<int64_t> repetitions;
};

/// Sizes that a processor may get besides 0.
struct size_range {
    int64_t smallest, largest;
};

/// A message of m bytes takes latency_seconds + m / bytes_per_second.
struct link {
    double latency_seconds, bytes_per_second;
};

/// Processors first to last, which need the power while one of them works.
struct node {
    int64_t first, last;
    double watts;
};

/// Processors with discrete functions of time, and optionally energy.
class platform : public handle<hpart_platform, hpart_platform_destroy>
{
  public:
    using handle::handle;
    platform() noexcept = default;
    /// Empty functions.
    explicit platform(int64_t processors) : platform(detail::make<platform>(hpart_platform_create, processors)) {}

    /// Reads and writes platform files: docs/reference/platform-files.md. HPART_ERR_IO, HPART_ERR_FORMAT.
    static platform read(const std::string &path) { return detail::make<platform>(hpart_platform_read, path); }
    void write(const std::string &path) const { call(hpart_platform_write, path); }

    /// The platform of one parameter of a family file: docs/background/functions.md. Option interpolate: between measured parameters.
    static platform read_slice(const std::string &path, int64_t parameter, const options &settings = {})
    {
        return detail::make<platform>(hpart_platform_read_slice, path, parameter, settings);
    }

    /// Number of processors.
    int64_t processors() const { return hpart_platform_processors(raw()); }
    void set_name(int64_t processor, const std::string &name) { call(hpart_platform_set_name, processor, name); }
    std::string name(int64_t processor) const { return text(hpart_platform_get_name, processor); }

    /// Replaces a processor's time function, in seconds: one value per size.
    void set_time_function(int64_t processor, view<int64_t> sizes, view<double> seconds)
    {
        per_size(seconds, "seconds", sizes);
        call(hpart_platform_set_time_function, processor, sizes.size(), sizes, seconds);
    }
    /// The same for the dynamic energy, in joules.
    void set_energy_function(int64_t processor, view<int64_t> sizes, view<double> joules)
    {
        per_size(joules, "joules", sizes);
        call(hpart_platform_set_energy_function, processor, sizes.size(), sizes, joules);
    }
    /// Sets the time function C(x) / s(x), from speeds in operations per second. complexity(x): operations, a double.
    template <class Complexity>
    void set_speed_function(int64_t processor, view<int64_t> sizes, view<double> speeds, Complexity complexity)
    {
        per_size(speeds, "speeds", sizes);
        call(hpart_platform_set_speed_function, processor, sizes.size(), sizes, speeds, operations<Complexity>, &complexity);
    }
    /// The same with C(x) = x.
    void set_speed_function(int64_t processor, view<int64_t> sizes, view<double> speeds)
    {
        set_speed_function(processor, sizes, speeds, [](int64_t x) { return static_cast<double>(x); });
    }
    /// Points in increasing size.
    hpart::function function(int64_t processor) const
    {
        hpart::function result;
        auto &[sizes, seconds, joules] = result;
        const auto n =
            resize(value<int64_t>(hpart_platform_get_function, processor, nullptr, nullptr, nullptr, 0), sizes, seconds, joules);
        value<int64_t>(hpart_platform_get_function, processor, sizes, seconds, joules, n);
        return result;
    }

    /// Sets intervals of points that exist: low <= value <= high, in seconds, one per size. Empty repetitions change none.
    void set_time_interval(int64_t processor, view<int64_t> sizes, view<double> low, view<double> high,
                           view<int64_t> repetitions = {})
    {
        set_interval(hpart_platform_set_time_interval, processor, sizes, low, high, repetitions);
    }
    /// The same for the dynamic energy, in joules.
    void set_energy_interval(int64_t processor, view<int64_t> sizes, view<double> low, view<double> high,
                             view<int64_t> repetitions = {})
    {
        set_interval(hpart_platform_set_energy_interval, processor, sizes, low, high, repetitions);
    }
    /// In the order of function().
    hpart::intervals intervals(int64_t processor) const
    {
        hpart::intervals result;
        auto &[t0, t1, e0, e1, repetitions] = result;
        const auto get = hpart_platform_get_intervals;
        const auto n =
            resize(value<int64_t>(get, processor, nullptr, nullptr, nullptr, nullptr, nullptr, 0), t0, t1, e0, e1, repetitions);
        value<int64_t>(get, processor, t0, t1, e0, e1, repetitions, n);
        return result;
    }

    /// Restricts the processor to idling and these sizes.
    void set_limits(int64_t processor, size_range sizes)
    {
        call(hpart_platform_set_limits, processor, sizes.smallest, sizes.largest);
    }
    size_range limits(int64_t processor) const
    {
        size_range result{};
        call(hpart_platform_get_limits, processor, &result.smallest, &result.largest);
        return result;
    }

    /// Static power of the whole platform.
    void set_base_power(double watts) { call(hpart_platform_set_base_power, watts); }
    /// Watts; NaN until set.
    double base_power() const { return value<double>(hpart_platform_get_base_power); }
    /// Bytes exchanged between neighbours.
    void set_border_bytes(double bytes) { call(hpart_platform_set_border_bytes, bytes); }
    double border_bytes() const { return value<double>(hpart_platform_get_border_bytes); }
    /// The kernel that the functions were measured with.
    void set_kernel(const std::string &kernel) { call(hpart_platform_set_kernel, kernel); }
    std::string kernel() const { return text(hpart_platform_get_kernel); }

    /// Links between processors, and of an accelerator to its host.
    void set_link(int64_t from, int64_t to, hpart::link between)
    {
        call(hpart_platform_set_link, from, to, between.latency_seconds, between.bytes_per_second);
    }
    hpart::link link(int64_t from, int64_t to) const
    {
        hpart::link result{};
        call(hpart_platform_get_link, from, to, &result.latency_seconds, &result.bytes_per_second);
        return result;
    }
    void set_host_link(int64_t processor, hpart::link to_host)
    {
        call(hpart_platform_set_host_link, processor, to_host.latency_seconds, to_host.bytes_per_second);
    }
    hpart::link host_link(int64_t processor) const
    {
        hpart::link result{};
        call(hpart_platform_get_host_link, processor, &result.latency_seconds, &result.bytes_per_second);
        return result;
    }

    /// Joules a byte over such a link.
    void set_link_energy(int64_t from, int64_t to, double joules_per_byte)
    {
        call(hpart_platform_set_link_energy, from, to, joules_per_byte);
    }
    double link_energy(int64_t from, int64_t to) const { return value<double>(hpart_platform_get_link_energy, from, to); }
    void set_host_link_energy(int64_t processor, double joules_per_byte)
    {
        call(hpart_platform_set_host_link_energy, processor, joules_per_byte);
    }
    double host_link_energy(int64_t processor) const { return value<double>(hpart_platform_get_host_link_energy, processor); }
    /// A node that can be switched off; 0 watts: none.
    void set_node(hpart::node node) { call(hpart_platform_set_node, node.first, node.last, node.watts); }
    /// The node of a processor; 0 watts: none.
    hpart::node node(int64_t processor) const
    {
        hpart::node result{};
        call(hpart_platform_get_node, processor, &result.first, &result.last, &result.watts);
        return result;
    }

    /// A cluster of `copies` nodes like this one.
    platform replicate(int64_t copies) const { return make<platform>(hpart_platform_replicate, copies); }

    /// One processor that stands for all: time and energy of the best distribution of each workload up to `size`. limit; numerical;
    /// cancelled.
    platform aggregate(objective goal, int64_t size, const options &settings = {}) const
    {
        return make<platform>(hpart_platform_aggregate, goal, size, settings);
    }

    /// Seconds of the distribution x, without communication. Every size of x must have a time.
    double evaluate_seconds(view<int64_t> x) const
    {
        detail::require_length(x.size(), "x", processors(), "processor");
        double result = 0;
        call(hpart_platform_evaluate, x, &result, nullptr);
        return result;
    }
    /// Joules of dynamic energy of the distribution x. Every size of x must have an energy.
    double evaluate_joules(view<int64_t> x) const
    {
        detail::require_length(x.size(), "x", processors(), "processor");
        return value<double>(hpart_platform_evaluate, x, nullptr);
    }

    /// The same with the options communication, unit_bytes, matrix_order and matrix_block.
    double evaluate_seconds(view<int64_t> x, const options &settings) const
    {
        detail::require_length(x.size(), "x", processors(), "processor");
        double result = 0;
        call(hpart_platform_evaluate_with, x, settings, &result, nullptr, nullptr);
        return result;
    }
    double evaluate_joules(view<int64_t> x, const options &settings) const
    {
        detail::require_length(x.size(), "x", processors(), "processor");
        double result = 0;
        call(hpart_platform_evaluate_with, x, settings, nullptr, &result, nullptr);
        return result;
    }
    /// compute_seconds, communication_seconds, communication_joules, total_energy, as far as they are known.
    report report_costs(view<int64_t> x, const options &settings = {}) const
    {
        detail::require_length(x.size(), "x", processors(), "processor");
        return make<report>(hpart_platform_evaluate_with, x, settings, nullptr, nullptr);
    }

    /// Facts of its measurement: the keys of hpart_platform_report in hpart.h.
    report facts() const { return make<report>(hpart_platform_report); }
    /// Shape of a processor's functions, with speeds C(x) / t(x): docs/background/functions.md. complexity(x): operations, a double.
    template <class Complexity> report report_shape(int64_t processor, Complexity complexity) const
    {
        return make<report>(hpart_platform_report_shape, processor, operations<Complexity>, &complexity);
    }
    /// The same with C(x) = x.
    report report_shape(int64_t processor) const { return make<report>(hpart_platform_report_shape, processor, nullptr, nullptr); }

  private:
    template <class... Vectors> static int64_t resize(int64_t n, Vectors &...vectors)
    {
        (vectors.resize(static_cast<std::size_t>(n)), ...);
        return n;
    }
    static void per_size(view<double> values, const char *name, view<int64_t> sizes)
    {
        detail::require_length(values.size(), name, sizes.size(), "size");
    }
    template <class Function>
    void set_interval(Function set, int64_t processor, view<int64_t> sizes, view<double> low, view<double> high,
                      view<int64_t> repetitions)
    {
        per_size(low, "low", sizes);
        per_size(high, "high", sizes);
        if (repetitions.size() > 0) detail::require_length(repetitions.size(), "repetitions", sizes.size(), "size");
        call(set, processor, sizes.size(), sizes, low, high, repetitions.size() > 0 ? repetitions.data() : nullptr);
    }
    template <class Complexity> static int operations(int64_t size, double *result, void *user)
    {
        return detail::failure_of_this_thread().run([&] { *result = (*static_cast<Complexity *>(user))(size); });
    }
};

// ---- distributions, fronts, schedules ----

/// The energy of a front.
enum class energy_kind : int32_t { dynamic = HPART_ENERGY_DYNAMIC, total = HPART_ENERGY_TOTAL };

/// One size per processor, its time, and its energy: dynamic, or total for objective::total_energy; NaN if unknown.
struct distribution {
    std::vector<int64_t> x;
    double seconds, joules;
    hpart::report report;
};

/// Finds the best distribution of `size`. infeasible; limit, which has the best distribution found, and its report; numerical; cancelled.
inline distribution partition(const platform &processors, objective goal, int64_t size, const options &settings = {})
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto n = static_cast<std::size_t>(processors.processors());
    const auto found = std::make_shared<distribution>(distribution{std::vector<int64_t>(n), nan, nan, {}});
    hpart_report *written = nullptr;
    const hpart_status status =
        detail::invoke(hpart_partition, processors, goal, size, settings, found->x, &found->seconds, &found->joules, &written);
    found->report = report(adopt, written);
    if (status == HPART_ERR_LIMIT && written != nullptr) {
        const std::shared_ptr<const report> shared(found, &found->report);
        throw limit(hpart_last_error(), shared, shared->get<bool>("feasible") ? found : nullptr, nullptr);
    }
    detail::check(status);
    return std::move(*found);
}

/// Shares x[i] / sum x, which sum to exactly 1.
inline std::vector<double> shares(view<int64_t> x)
{
    std::vector<double> result(static_cast<std::size_t>(x.size()));
    detail::check(hpart_shares_compute(x.size(), x.data(), result.data()));
    return result;
}

/// A processor's part of a matrix; all 0 if it has none.
struct rectangle {
    int64_t first_row, first_column, height, width;
};

/// One rectangle per processor.
struct tiling {
    std::vector<rectangle> rectangles;
    hpart::report report;
};

/// Tiles a matrix with one rectangle per processor, in proportion to the areas. infeasible, limit.
inline tiling matrix_partition(view<double> areas, int64_t rows, int64_t columns)
{
    const auto n = static_cast<std::size_t>(areas.size());
    std::vector<int64_t> r(n), c(n), h(n), w(n);
    tiling result{{}, detail::make_report(hpart_matrix_partition, areas.size(), areas, rows, columns, r, c, h, w)};
    for (std::size_t i = 0; i < n; ++i) result.rectangles.push_back({r[i], c[i], h[i], w[i]});
    return result;
}

/// Time, energy and sizes.
struct front_point {
    double seconds, joules;
    std::vector<int64_t> x;
};

/// The Pareto front of time and energy, in increasing time.
class front : public handle<hpart_front, hpart_front_destroy>
{
  public:
    using handle::handle;
    front() noexcept = default;
    /// Computes the front of `size`. infeasible, limit, numerical, cancelled.
    front(const platform &processors, int64_t size, energy_kind energy = energy_kind::dynamic, const options &settings = {})
        : front(detail::make<front>(hpart_front_compute, processors, size, energy, settings))
    {
    }

    /// Number of points.
    int64_t count() const { return hpart_front_count(raw()); }
    int64_t processors() const { return hpart_front_processors(raw()); }
    /// Point k, 0 <= k < count.
    front_point point(int64_t k) const
    {
        front_point result{0, 0, std::vector<int64_t>(static_cast<std::size_t>(processors()))};
        call(hpart_front_point, k, &result.seconds, &result.joules, result.x);
        return result;
    }
    std::vector<front_point> points() const
    {
        std::vector<front_point> result;
        for (int64_t k = 0; k < count(); ++k) result.push_back(point(k));
        return result;
    }
    hpart::report report() const { return make<hpart::report>(hpart_front_report); }
};

/// A package size that a processor runs `repeats` times.
struct task {
    int64_t processor, size, repeats;
};

/// Several packages per processor, one after another, of least makespan.
class schedule : public handle<hpart_schedule, hpart_schedule_destroy>
{
  public:
    using handle::handle;
    /// Computes the schedule of `size`. infeasible, limit, numerical, cancelled.
    schedule(const platform &processors, int64_t size, const options &settings = {})
        : schedule(detail::make<schedule>(hpart_schedule_compute, processors, size, settings))
    {
    }

    /// Reads the schedule of an application and size from a table. functions: NULL, or those that it must fit. infeasible: none.
    static schedule read(const std::string &path, const std::string &application, int64_t size, const platform *functions = nullptr)
    {
        return detail::make<schedule>(hpart_schedule_read, path, application, size,
                                      functions == nullptr ? nullptr : functions->native());
    }
    /// Adds it to the table, or replaces the one of the same application and size.
    void write(const std::string &path, const std::string &application) const { call(hpart_schedule_write, path, application); }

    /// Seconds.
    double makespan() const { return hpart_schedule_makespan(raw()); }
    /// By processor, then by decreasing size.
    std::vector<task> tasks() const
    {
        std::vector<task> result(static_cast<std::size_t>(hpart_schedule_tasks(raw())));
        int64_t k = 0;
        for (auto &each : result) call(hpart_schedule_task, k++, &each.processor, &each.size, &each.repeats);
        return result;
    }
    hpart::report report() const { return make<hpart::report>(hpart_schedule_report); }
};

} // namespace v0_1
} // namespace hpart

#endif
