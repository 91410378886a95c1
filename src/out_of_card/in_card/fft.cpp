#include "out_of_card/in_card/fft.hpp"

#include "core/numbers.hpp"
#include "host/page_memory.hpp"

#ifdef HPART_HAVE_OPENCL
#include "out_of_card/devices/opencl_backend.hpp"
#include "out_of_card/devices/opencl_handles.hpp"
#endif

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

namespace hpart
{

namespace
{

struct Kind {
    std::string_view name;
    std::shared_ptr<InCardFft> (*make)(DeviceSession &session);
};

#if defined(HPART_HAVE_FFTW) && defined(HPART_HAVE_OPENCL)

bool runs_native_kernels(const DeviceSession &session)
{
    return session.info().backend == Backend::opencl && has_native_kernels(opencl_native(session.device()).device);
}

#endif

// Best guess first.
std::vector<Kind> kinds_of(const DeviceSession &session)
{
    std::vector<Kind> kinds;
#ifdef HPART_HAVE_FFTW
    if (session.info().backend == Backend::host) kinds.push_back({"fftw", make_fft_on_host});
#ifdef HPART_HAVE_OPENCL
    if (runs_native_kernels(session)) kinds.push_back({"fftw", make_fft_by_native_kernels});
#endif
#endif
    if (session.info().backend == Backend::cuda) kinds.push_back({"cufft", make_fft_by_cufft});
#if defined(HPART_HAVE_OPENCL) && defined(HPART_HAVE_VKFFT)
    if (session.info().backend == Backend::opencl) kinds.push_back({"vkfft", make_fft_by_vkfft});
#endif
    return kinds;
}

constexpr std::string_view fft_kernels_anywhere[] = {"fftw", "vkfft", "cufft"};

} // namespace

std::vector<std::string> in_card_fft_names(DeviceSession &session)
{
    std::vector<std::string> names;
    for (const auto &kind : kinds_of(session)) names.emplace_back(kind.name);
    return names;
}

std::shared_ptr<InCardFft> in_card_fft(DeviceSession &session, std::string_view name)
{
    const auto kinds = kinds_of(session);
    const bool any = name.empty() || name == "auto";
    const auto wanted =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind &kind) { return any || kind.name == name; });
    if (wanted != kinds.end())
        return session.kept<InCardFft>(text("fft ", wanted->name), [&] { return wanted->make(session); });
    if (any) return nullptr;
    fail_missing_kernel(session, name, fft_kernels_anywhere, kinds);
}

// A line of n numbers is a chirp c, moved by another distance s in each line: x_j = c_(j - s). Its transform is a chirp, too:
//   n even: c_j = exp(pi i j^2 / n),   C_k = sqrt(n) exp(pi i / 4) conj(c_k)
//   n odd:  c_j = exp(2 pi i j^2 / n), C_k = g conj(c_(h k)), h = (n + 1) / 2, g = sqrt(n) or, if n = 3 mod 4, i sqrt(n)
// by completing the square in C_k = sum_j c_j exp(-2 pi i j k / n) and Gauss's sums. All numbers on a side have the same modulus, so each
// counts. The move multiplies C_k by exp(-2 pi i k s / n). c and C are even; thus Re c has the transform Re C.

namespace
{

using Complex = std::complex<double>;

constexpr const char *memory_of_check = "the check of a transform";

class KnownLine
{
  public:
    explicit KnownLine(const DeviceFftShape &shape)
        : n_(shape.length), is_real_(shape.kind != FftKind::complex),
          is_conjugate_(shape.kind == FftKind::complex && shape.sign > 0), roots_(roots_of_one(n_))
    {
        const bool is_even = n_ % 2 == 0;
        const auto period = is_even ? 2 * n_ : n_;
        const auto turn = 2 * std::numbers::pi / static_cast<double>(period);
        chirp_.reserve(roots_.size());
        // The square of j, modulo the period.
        for (std::int64_t j = 0, square = 0; j < n_; square = (square + 2 * j + 1) % period, ++j)
            chirp_.push_back(std::polar(1.0, turn * static_cast<double>(square)));
        const auto modulus = std::sqrt(static_cast<double>(n_));
        if (is_even)
            factor_ = std::polar(modulus, std::numbers::pi / 4);
        else
            factor_ = n_ % 4 == 1 ? Complex(modulus, 0) : Complex(0, modulus);
        step_ = is_even ? 1 : (n_ + 1) / 2;
    }

    // Calls use(j, x_j).
    template <typename Use> void numbers(std::int64_t line, const Use &use) const
    {
        auto place = (n_ - moved(line)) % n_;
        for (std::int64_t j = 0; j < n_; ++j, place = place + 1 == n_ ? 0 : place + 1)
            use(j, either(chirp_[static_cast<std::size_t>(place)]));
    }

    // Calls use(k, X_k) for each k < count.
    template <typename Use> void transform(std::int64_t line, std::int64_t count, const Use &use) const
    {
        const auto next = [this](std::int64_t at, std::int64_t step) {
            return at + step < n_ ? at + step : at + step - n_;
        };
        std::int64_t place = 0, root = 0;
        for (std::int64_t k = 0; k < count; ++k, place = next(place, step_), root = next(root, moved(line))) {
            auto number = factor_ * std::conj(chirp_[static_cast<std::size_t>(place)]);
            if (is_real_) number = number.real();
            use(k, either(number * roots_[static_cast<std::size_t>(root)]));
        }
    }

  private:
    static std::vector<Complex> roots_of_one(std::int64_t n)
    {
        require_usable_memory(2 * n * static_cast<std::int64_t>(sizeof(Complex)), memory_of_check);
        std::vector<Complex> roots;
        roots.reserve(static_cast<std::size_t>(n));
        const auto turn = -2 * std::numbers::pi / static_cast<double>(n);
        for (std::int64_t m = 0; m < n; ++m) roots.push_back(std::polar(1.0, turn * static_cast<double>(m)));
        return roots;
    }
    std::int64_t moved(std::int64_t line) const { return (line + 1) % n_; }
    Complex either(Complex number) const { return is_conjugate_ ? std::conj(number) : number; }

    std::int64_t n_;
    bool is_real_, is_conjugate_;
    std::vector<Complex> roots_, chirp_;
    Complex factor_;
    std::int64_t step_ = 1; // in the chirp, from C_k to C_(k + 1)
};

std::int64_t line_bytes(const DeviceFftShape &shape) { return shape.distance() / shape.pitch * shape.complex_bytes(); }

// Calls use(place, number) for each number that the shape has before its transform, or after it. Places count real numbers.
template <typename Use> void for_each_number(const DeviceFftShape &shape, bool is_after, const Use &use)
{
    const KnownLine known(shape);
    const auto n = shape.length, half = n / 2 + 1; // numbers of a line, and of its half spectrum
    const auto complex = [&](std::int64_t first, std::int64_t stride) {
        return [=, &use](std::int64_t k, Complex number) {
            use(2 * (first + k * stride), number.real());
            use(2 * (first + k * stride) + 1, number.imag());
        };
    };
    for (std::int64_t line = 0; line < shape.outer * shape.inner; ++line) {
        if (shape.kind == FftKind::complex) {
            const auto at = complex(line / shape.inner * n * shape.inner + line % shape.inner, shape.inner);
            if (is_after)
                known.transform(line, n, at);
            else
                known.numbers(line, at);
        } else if ((shape.kind == FftKind::real_to_complex) == is_after) {
            known.transform(line, half, complex(line * half, 1));
        } else { // a transform back is n times as large
            const auto scale = is_after ? static_cast<double>(n) : 1.0;
            known.numbers(line,
                          [&](std::int64_t j, Complex number) { use(2 * line * half + j, scale * number.real()); });
        }
    }
}

template <typename Real> void fill(const DeviceFftShape &shape, unsigned char *data)
{
    for_each_number(shape, false, [&](std::int64_t at, double number) {
        const auto value = static_cast<Real>(number);
        std::memcpy(data + at * static_cast<std::int64_t>(sizeof value), &value, sizeof value);
    });
}

// Far above rounding, and far below a number that is wrong.
template <typename Real> constexpr double tolerance = sizeof(Real) == sizeof(double) ? 1e-10 : 1e-4;

template <typename Real> bool is_near(const DeviceFftShape &shape, const unsigned char *data)
{
    const auto n = static_cast<double>(shape.length);
    const auto most = tolerance<Real> * (shape.kind == FftKind::complex_to_real ? n : std::sqrt(n));
    bool all = true;
    for_each_number(shape, true, [&](std::int64_t at, double number) {
        Real value{};
        std::memcpy(&value, data + at * static_cast<std::int64_t>(sizeof value), sizeof value);
        all = all && std::abs(static_cast<double>(value) - number) <= most; // false for NaN
    });
    return all;
}

} // namespace

FftSample::FftSample(const DeviceFftShape &shape) : shape_(shape)
{
    const auto bytes = shape.outer * shape.inner * line_bytes(shape);
    require_usable_memory(bytes, memory_of_check);
    bytes_.resize(static_cast<std::size_t>(bytes));
    if (shape.is_double)
        fill<double>(shape, bytes_.data());
    else
        fill<float>(shape, bytes_.data());
}

bool FftSample::is_transformed() const
{
    return shape_.is_double ? is_near<double>(shape_, bytes_.data()) : is_near<float>(shape_, bytes_.data());
}

DeviceFftShape with_few_lines(const DeviceFftShape &shape, std::int64_t most_bytes)
{
    constexpr std::int64_t group = 64;
    const auto most = std::max<std::int64_t>(1, most_bytes / line_bytes(shape));
    const auto shortened = [](std::int64_t count, std::int64_t limit) {
        if (count <= limit) return count;
        return limit < group ? limit : count % group + round_down(limit - count % group, group);
    };
    auto few = shape;
    if (shape.inner == 1) {
        few.outer = shortened(shape.outer, most);
    } else {
        few.outer = std::clamp<std::int64_t>(most / shape.inner, 1, shape.outer);
        few.inner = few.pitch = shortened(shape.inner, most / few.outer);
    }
    return few;
}

} // namespace hpart
