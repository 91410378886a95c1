#include "problem.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

#include <fftw3.h>

namespace problem
{

using hpart::FftKind;

namespace
{

// Up to here the definition's sums are taken, which are quadratic in the lengths.
constexpr std::int64_t most_points_by_definition = 1500;
constexpr unsigned char mark = 0xa5;
constexpr std::int64_t guard_bytes = 64;

// Along one dimension: `count` sums of `length` terms.
void sum_by_definition(std::vector<std::complex<long double>> &values, std::int64_t length, std::int64_t stride,
                       int sign)
{
    std::vector<std::complex<long double>> roots(length), line(length);
    for (std::int64_t k = 0; k < length; ++k) {
        const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / length;
        roots[k] = {std::cos(angle), sign * std::sin(angle)};
    }
    const auto count = static_cast<std::int64_t>(values.size()) / length;
    for (std::int64_t l = 0; l < count; ++l) {
        auto *first = values.data() + l / stride * stride * length + l % stride;
        for (std::int64_t j = 0; j < length; ++j) line[j] = first[j * stride];
        for (std::int64_t k = 0; k < length; ++k) {
            std::complex<long double> sum = 0;
            for (std::int64_t j = 0; j < length; ++j) sum += line[j] * roots[j * k % length];
            first[k * stride] = sum;
        }
    }
}

} // namespace

std::int64_t Problem::points() const
{
    return std::accumulate(call.dims.begin(), call.dims.end(), call.batch, std::multiplies<>());
}

std::string describe(const Problem &problem)
{
    std::string dims;
    for (const auto n : problem.call.dims) dims += hpart::text(dims.empty() ? "" : "x", n);
    constexpr std::array kinds = {"complex", "real to complex", "complex to real"};
    return hpart::text(problem.call.is_double ? "double " : "float ",
                       kinds[static_cast<std::size_t>(problem.call.kind)], " ", dims, " batch ", problem.call.batch,
                       " sign ", problem.call.sign, problem.in_place ? " in place" : "", " seed ", problem.seed);
}

Problem any_problem(Random &random, std::int64_t most_points)
{
    Problem problem;
    problem.seed = random();
    problem.in_place = between(random, 0, 1) == 1;
    problem.call.is_double = between(random, 0, 3) != 0;
    constexpr std::array kinds = {FftKind::complex, FftKind::complex, FftKind::real_to_complex,
                                  FftKind::complex_to_real};
    problem.call.kind = kinds[static_cast<std::size_t>(between(random, 0, 3))];
    problem.call.sign = between(random, 0, 1) == 1 ? 1 : -1;
    constexpr std::array<std::int64_t, 6> primes = {3, 7, 13, 31, 101, 257};
    constexpr std::array<std::int64_t, 6> smooth = {6, 15, 35, 105, 120, 315};
    auto left = most_points;
    const auto rank = between(random, 1, 4);
    for (std::int64_t d = 0; d < rank; ++d) {
        const auto which = static_cast<std::size_t>(between(random, 0, 5));
        std::int64_t length = 1;
        switch (between(random, 0, 5)) {
        case 0: length = primes[which]; break;
        case 1: length = smooth[which]; break;
        case 2: length = std::int64_t{1} << between(random, 0, 10); break;
        case 3: length = 1; break;
        default: length = between(random, 1, std::max<std::int64_t>(2, left)); break;
        }
        length = std::clamp<std::int64_t>(length, 1, left);
        problem.call.dims.push_back(length);
        left /= length;
    }
    std::shuffle(problem.call.dims.begin(), problem.call.dims.end(), random);
    problem.call.batch = between(random, 0, 2) == 0 ? between(random, 1, std::max<std::int64_t>(1, left)) : 1;
    return problem;
}

Arrays::Arrays(const Problem &problem)
    : problem_(problem), points_(problem.points()), length_(problem.call.dims.back()), rows_(points_ / length_)
{
    const auto kind = problem.call.kind;
    Random random(problem.seed);
    // Exact in single precision, too.
    const auto uniform = [&] { return static_cast<float>(support::real_between(random, -1, 1)); };
    Signal signal(points_);
    for (auto &value : signal) value = {uniform(), kind == FftKind::complex ? uniform() : 0};
    const auto spectrum = transformed(signal);

    const auto half_row = 2 * (length_ / 2 + 1);
    in_row_ = kind == FftKind::complex ? 2 * length_ : kind == FftKind::real_to_complex ? length_ : half_row;
    out_row_ = kind == FftKind::complex ? 2 * length_ : kind == FftKind::real_to_complex ? half_row : length_;
    in_pitch_ = problem.in_place ? std::max(in_row_, out_row_) : in_row_;
    out_pitch_ = problem.in_place ? in_pitch_ : out_row_;
    if (kind == FftKind::complex_to_real) {
        store(cut(spectrum, Side::half), in_row_, in_pitch_, in_);
        expected_ = cut(signal, Side::real);
        for (auto &value : expected_) value *= static_cast<double>(points_) / static_cast<double>(problem.call.batch);
    } else {
        const bool real = kind == FftKind::real_to_complex;
        store(cut(signal, real ? Side::real : Side::complex), in_row_, in_pitch_, in_);
        expected_ = cut(spectrum, real ? Side::half : Side::complex);
    }
    in_before_ = in_;
    const auto real_bytes = problem.call.is_double ? sizeof(double) : sizeof(float);
    out_.assign(rows_ * out_pitch_ * real_bytes + 2 * guard_bytes, mark);
}

Arrays::Signal Arrays::transformed(const Signal &signal) const
{
    const auto &call = problem_.call;
    const int sign = call.kind == FftKind::complex ? call.sign : -1;
    Signal out(signal);
    if (points_ <= most_points_by_definition) {
        std::vector<std::complex<long double>> values(signal.begin(), signal.end());
        std::int64_t stride = 1;
        for (auto d = call.dims.size(); d-- > 0;) {
            sum_by_definition(values, call.dims[d], stride, sign);
            stride *= call.dims[d];
        }
        std::transform(values.begin(), values.end(), out.begin(), [](const auto &value) {
            return std::complex<double>(static_cast<double>(value.real()), static_cast<double>(value.imag()));
        });
        return out;
    }
    const std::vector<int> dims(call.dims.begin(), call.dims.end());
    const auto distance = static_cast<int>(points_ / call.batch);
    auto *const data = reinterpret_cast<fftw_complex *>(out.data());
    fftw_plan plan = fftw_plan_many_dft(static_cast<int>(dims.size()), dims.data(), static_cast<int>(call.batch), data,
                                        nullptr, 1, distance, data, nullptr, 1, distance, sign, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return out;
}

std::vector<double> Arrays::cut(const Signal &signal, Side side) const
{
    std::vector<double> numbers;
    const auto taken = side == Side::half ? length_ / 2 + 1 : length_;
    for (std::int64_t row = 0; row < rows_; ++row)
        for (std::int64_t column = 0; column < taken; ++column) {
            const auto &value = signal[row * length_ + column];
            numbers.push_back(value.real());
            if (side != Side::real) numbers.push_back(value.imag());
        }
    return numbers;
}

void Arrays::store(const std::vector<double> &numbers, std::int64_t row, std::int64_t pitch,
                   std::vector<unsigned char> &array) const
{
    const auto put = [&]<typename Real>(Real) {
        std::vector<Real> values(rows_ * pitch, std::numeric_limits<Real>::quiet_NaN());
        for (std::int64_t r = 0; r < rows_; ++r)
            for (std::int64_t c = 0; c < row; ++c) values[r * pitch + c] = static_cast<Real>(numbers[r * row + c]);
        array.resize(values.size() * sizeof(Real));
        if (!array.empty()) std::memcpy(array.data(), values.data(), array.size());
    };
    if (problem_.call.is_double)
        put(double());
    else
        put(float());
}

double Arrays::number(const unsigned char *array, std::int64_t index) const
{
    const auto get = [&]<typename Real>(Real value) {
        std::memcpy(&value, array + index * static_cast<std::int64_t>(sizeof value), sizeof value);
        return static_cast<double>(value);
    };
    return problem_.call.is_double ? get(double()) : get(float());
}

hpart::FftCall Arrays::call()
{
    auto call = problem_.call;
    call.in = in_.data();
    call.out = problem_.in_place ? in_.data() : out_.data() + guard_bytes;
    return call;
}

double Arrays::error() const
{
    const auto *out = problem_.in_place ? in_.data() : out_.data() + guard_bytes;
    double squares = 0, whole = 0;
    for (std::int64_t row = 0; row < rows_; ++row)
        for (std::int64_t column = 0; column < out_row_; ++column) {
            const double value = number(out, row * out_pitch_ + column);
            const double wanted = expected_[row * out_row_ + column];
            if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
            squares += (value - wanted) * (value - wanted);
            whole += wanted * wanted;
        }
    return squares == 0 ? 0 : std::sqrt(squares / whole);
}

double Arrays::tolerance() const
{
    constexpr double of_double = 2e-15;
    constexpr double eps_of_float_to_double = 0x1p29;
    return problem_.call.is_double ? of_double : of_double * eps_of_float_to_double;
}

bool Arrays::rest_is_untouched() const
{
    const auto is_mark = [](unsigned char byte) { return byte == mark; };
    return (problem_.in_place || in_ == in_before_) && std::all_of(out_.begin(), out_.begin() + guard_bytes, is_mark) &&
           std::all_of(out_.end() - guard_bytes, out_.end(), is_mark);
}

} // namespace problem
