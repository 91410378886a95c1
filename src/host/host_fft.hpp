// Discrete Fourier transforms on the host, on one thread, by FFTW.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace hpart
{

// Complex to complex, or between real numbers and half of their spectrum in the last dimension, which determines the rest.
enum class FftKind : std::uint8_t { complex, real_to_complex, complex_to_real };

// A dimension of an array, with the distance of neighbours on each side: in real numbers on a real side, in complex
// numbers on a complex one. `length` counts the real numbers where one side is real.
struct FftDimension {
    std::int64_t length = 1;
    std::int64_t in_stride = 1;
    std::int64_t out_stride = 1;
};

// Unnormalised, as FFTW.
struct HostFftShape {
    bool is_double = true;
    FftKind kind = FftKind::complex;
    int sign = -1;                        // of complex ones
    std::vector<FftDimension> dimensions; // that are transformed; the last has the half spectrum
    std::vector<FftDimension> loops;      // over which the transform is repeated
    bool in_place = false;
    bool aligned = false;     // both arrays of each run begin at a multiple of host_fft_alignment bytes
    bool destroys_in = false; // `in` may be overwritten; real transforms of several dimensions to real numbers need it
    std::int64_t runs = 1;    // that may go on at once
    bool measured =
        false; // the plan is the fastest of several, which takes up to seconds and as much memory as the data; else a guess
};

constexpr std::int64_t host_fft_alignment = 64;

// An upper bound of FFTW's own arrays for a shape: factors and buffers.
std::int64_t host_fft_work_bytes(const HostFftShape &shape);

class HostFft
{
  public:
    // Status::unsupported in a build without FFTW; Status::out_of_memory if FFTW's own arrays may not fit. A plan is a guess where there is
    // no memory for arrays to measure it with.
    explicit HostFft(HostFftShape shape);
    HostFft(const HostFft &) = delete;
    HostFft &operator=(const HostFft &) = delete;
    ~HostFft();

    // From any thread, several at once too. `out` is `in` where the shape says so, and only there.
    void run(const void *in, void *out) const;

    struct Plan; // of either precision

  private:
    std::unique_ptr<const Plan> plan_;
};

} // namespace hpart
