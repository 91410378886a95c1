#include "checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace hpart_command
{

namespace
{

using Real = long double;
constexpr Real pi = std::numbers::pi_v<Real>;
constexpr int trials = 2;

// Without the tests for infinities that std::complex makes in every product.
struct Complex {
    Real re = 0, im = 0;
};
Complex operator+(const Complex &a, const Complex &b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(const Complex &a, const Complex &b) { return {a.re - b.re, a.im - b.im}; }
Complex operator*(const Complex &a, const Complex &b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
Complex operator*(Real a, const Complex &b) { return {a * b.re, a * b.im}; }
Complex conjugate(const Complex &a) { return {a.re, -a.im}; }
Real square(const Complex &a) { return a.re * a.re + a.im * a.im; }
Complex turned_by(Real angle) { return {std::cos(angle), std::sin(angle)}; }

using Vector = std::vector<Complex>;

std::size_t index(std::int64_t k) { return static_cast<std::size_t>(k); }

Complex number(const Numbers &numbers, std::int64_t k)
{
    if (!is_complex(numbers.precision())) return {numbers.real(k), 0};
    return {numbers.real(2 * k), numbers.real(2 * k + 1)};
}

Vector random_signs(std::int64_t count, int trial)
{
    Vector signs(index(count));
    for (std::int64_t k = 0; k < count; ++k)
        signs[index(k)].re =
            (random_bits(101 + static_cast<std::uint64_t>(trial), static_cast<std::uint64_t>(k)) & 1U) != 0 ? 1 : -1;
    return signs;
}

Real largest(const Vector &vector)
{
    Real most = 0;
    for (const auto &one : vector) most = larger(most, square(one));
    return std::sqrt(most);
}

Real square(const Vector &vector)
{
    Real sum = 0;
    for (const auto &one : vector) sum += square(one);
    return sum;
}

double ratio(Real error, Real whole) { return static_cast<double>(error == 0 ? 0 : error / whole); }

Vector applied(const Operand &a, const Vector &v)
{
    const bool plain = a.op == 'N';
    Vector result(index(plain ? a.rows : a.columns));
    const auto lines = a.by_rows ? a.rows : a.columns, length = a.by_rows ? a.columns : a.rows;
    const bool sums_lines = a.by_rows == plain; // a line is a row of the result's matrix
    const auto add = [&](std::int64_t line, std::int64_t first, std::int64_t end, const auto &value_at) {
        for (auto k = first; k < end; ++k) {
            auto &to = result[index(sums_lines ? line : k)];
            to = to + value_at(line * length + k) * v[index(sums_lines ? k : line)];
        }
    };
    const auto real = [&](std::int64_t at) { return Real{a.numbers.real(at)}; };
    const auto plain_complex = [&](std::int64_t at) { return number(a.numbers, at); };
    const auto conjugated = [&](std::int64_t at) { return conjugate(number(a.numbers, at)); };
    const auto part = [&](std::int64_t line, std::int64_t first, std::int64_t end) {
        if (!is_complex(a.numbers.precision())) return add(line, first, end, real);
        if (a.op == 'C') return add(line, first, end, conjugated);
        add(line, first, end, plain_complex);
    };
    // Each thread has sums of its own, in the order of one thread.
    constexpr std::int64_t fewest = 64; // worth a thread
    if (sums_lines)
        in_parallel(lines, fewest, [&](std::int64_t first, std::int64_t end) {
            for (auto line = first; line < end; ++line) part(line, 0, length);
        });
    else
        in_parallel(length, fewest, [&](std::int64_t first, std::int64_t end) {
            for (std::int64_t line = 0; line < lines; ++line) part(line, first, end);
        });
    return result;
}

Vector difference(Vector a, const Vector &b)
{
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = a[k] - b[k];
    return a;
}

// Column-major, one triangle; with or without ones on the diagonal, as it is or its conjugate transpose.
Vector triangle_applied(std::int64_t n, const Numbers &a, bool lower, bool ones, bool transposed, const Vector &v)
{
    Vector result(index(n));
    for (std::int64_t j = 0; j < n; ++j) {
        const auto first = lower ? j : 0, last = lower ? n : j + 1;
        for (std::int64_t i = first; i < last; ++i) {
            Complex value = i == j && ones ? Complex{1, 0} : number(a, j * n + i);
            if (transposed) value = conjugate(value);
            auto &to = result[index(transposed ? j : i)];
            to = to + value * v[index(transposed ? i : j)];
        }
    }
    return result;
}

template <typename Product>
double residual(std::int64_t n, const Numbers &a, const std::vector<std::int64_t> &pivots, const Product &product)
{
    Real error = 0, whole = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const auto v = random_signs(n, trial);
        auto expected = applied({a, n, n, false}, v);
        for (std::size_t k = 0; k < pivots.size(); ++k) std::swap(expected[k], expected[index(pivots[k] - 1)]);
        error += square(difference(product(v), expected));
        whole += square(expected);
    }
    return ratio(std::sqrt(error), std::sqrt(whole));
}

// The weights of an axis, w_k = exp(2 pi i t k) with t = (m + f) / n, and those that they have before the transform,
// sum_k w_k exp(-2 pi i j k / n): a geometric sum. f is far from whole numbers, near which the sum is not accurate.
class Axis
{
  public:
    Axis(std::int64_t n, int trial, std::size_t number) : n_(n)
    {
        constexpr std::int64_t most = std::int64_t{1} << 20; // m k must not overflow
        const auto bits = random_bits(211 + static_cast<std::uint64_t>(trial), number);
        m_ = static_cast<std::int64_t>(bits >> 32U) % std::min(n, most);
        f_ = Real{0.25} + static_cast<Real>(bits & 0xFFFFU) / 0x20000;
        top_ = std::sin(pi * f_) * turned_by(pi * f_);
    }

    std::int64_t length() const { return n_; }
    Complex after(std::int64_t k) const
    {
        const auto turns = (static_cast<Real>(m_ * k % n_) + f_ * static_cast<Real>(k)) / static_cast<Real>(n_);
        return turned_by(2 * pi * turns);
    }
    Complex before(std::int64_t j) const
    {
        auto q = m_ - j;
        if (q < -n_ / 2) q += n_;
        const auto angle = pi * (static_cast<Real>(q) + f_) / static_cast<Real>(n_);
        return 1 / std::sin(angle) * (top_ * turned_by(-angle));
    }

  private:
    std::int64_t n_, m_;
    Real f_;
    Complex top_;
};

// An axis's weights. The weights of a long axis are computed where they are used: they would take more memory than the data.
class Weights
{
  public:
    static constexpr std::int64_t most_kept = 1 << 16;
    using Weight = Complex (Axis::*)(std::int64_t) const;

    Weights(const Axis &axis, Weight weight) : axis_(axis), weight_(weight)
    {
        if (axis.length() > most_kept) return;
        for (std::int64_t k = 0; k < axis.length(); ++k) kept_.push_back((axis_.*weight_)(k));
    }
    Complex operator()(std::int64_t k) const { return kept_.empty() ? (axis_.*weight_)(k) : kept_[index(k)]; }

  private:
    Axis axis_;
    Weight weight_;
    Vector kept_;
};

// Products of the weights of all axes but the last, for one line of numbers after another.
class Outer
{
  public:
    Outer(const std::vector<std::int64_t> &dims, const std::vector<Weights> &weights, int trial)
        : dims_(dims), weights_(weights), at_(dims.size() - 1), trial_(trial)
    {
    }

    Complex weight(bool mirrored) const
    {
        const auto bits = random_bits(307 + static_cast<std::uint64_t>(trial_), static_cast<std::uint64_t>(item_));
        Complex product{(bits & 1U) != 0 ? Real{1} : Real{-1}, 0};
        for (std::size_t d = 0; d < at_.size(); ++d)
            product = product * weights_[d](mirrored && at_[d] > 0 ? dims_[d] - at_[d] : at_[d]);
        return product;
    }
    void next()
    {
        for (auto d = at_.size(); d-- > 0;) {
            if (++at_[d] < dims_[d]) return;
            at_[d] = 0;
        }
        ++item_;
    }

  private:
    const std::vector<std::int64_t> &dims_;
    const std::vector<Weights> &weights_;
    std::vector<std::int64_t> at_;
    std::int64_t item_ = 0;
    int trial_;
};

struct Sums {
    Complex weighted;
    Real square = 0;
};

// Over all numbers; `half`: those left out of the last dimension are the conjugates of those at the mirrored places.
Sums sums_of(const Numbers &numbers, const std::vector<std::int64_t> &dims, bool half,
             const std::vector<Weights> &weights, int trial)
{
    const auto n = dims.back(), length = half ? n / 2 + 1 : n, lines = numbers.count() / length;
    Sums sums;
    for (std::int64_t first = 0; first < length; first += Weights::most_kept) {
        // The weights of this part, for all lines.
        const auto end = std::min(length, first + Weights::most_kept);
        Vector here, there;
        for (auto k = first; k < end; ++k) here.push_back(weights.back()(k));
        const auto is_twice = [&](std::int64_t k) { return half && k > 0 && 2 * k != n; };
        for (auto k = first; k < end; ++k) there.push_back(is_twice(k) ? weights.back()(n - k) : Complex{});
        Outer outer(dims, weights, trial);
        for (std::int64_t line = 0; line < lines; ++line, outer.next()) {
            Complex sum, mirrored;
            for (auto k = first; k < end; ++k) {
                const auto value = number(numbers, line * length + k);
                sum = sum + value * here[index(k - first)];
                if (is_twice(k)) mirrored = mirrored + conjugate(value) * there[index(k - first)];
                sums.square += (is_twice(k) ? 2 : 1) * square(value);
            }
            sums.weighted = sums.weighted + outer.weight(false) * sum;
            if (half) sums.weighted = sums.weighted + outer.weight(true) * mirrored;
        }
    }
    return sums;
}

} // namespace

double product_error(const Operand &a, const Operand &b, double alpha, double beta, const Operand &before,
                     const Operand &after)
{
    Real error = 0, whole = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const auto v = random_signs(after.columns, trial);
        auto expected = applied(a, applied(b, v));
        const auto old = applied(before, v);
        for (std::size_t k = 0; k < expected.size(); ++k) expected[k] = Real{alpha} * expected[k] + Real{beta} * old[k];
        error = larger(error, largest(difference(applied(after, v), expected)));
        whole = std::max(whole, largest(expected));
    }
    // Below the least normal number roundings are as large as there.
    const Real least =
        is_double(after.numbers.precision()) ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
    return ratio(error, std::max(whole, least * std::sqrt(static_cast<Real>(after.columns))));
}

double transform_error(const std::vector<std::int64_t> &dims, std::int64_t batch, const Numbers &in,
                       const Numbers &spectrum)
{
    if (batch == 0) return 0;
    const bool half = !is_complex(in.precision());
    Real error = 0, whole = 0;
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<Axis> axes;
        for (std::size_t d = 0; d < dims.size(); ++d) axes.emplace_back(dims[d], trial, d);
        const auto weights_of = [&](Weights::Weight weight) {
            std::vector<Weights> weights;
            for (const auto &axis : axes) weights.emplace_back(axis, weight);
            return weights;
        };
        const auto after = sums_of(spectrum, dims, half, weights_of(&Axis::after), trial);
        const auto before = sums_of(in, dims, false, weights_of(&Axis::before), trial);
        error += square(after.weighted - before.weighted);
        whole += after.square;
    }
    return ratio(std::sqrt(error), std::sqrt(whole));
}

double lu_residual(std::int64_t n, const Numbers &a, const Numbers &factors, const std::vector<std::int64_t> &pivots)
{
    return residual(n, a, pivots, [&](const Vector &v) {
        return triangle_applied(n, factors, true, true, false, triangle_applied(n, factors, false, false, false, v));
    });
}

double cholesky_residual(std::int64_t n, const Numbers &a, const Numbers &factor)
{
    return residual(n, a, {}, [&](const Vector &v) {
        return triangle_applied(n, factor, true, false, false, triangle_applied(n, factor, true, false, true, v));
    });
}

double qr_residual(std::int64_t n, const Numbers &a, const Numbers &factors, const Numbers &tau)
{
    return residual(n, a, {}, [&](const Vector &v) {
        auto y = triangle_applied(n, factors, false, false, false, v);
        for (auto k = n; k-- > 0;) { // H_k = 1 - tau w w^H, w = (1, the column below the diagonal)
            auto sum = y[index(k)];
            for (auto i = k + 1; i < n; ++i) sum = sum + conjugate(number(factors, k * n + i)) * y[index(i)];
            sum = number(tau, k) * sum;
            y[index(k)] = y[index(k)] - sum;
            for (auto i = k + 1; i < n; ++i) y[index(i)] = y[index(i)] - sum * number(factors, k * n + i);
        }
        return y;
    });
}

} // namespace hpart_command
