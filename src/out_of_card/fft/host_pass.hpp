// The passes of a transform on the host, where its data is: by FFTW on several threads.
#pragma once

#include "host/thread_group.hpp"
#include "out_of_card/fft/fft.hpp"
#include "out_of_card/fft/passes.hpp"

#include <cstdint>
#include <functional>

namespace hpart
{

// Threads of the host for one call.
class HostTeam
{
  public:
    explicit HostTeam(std::int64_t threads);
    std::int64_t size() const { return size_; }
    // job(part) for each of `parts`, size() at most.
    void run(std::int64_t parts, const std::function<void(std::int64_t)> &job);
    // job(range) for parts of [0, count).
    void share(std::int64_t count, const std::function<void(FftRange)> &job);

  private:
    std::int64_t size_;
    std::unique_ptr<ThreadGroup> group_; // none for one thread
};

// If middle.data is null, they use memory of the host for one transform.
void first_pass_on_host(HostTeam &team, const FftPasses &what, std::int64_t item, const FftRange &share);
void second_pass_on_host(HostTeam &team, const FftPasses &what, std::int64_t item, const FftRange &share);

// A whole call, in two passes by several threads where it is large.
void fft_on_host(HostTeam &team, const FftCall &call);

// From the transform of n / 2 complex numbers, in place, the n / 2 + 1 of the half spectrum.
void unfold_spectrum(HostTeam &team, bool is_double, std::int64_t n, void *spectrum);
// The n / 2 complex numbers whose backward transform are the n real ones; `spectrum` may be `folded`.
void fold_spectrum(HostTeam &team, bool is_double, std::int64_t n, const void *spectrum, void *folded);

} // namespace hpart
