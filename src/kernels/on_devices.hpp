// A kernel on one or several devices. Its data is on the host, and a run includes the transfers, in parts if the data is larger than the
// device's memory: the cost of a split of host data.
#pragma once

#include "core/clock.hpp"
#include "core/options.hpp"
#include "core/text.hpp"
#include "kernels/checks.hpp"
#include "kernels/kinds.hpp"
#include "out_of_card/devices/link_rates.hpp"
#include "out_of_card/devices/registry.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hpart
{

// The cores are left to other processors, and a device's function is never the host's, even where that is faster.
inline Options options_of_kernels()
{
    Options options;
    options.set_int("threads", 1);
    options.set_text("run_on", "device");
    return options;
}

// Without the devices' set-up, which is at the same time: an operation that measures a rate again would otherwise be longer than the rest.
template <typename Operation> double seconds_without_set_up(const DeviceGroup &devices, const Operation &operation)
{
    std::vector<double> setup_before;
    for (const auto &session : devices.sessions) setup_before.push_back(session->setup_seconds());
    const auto begin = Clock::now();
    operation();
    const double seconds = seconds_since(begin);
    double setup = 0;
    for (std::size_t d = 0; d < setup_before.size(); ++d)
        setup = std::max(setup, devices.sessions[d]->setup_seconds() - setup_before[d]);
    return seconds - setup;
}

// Problem and Problem::Data: as of KernelOnCores, with on_devices(devices, data, rows, options), which does the work, and math_mode(devices).
template <typename Problem> class KernelOnDevices final : public BuiltinKernel
{
  public:
    KernelOnDevices(const Problem &problem, DeviceGroup devices)
        : problem_(problem), devices_(std::move(devices)), math_mode_(Problem::math_mode(devices_))
    {
    }

    std::string description() const override { return problem_.description(); }
    std::string math_mode() const override { return math_mode_; }
    std::vector<std::string> origins() const override
    {
        std::vector<std::string> all;
        for (const auto &session : devices_.sessions)
            if (const auto &info = session->info(); info.backend != Backend::host)
                all.push_back(printable(text(info.name, ", ", info.driver)));
        return all;
    }
    std::span<const double> result() const override { return as_doubles(data_.result(), in_double_); }
    Check check(std::span<const SliceResult> slices) const override { return problem_.check(slices); }

    void prepare(const Slice &slice) override
    {
        release();
        rows_ = slice.rows;
        now_ = problem_.at(rows_);
        data_ = Data(now_, rows_);
        data_.fill(now_, slice, 0, 1);
    }
    // The first one of a size plans, and compiles what the device lacks.
    void run() override
    {
        seconds_ = seconds_without_set_up(devices_, [&] { now_.on_devices(devices_, data_, rows_, options_); });
    }
    std::optional<double> own_seconds() const override { return seconds_; }
    void release() noexcept override
    {
        data_ = {};
        in_double_ = {};
    }
    std::optional<HostLink> host_link() override
    {
        if (devices_.sessions.size() != 1 || devices_.sessions.front()->info().on_host_cores) return std::nullopt;
        auto &session = *devices_.sessions.front();
        const std::lock_guard lock(session.in_use());
        const auto rates = measured_link(session);
        return HostLink{rates.copy_seconds, std::min(rates.in_bytes_per_second, rates.out_bytes_per_second)};
    }

  private:
    using Data = typename Problem::Data;
    Problem problem_, now_{}; // as asked for, and of the slice
    DeviceGroup devices_;
    std::string math_mode_;
    Options options_ = options_of_kernels();
    Data data_;
    mutable std::vector<double> in_double_;
    std::int64_t rows_ = 0;
    double seconds_ = 0; // of the last run
};

template <typename Problem> std::unique_ptr<BuiltinKernel> make_on_devices(KernelKind::Dims dims, DeviceGroup devices)
{
    return std::make_unique<KernelOnDevices<Problem>>(Problem::of(dims), std::move(devices));
}

} // namespace hpart
