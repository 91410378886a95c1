// The forward 2D transform of one matrix of double-precision complex numbers, which the processors share: each transforms its rows, collects
// its columns from all others, and transforms these. Unnormalised, as FFTW; the result is transposed, as FFTW-MPI's may be.
#pragma once

#include "host/page_memory.hpp"
#include "kernels/kernel.hpp"
#include "kernels/kinds.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace hpart
{

// The matrix has n columns, and the rows of all processors.
struct Fft2dDims {
    std::int64_t n;
    std::string description() const;
};

// One transform a line, of lines one after another.
struct Lines {
    std::int64_t count, length;
    double *in, *out; // the same, or apart
};

// The transforms of a processor.
class LineTransform
{
  public:
    LineTransform() = default;
    LineTransform(const LineTransform &) = delete;
    LineTransform &operator=(const LineTransform &) = delete;
    virtual ~LineTransform() = default;
    // May overwrite the lines.
    virtual void plan(std::span<const Lines> all, const Workers &workers) = 0;
    // Transforms all[k] of plan. Returns the seconds, without the set-up of devices.
    virtual double run(std::size_t k, Workers &workers) = 0;
    virtual void release() noexcept = 0;
};

class Fft2d final : public BuiltinKernel
{
  public:
    Fft2d(const Fft2dDims &dims, CoreList cores, std::unique_ptr<LineTransform> transform)
        : dims_(dims), workers_(std::move(cores)), transform_(std::move(transform))
    {
    }

    std::string description() const override { return dims_.description(); }
    bool needs_partners() const override { return true; }
    void join(const std::shared_ptr<Partners> &partners, std::size_t place) override;
    void prepare(const Slice &slice) override;
    void run() override;
    void interrupt() noexcept override
    {
        if (partners_) partners_->meeting.give_up();
    }
    void release() noexcept override;
    // The sum of the parts: waiting for other processors does not count.
    std::optional<double> own_seconds() const override;
    std::span<const PartSeconds> parts() const override { return seconds_; }
    // This processor's columns, one after another.
    std::span<const double> result() const override { return columns_.values(); }
    Check check(std::span<const SliceResult> slices) const override;

  private:
    void collect_columns(std::int64_t first, std::int64_t count);
    void meet();

    Fft2dDims dims_;
    Workers workers_;
    std::unique_ptr<LineTransform> transform_;
    std::shared_ptr<Partners> partners_;
    std::size_t place_ = 0;
    HostBuffer in_, rows_, columns_;
    Slice own_columns_;
    std::array<PartSeconds, 3> seconds_ = {{{"rows", 0}, {"transpose", 0}, {"columns", 0}}};
};

} // namespace hpart
