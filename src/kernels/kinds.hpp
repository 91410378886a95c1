// The built-in kernels: each is made in a file of its own.
#pragma once

#include "core/clock.hpp"
#include "core/options.hpp"
#include "core/text.hpp"
#include "host/cores.hpp"
#include "host/page_memory.hpp"
#include "host/thread_group.hpp"
#include "kernels/kernel.hpp"
#include "kernels/registry.hpp"
#include "out_of_card/devices/registry.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace hpart
{

struct KernelKind {
    using Dims = std::span<const Dimension>;
    // Null if this build lacks the library.
    std::unique_ptr<BuiltinKernel> (*on_cores)(Dims dims, CoreList cores);
    std::unique_ptr<BuiltinKernel> (*on_devices)(Dims dims, DeviceGroup devices);
};

// C = A B, row-major; the rows of A and C are split.
template <typename Real> KernelKind gemm_kind();
// y = A x, row-major; the rows of A and y are split.
template <typename Real> KernelKind gemv_kind();
// Forward 2D transforms of complex numbers, interleaved, row-major, unnormalised. Each processor transforms its own rows, as the application
// that the papers measure: no transform of the whole matrix, which is fft2d.
template <typename Real> KernelKind fft_kind();
// One transform of a matrix of double precision that the processors share.
KernelKind fft2d_kind();

// Compares slices of fft_kind. The error is the larger of the relative ones, in the 2-norm, against a transform by FFTW as one 2D plan in
// double precision, and at a few points against the sum that defines the transform. n: points of a row, or equal_to_size.
template <typename Real> Check check_fft(std::int64_t n, std::span<const SliceResult> slices);

// Processors whose parts of one problem need each other while they run.

struct Partners {
    explicit Partners(std::vector<Slice> all)
        : slices(std::move(all)), rows(slices.size()), meeting(static_cast<std::int64_t>(slices.size()))
    {
    }
    const std::vector<Slice> slices;  // consecutive
    std::vector<const double *> rows; // what the others read of each, from its prepare to its release
    MeetingPoint meeting;
};

// Shared by the checks of kernels in both precisions.

// The values that a kernel of that precision had.
template <typename Real> void round_to(HostBuffer &values)
{
    if constexpr (std::is_same_v<Real, float>)
        for (std::size_t k = 0; k < values.values().size(); ++k)
            values.data()[k] = static_cast<double>(static_cast<float>(values.data()[k]));
}

// Returns the check whose error is the larger part of its tolerance. A result that is not finite has an infinite error.
inline Check worse(const Check &a, const Check &b)
{
    return a.max_relative_error * b.tolerance >= b.max_relative_error * a.tolerance && a.tolerance > 0 ? a : b;
}

// Returns a result in double precision; `store` keeps the copy of a result in single precision.
template <typename Real>
std::span<const double> as_doubles(const HostBufferOf<Real> &values, std::vector<double> &store)
{
    if constexpr (std::is_same_v<Real, double>) {
        return values.values();
    } else {
        store.assign(values.values().begin(), values.values().end());
        return store;
    }
}

// Input data that is the same on every machine and in every slice of a problem.

// Which array an element belongs to.
enum class RandomArray : std::uint64_t {
    gemm_a = 1,
    gemm_b = 2,
    fft_signal = 3,
    check_points = 4,
    gemv_a = 5,
    gemv_x = 6
};

inline std::uint64_t pseudo_random_bits(RandomArray stream, std::uint64_t index)
{
    // SplitMix64 (Steele, Lea and Flood 2014): any element without those before it.
    std::uint64_t z = static_cast<std::uint64_t>(stream) * 0xD1342543DE82EF95ULL + index * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
}

// Uniform in [-1, 1).
inline double pseudo_random(RandomArray stream, std::uint64_t index)
{
    return static_cast<double>(pseudo_random_bits(stream, index) >> 11U) * 0x1p-52 - 1;
}

// Rows first .. first + rows of a matrix of `columns` columns.
template <typename Real>
void fill_rows(RandomArray stream, Real *rows_data, std::int64_t first, std::int64_t rows, std::int64_t columns)
{
    const auto begin = static_cast<std::uint64_t>(first) * static_cast<std::uint64_t>(columns);
    const auto count = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns);
    for (std::uint64_t k = 0; k < count; ++k) rows_data[k] = static_cast<Real>(pseudo_random(stream, begin + k));
}

// A kernel on the cores of one processor, each of which does its share.

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

// A kernel on one or several devices. Its data is on the host, and a run includes the transfers, in parts if the data is larger than the
// device's memory: the cost of a split of host data.

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
