// In-card transforms where the device's memory is the host's: by FFTW, some lines at a time.
#pragma once

#include "core/containers.hpp"
#include "out_of_card/in_card/fft.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace hpart
{

// A shape's transform in parts that may run at once. Plans are estimated until as much time was spent as it takes to
// measure better ones; a repeated transform's are measured at once.
class FftLines
{
  public:
    // FFTW's plans for groups of lines.
    struct Plans;

    FftLines(const DeviceFftShape &shape, std::int64_t parts);
    FftLines(const FftLines &) = delete;
    FftLines &operator=(const FftLines &) = delete;
    ~FftLines();

    std::int64_t parts() const { return parts_; }
    // Those for a run that is about to be given; they live as long as this.
    const Plans &plans_for_a_run();
    // Part `part` of the lines of `data`; a part at most once at a time. Throws nothing.
    void run(const Plans &plans, std::int64_t part, void *data) const noexcept;

  private:
    std::unique_ptr<const Plans> make_plans(bool measured) const;
    void run_group(const Plans &plans, std::int64_t group, unsigned char *data, unsigned char *gathered) const;

    DeviceFftShape shape_;
    std::int64_t row_;   // neighbouring lines: the columns of an array, or all contiguous lines
    std::int64_t group_; // lines of a whole group
    std::int64_t groups_per_row_, groups_, parts_;
    double seconds_ = 0; // spent, about
    std::unique_ptr<const Plans> guessed_, measured_;
    mutable std::vector<AlignedVector<unsigned char>> gathered_; // a part each
};

} // namespace hpart
