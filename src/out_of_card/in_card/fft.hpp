// Fourier transforms of data that is on the device: one interface, an implementation a kind of device.
#pragma once

#include "host/host_fft.hpp"
#include "out_of_card/devices/device.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace hpart
{

// `outer` arrays, one after another, each of `length` rows that begin `pitch` complex numbers apart; of each row the first
// `inner` numbers are there, and each of these columns is transformed, in place. So inner = pitch = 1 are contiguous lines.
// Real kinds have contiguous lines only: `length` real numbers on one side, length / 2 + 1 complex ones on the other, which
// is the distance of lines on both.
struct DeviceFftShape {
    bool is_double = true;
    FftKind kind = FftKind::complex;
    int sign = -1; // of complex ones
    std::int64_t outer = 1, length = 1, inner = 1, pitch = 1;
    bool is_repeated = false; // the same transform runs many times
    bool operator<(const DeviceFftShape &other) const
    {
        const auto all = [](const DeviceFftShape &shape) {
            return std::tie(shape.is_double, shape.kind, shape.sign, shape.outer, shape.length, shape.inner,
                            shape.pitch, shape.is_repeated);
        };
        return all(*this) < all(other);
    }

    std::int64_t complex_bytes() const { return is_double ? 16 : 8; }
    // From an array to the next, in complex numbers.
    std::int64_t distance() const { return kind == FftKind::complex ? length * pitch : length / 2 + 1; }
};

// A place of numbers; offsets are multiples of a complex number.
struct DevicePlace {
    DeviceBuffer *buffer = nullptr;
    std::int64_t offset_bytes = 0;
};

// The step between the two halves of a long transform of n points: to[c][k] = from[k][c] z^(k (first + c)), where
// z = exp(sign 2 pi i / n), k < rows and c < columns; both arrays are dense and apart.
struct DeviceTwiddle {
    bool is_double = true;
    int sign = -1;
    std::int64_t n = 1;
    std::int64_t rows = 1, columns = 1, first = 0;
    DevicePlace from, to;
    DevicePlace roots; // twiddle_roots(n, ...)
};

// z^e = roots[e % fine] roots[fine + e / fine]
std::int64_t fine_twiddle_roots(std::int64_t n);
std::int64_t count_twiddle_roots(std::int64_t n);
// Complex numbers of that precision.
std::vector<unsigned char> twiddle_roots(std::int64_t n, int sign, bool is_double);

class InCardFft
{
  public:
    InCardFft() = default;
    InCardFft(const InCardFft &) = delete;
    InCardFft &operator=(const InCardFft &) = delete;
    virtual ~InCardFft() = default;
    // "vkfft", "fftw", "cufft"
    virtual std::string_view name() const = 0;
    virtual bool supports(const DeviceFftShape &shape) const = 0;
    // True if columns of a wider array are transformed where they are: pitch > inner.
    virtual bool supports_pitch() const = 0;
    // At most so much of the device is taken by tables for this shape that are not there yet; they stay.
    virtual std::int64_t table_bytes(const DeviceFftShape &shape) const = 0;
    // By tables that are there.
    virtual std::int64_t kept_bytes() const { return 0; }
    // Takes them away. No transform is under way.
    virtual void forget() {}
    // Memory of a transform of this shape beside its data: exact once it is prepared, an estimate before.
    virtual std::int64_t scratch_bytes(const DeviceFftShape &shape) const = 0;
    // Makes plans and compiles, which the first transform of a shape would do else. A shape for which it fails is not supported any
    // more.
    virtual void prepare(const DeviceFftShape &shape) = 0;
    // The scratch is not used by anything else at the same time.
    virtual Launch transform(const DeviceFftShape &shape, const DevicePlace &data, DeviceBuffer *scratch) = 0;
    virtual Launch twiddle(const DeviceTwiddle &what) = 0;
};

// The implementations that this device can run, best guess first; empty in a build without any. Names: in_card_fft_names.
std::vector<std::string> in_card_fft_names(DeviceSession &session);
// By name, or the best guess ("" or "auto"), null where the device has none; kept in the device. Fails, naming those there are, for
// another name: Status::unsupported for one of another device or build, else Status::invalid_argument.
std::shared_ptr<InCardFft> in_card_fft(DeviceSession &session, std::string_view name = "");

// The implementations of in-card transforms.

std::shared_ptr<InCardFft> make_fft_on_host(DeviceSession &session);
std::shared_ptr<InCardFft> make_fft_by_native_kernels(DeviceSession &session);
std::shared_ptr<InCardFft> make_fft_by_vkfft(DeviceSession &session);
std::shared_ptr<InCardFft> make_fft_by_cufft(DeviceSession &session);

// Numbers with a known transform: they show if an implementation computes right ones on a device.
class FftSample
{
  public:
    // Dense shapes only: inner = pitch.
    explicit FftSample(const DeviceFftShape &shape);

    // As on the device; at first the numbers to transform.
    void *data() { return bytes_.data(); }
    std::int64_t bytes() const { return static_cast<std::int64_t>(bytes_.size()); }
    // True if the data is the transform, but for rounding.
    bool is_transformed() const;

  private:
    DeviceFftShape shape_;
    std::vector<unsigned char> bytes_;
};

// The shape with no more lines than `most_bytes` hold, but at least one. From 64 lines on it leaves out groups of 64, so that the last
// group is as full as before and the code of an implementation is the same.
DeviceFftShape with_few_lines(const DeviceFftShape &shape, std::int64_t most_bytes);

} // namespace hpart
