// The file of all samples of a call: CSV, one line a run, whole points only.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace hpart
{

// processor,size,repetition,seconds,outlier
std::string samples_header();
// The lines of a processor's run of a size; outlier is 1 where a sample is far from the median.
std::string sample_lines(std::string_view processor, std::int64_t size, std::span<const double> seconds);

// Appends to a file whose earlier points are kept. A kill at any moment leaves whole points, and at most a part of the one that
// was being written: continue_samples drops it, since its point is not done.
class SamplesFile
{
  public:
    using IsDone = std::function<bool(std::string_view processor, std::int64_t size)>;
    // Starts the file anew with those of its lines, if it exists, whose point is done. Status::format, leaving the file as it is,
    // when it is no file of samples.
    SamplesFile(std::string path, const IsDone &is_done);
    // Returns when the lines are on the disk.
    void append(std::string_view lines) const;

  private:
    std::string path_;
};

} // namespace hpart
