// The progress of long calls: a bar on stderr when that is a terminal, and the place where an interrupt stops them.
#pragma once

#include "hpart.h"

#include <chrono>
#include <string>
#include <utility>

namespace hpart_command
{

class ProgressBar
{
  public:
    ProgressBar();
    ProgressBar(const ProgressBar &) = delete;
    ProgressBar &operator=(const ProgressBar &) = delete;
    ~ProgressBar() { clear(); }

    // The calls that take these options tell this bar, which must outlive them.
    void attach(hpart_options *options);
    // A call that is only a part of the whole: its own fraction 0..1 becomes start..start + share.
    void set_part(double start, double share, std::string what);
    // Writes the lines to stderr once a call reports progress. Until then it may refuse its arguments, and that is the only message.
    void warn_when_begun(std::string lines) { warnings_ = std::move(lines); }
    void clear();

  private:
    static int told(double fraction, const char *what, void *self) noexcept;
    void draw(double fraction, const char *what);

    bool visible_;
    bool drawn_ = false;
    double part_start_ = 0, part_share_ = 1, fraction_ = 0;
    std::string part_what_, warnings_;
};

} // namespace hpart_command
