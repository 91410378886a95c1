// The common part of transforms by FFTW, however they are launched.
#pragma once

#include "host/thread_group.hpp"
#include "out_of_card/in_card/spans.hpp"

#include <map>
#include <memory>
#include <span>

namespace hpart
{

// The work itself, on the host's threads. One launch at a time: a device has one queue of kernels.
class FftwTeam
{
  public:
    // One thread an entry, bound to these cores; of none, unbound.
    explicit FftwTeam(std::span<const CoreList> bindings) : group_(bindings) {}
    std::int64_t size() const { return static_cast<std::int64_t>(group_.size()); }
    // Nothing is thrown.
    void transform(const FftLines &lines, const FftLines::Plans &plans, void *data) noexcept;
    // Only the offsets of the places count here.
    void twiddle(const DeviceTwiddle &what, const void *from, void *to, const void *roots) noexcept;

  private:
    template <typename Job> void in_parts(std::int64_t parts, const Job &job);
    ThreadGroup group_;
};

class FftByFftw : public InCardFft
{
  public:
    explicit FftByFftw(std::span<const CoreList> bindings) : team_(bindings) {}

    std::string_view name() const override { return "fftw"; }
    bool supports(const DeviceFftShape &) const override { return true; }
    bool supports_pitch() const override { return true; }
    std::int64_t table_bytes(const DeviceFftShape &) const override { return 0; }
    std::int64_t scratch_bytes(const DeviceFftShape &) const override { return 0; }
    void prepare(const DeviceFftShape &shape) override { lines_of(shape); }

  protected:
    FftwTeam &team() { return team_; }
    // Live as long as this.
    FftLines &lines_of(const DeviceFftShape &shape);

  private:
    FftwTeam team_;
    std::map<DeviceFftShape, std::unique_ptr<FftLines>> lines_;
};

} // namespace hpart
