// Energy meters, and teams of processors that run here. A part of hpart.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HPART_TEAM_HPP
#define HPART_TEAM_HPP

#include "platform.hpp"

#include <map>

namespace hpart
{
inline namespace v0_1
{

// ---- meters ----

/// The kind of value that a meter reads.
enum class quantity : int32_t { joules = HPART_JOULES, watts = HPART_WATTS };

/// The result of a meter's callable: joules or watts, and the meter's own time, which never goes back.
struct reading {
    double value, seconds;
};

/// The energy of a window.
struct window {
    double joules, seconds;
};

/// A mean power.
struct power {
    double watts, standard_error;
};

/// "FORM TEXT": a spec, and what this machine has of it. works_here: HPART_SUCCESS, or the reason.
struct meter_kind {
    std::string description;
    hpart_status works_here;
};

/// An energy meter.
class meter : public handle<hpart_meter, hpart_meter_close>
{
  public:
    using handle::handle;
    /// spec: "rapl", "nvml:0", ...: docs/background/energy.md. HPART_ERR_PERMISSION, HPART_ERR_UNSUPPORTED, HPART_ERR_DEVICE and others.
    explicit meter(const std::string &spec, const options &settings = {})
        : meter(detail::make<meter>(hpart_meter_open, spec, settings))
    {
    }
    /// Your own meter. read(): a reading. interval_seconds: between new values; wrap: joules at which the counter restarts; 0: never.
    template <class Read> meter(const std::string &name, Read &&read, quantity kind, double interval_seconds, double wrap = 0)
    {
        auto user = detail::own(std::forward<Read>(read), kept_);
        using type = typename decltype(user)::element_type;
        const hpart_meter_read trampoline = [](void *pointer, double *value, double *seconds) {
            auto &own = *static_cast<type *>(pointer);
            return own.kept->run([&] {
                const reading now = own.callable();
                *value = now.value;
                *seconds = now.seconds;
            });
        };
        hpart_meter *created = nullptr;
        detail::check(detail::invoke(hpart_meter_create, name, trampoline, kind, interval_seconds, wrap, user.get(), type::destroy,
                                     &created));
        user.release(); // the meter frees it from now on
        handle::operator=(handle(adopt, created));
    }

    /// Opens a window.
    void start()
    {
        forget();
        run(hpart_meter_start);
    }
    /// Closes the window, also after an error.
    window stop()
    {
        window result{};
        run(hpart_meter_stop, &result.joules, &result.seconds);
        return result;
    }
    /// Measures the mean power of the idle machine in the next `seconds`.
    power base_power(double seconds)
    {
        power result{};
        forget();
        run(hpart_meter_base_power, seconds, &result.watts, &result.standard_error);
        return result;
    }
    /// State and last window.
    hpart::report report() const { return make<hpart::report>(hpart_meter_report); }

  private:
    friend class team;

    // Not in stop: a reading since start may have thrown.
    void forget()
    {
        raw(); // throws if moved from
        kept_->clear();
    }
    template <class Function, class... Arguments> void run(Function function, Arguments... arguments)
    {
        const hpart_status status = detail::invoke(function, raw(), arguments...);
        kept_->rethrow(status);
        detail::check(status);
    }

    std::shared_ptr<detail::failure> kept_ = std::make_shared<detail::failure>();
};

/// All kinds of meters.
inline std::vector<meter_kind> meters()
{
    std::vector<meter_kind> result(static_cast<std::size_t>(hpart_meter_count()));
    int64_t k = 0;
    for (auto &[description, works_here] : result) {
        auto *status = &works_here;
        description = detail::fetch_text([&](auto... to) { return hpart_meter_describe(k, to..., status); });
        ++k;
    }
    return result;
}

// ---- teams ----

/// Several distributions, each with one size per processor.
using distributions = std::vector<std::vector<int64_t>>;

/// Seconds per processor, 0 if idle. joules: dynamic, of a repetition: of the node, or per processor; empty without meters.
struct measurement {
    std::vector<double> mean_seconds, joules;
    hpart::report report;
};

/// Seconds per processor, 0 if idle.
struct execution {
    std::vector<double> seconds;
    hpart::report report;
};

/// The mean makespan of queues of packages, in seconds.
struct schedule_run {
    double makespan;
    hpart::report report;
};

/// Seconds per distribution.
struct comparison {
    std::vector<double> mean_seconds;
    hpart::report report;
};

/// The distribution, its seconds or joules, and all measured points.
struct optimum {
    std::vector<int64_t> x;
    double value;
    platform measured;
    hpart::report report;
};

/// The front, and all measured points.
struct optimal_front {
    hpart::front front;
    platform measured;
    hpart::report report;
};

/// Differences of energies together from energies alone, in per cent.
struct additivity {
    double least, mean, largest;
    hpart::report report;
};

/// Processors that run kernels on this machine.
class team : public handle<hpart_team, hpart_team_destroy>
{
  public:
    /// Processor number of a meter of the whole node.
    static constexpr int64_t whole_node = -1;

    team() : state_(std::make_shared<state>())
    {
        hpart_team *created = nullptr;
        detail::check(hpart_team_create(&created));
        handle::operator=(handle(adopt, created, state_));
    }

    /// Number of processors.
    int64_t processors() const { return hpart_team_processors(raw()); }

    /// Adds a processor that runs kernel(int64_t size), on hpart's thread. cores: "0-3,8"; empty: not bound. Processors run
    /// simultaneously. A call ends with the first exception of a kernel.
    template <class Kernel> void add(const std::string &name, Kernel &&kernel, const std::string &cores = {})
    {
        raw(); // throws if moved from
        auto user = detail::own(std::forward<Kernel>(kernel), std::shared_ptr<detail::failure>(state_, &state_->kept));
        using type = typename decltype(user)::element_type;
        const hpart_kernel trampoline = type::template call<int64_t>;
        call(hpart_team_add, name, trampoline, user.get(), type::destroy, detail::text_or_null(cores));
        user.release();
    }
    /// Adds a processor that runs a built-in kernel ("dgemm") on "cpu:0-3" or a device. Empty name: the processor's text.
    void add_builtin(const std::string &name, const std::string &kernel, const std::string &processor, const options &settings = {})
    {
        call(hpart_team_add_builtin, detail::text_or_null(name), kernel, processor, settings);
    }
    /// Adds a processor that runs a program, "./app {size}", or "lib:PATH:FUNCTION@CORES".
    void add_program(const std::string &name, const std::string &command, const options &settings = {})
    {
        call(hpart_team_add_program, name, command, settings);
    }

    /// One application that runs all processors of an empty team: "CPU,GPU0,GPU1", "mpirun -n 3 ./solver {x}".
    void set_application(const std::string &names, const std::string &command, const options &settings = {})
    {
        call(hpart_team_set_application, names, command, settings);
    }
    /// The same for function(processors, const int64_t *x, double *seconds), which writes the seconds of each processor.
    template <class Function> void set_application_function(const std::string &names, Function &&function)
    {
        raw(); // throws if moved from
        auto user = detail::own(std::forward<Function>(function), std::shared_ptr<detail::failure>(state_, &state_->kept));
        using type = typename decltype(user)::element_type;
        const hpart_application trampoline = type::template call<int64_t, const int64_t *, double *>;
        call(hpart_team_set_application_function, names, trampoline, user.get(), type::destroy);
        user.release();
    }

    /// Names the kernel of the processors, with a version.
    void set_kernel(const std::string &kernel) { call(hpart_team_set_kernel, kernel); }
    std::string kernel() const { return text(hpart_team_get_kernel); }

    /// Attaches a meter to a processor or to whole_node. The team keeps it open, also if `source` is destroyed.
    void set_meter(int64_t processor, meter &source)
    {
        call(hpart_team_set_meter, processor, source.raw());
        state_->meters[processor] = {source.share(), source.kept_};
    }
    /// Closes it unless another object keeps it open.
    void detach_meter(int64_t processor)
    {
        call(hpart_team_set_meter, processor, nullptr);
        state_->meters.erase(processor);
    }

    /// Runs call(hpart_team *), a call of another library on the native handle, which returns a status. Throws what a kernel threw meanwhile.
    template <class Call> hpart_status attempt(Call &&call)
    {
        auto *own = raw();
        rethrow(HPART_SUCCESS);
        const hpart_status status = call(own);
        rethrow(status);
        return status;
    }

    /// Measures mean times of x, and with meters its energy.
    measurement measure(view<int64_t> x, const options &settings = {})
    {
        const auto n = entries(x);
        const bool has_node_meter = state_->meters.count(whole_node) > 0, has_all = state_->meters.size() == n;
        measurement result{std::vector<double>(n), std::vector<double>(has_node_meter ? 1 : has_all ? n : 0), {}};
        double *joules = result.joules.empty() ? nullptr : result.joules.data();
        result.report = run(hpart_team_measure, x, settings, result.mean_seconds, joules);
        return result;
    }
    /// Runs x once.
    execution execute(view<int64_t> x, const options &settings = {})
    {
        execution result{std::vector<double>(entries(x)), {}};
        result.report = run(hpart_team_execute, x, settings, result.seconds);
        return result;
    }
    /// Runs a schedule, one queue of packages per processor, until its mean makespan is known.
    schedule_run run_schedule(const schedule &queues, const options &settings = {})
    {
        schedule_run result{};
        result.report = run(hpart_team_run_schedule, queues, settings, &result.makespan);
        return result;
    }
    /// Runs `size` by self-scheduling: "fixed", "guided", "factoring", "sigmoid". functions: NULL, or those whose sizes are the packages'.
    schedule_run self_schedule(const std::string &method, int64_t size, const options &settings = {},
                               const platform *functions = nullptr)
    {
        schedule_run result{};
        result.report = run(hpart_team_self_schedule, method, size, functions == nullptr ? nullptr : functions->native(), settings,
                            &result.makespan);
        return result;
    }
    /// Measures functions at these sizes. limit: not all; it has the platform of the measured ones.
    platform profile(view<int64_t> sizes, const options &settings = {})
    {
        hpart_platform *measured = nullptr;
        const hpart_status status = invoke(hpart_team_profile, sizes.size(), sizes, settings, &measured);
        platform result(adopt, measured);
        rethrow(status);
        if (status == HPART_ERR_LIMIT && result)
            throw limit(hpart_last_error(), nullptr, nullptr, std::make_shared<platform>(std::move(result)));
        detail::check(status);
        return result;
    }
    /// Measures the links between the processors, and sets them in the platform.
    void measure_links(platform &target, const options &settings = {})
    {
        const hpart_status status = invoke(hpart_team_measure_links, settings, target.native());
        rethrow(status);
        detail::check(status);
    }
    /// Finds the fastest of several distributions.
    comparison compare(const distributions &candidates, const options &settings = {})
    {
        comparison result{std::vector<double>(candidates.size()), {}};
        const auto n = static_cast<int64_t>(candidates.size());
        result.report = run(hpart_team_compare, n, rows(candidates), settings, result.mean_seconds);
        return result;
    }
    /// Finds the best distribution of `size` over these sizes from few measurements, with a certificate: docs/background/optimum.md.
    optimum optimize(objective goal, int64_t size, view<int64_t> sizes, const options &settings = {})
    {
        optimum result{std::vector<int64_t>(static_cast<std::size_t>(processors())), 0, {}, {}};
        detail::written<platform> measured;
        result.report = run(hpart_team_optimize, goal, size, sizes.size(), sizes, settings, result.x, &result.value, &measured.raw);
        result.measured = measured.take();
        return result;
    }
    /// The same for the Pareto front; the team needs meters.
    optimal_front optimize_front(int64_t size, energy_kind energy, view<int64_t> sizes, const options &settings = {})
    {
        optimal_front result;
        detail::written<hpart::front> points;
        detail::written<platform> measured;
        result.report = run(hpart_team_optimize_front, size, energy, sizes.size(), sizes, settings, &points.raw, &measured.raw);
        result.front = points.take();
        result.measured = measured.take();
        return result;
    }
    /// Tests whether energies add up, against the functions of `alone`, or NULL: against measurements.
    hpart::additivity additivity(const distributions &candidates, const options &settings = {}, const platform *alone = nullptr)
    {
        hpart::additivity result{};
        auto &[least, mean, largest, written] = result;
        const auto n = static_cast<int64_t>(candidates.size());
        written = run(hpart_energy_additivity, alone == nullptr ? nullptr : alone->native(), n, rows(candidates), settings, &least,
                      &mean, &largest);
        return result;
    }

  private:
    // The library's team keeps it: its meters close after it.
    struct state {
        detail::failure kept; // of the kernels
        std::map<int64_t, std::pair<std::shared_ptr<hpart_meter>, std::shared_ptr<detail::failure>>> meters;
    };

    void rethrow(hpart_status status)
    {
        state_->kept.rethrow(status);
        for (auto &each : state_->meters) each.second.second->rethrow(status);
    }
    template <class Function, class... Arguments> hpart_status invoke(Function function, Arguments &&...arguments)
    {
        auto *own = raw();
        rethrow(HPART_SUCCESS); // drops what a call of hpart.h through native() may have left
        return detail::invoke(function, own, arguments...);
    }
    template <class Function, class... Arguments> hpart::report run(Function function, Arguments &&...arguments)
    {
        hpart_report *written = nullptr;
        const hpart_status status = invoke(function, arguments..., &written);
        hpart::report result(adopt, written);
        rethrow(status);
        detail::check(status);
        return result;
    }
    std::size_t entries(view<int64_t> x) const
    {
        detail::require_length(x.size(), "x", processors(), "processor");
        return static_cast<std::size_t>(x.size());
    }
    std::vector<int64_t> rows(const distributions &candidates) const
    {
        std::vector<int64_t> result;
        for (const auto &x : candidates) {
            entries(x);
            result.insert(result.end(), x.begin(), x.end());
        }
        return result;
    }

    std::shared_ptr<state> state_;
};

/// Ways to group cores into processors, coarsest first: "socket 0-7 8-15". topology: hwloc's synthetic form; empty: this machine.
inline std::vector<std::string> groupings(const std::string &topology = {})
{
    const char *machine = detail::text_or_null(topology);
    int64_t count = 0;
    detail::check(hpart_grouping_count(machine, &count));
    std::vector<std::string> result;
    for (int64_t k = 0; k < count; ++k)
        result.push_back(detail::fetch_text([&](auto... to) { return hpart_grouping_describe(machine, k, to...); }));
    return result;
}

} // namespace v0_1
} // namespace hpart

#endif
