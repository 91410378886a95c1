#include "product.hpp"

#include "core/text.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

namespace in_card_test
{

using namespace hpart;

namespace
{

template <typename Value> struct RealOf {
    using Type = Value;
};
template <typename Real> struct RealOf<std::complex<Real>> {
    using Type = Real;
};

// Numbers to compute the reference in.
struct Wide {
    long double re = 0, im = 0;
    friend Wide operator*(const Wide &a, const Wide &b)
    {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    friend Wide operator+(const Wide &a, const Wide &b) { return {a.re + b.re, a.im + b.im}; }
    friend Wide operator-(const Wide &a, const Wide &b) { return {a.re - b.re, a.im - b.im}; }
};

// |re| + |im|, which is at most sqrt(2) of the absolute value.
long double size_of(const Wide &value) { return std::abs(value.re) + std::abs(value.im); }

template <typename Value> Wide widened(Value value)
{
    if constexpr (std::is_floating_point_v<Value>)
        return {value, 0};
    else
        return {value.real(), value.imag()};
}

template <typename Value> Value filled(typename RealOf<Value>::Type real, typename RealOf<Value>::Type imaginary)
{
    if constexpr (std::is_floating_point_v<Value>)
        return real;
    else
        return {real, imaginary};
}

struct Stored {
    std::int64_t rows, columns, ld, offset;
    std::size_t at(std::int64_t i, std::int64_t j) const { return static_cast<std::size_t>(offset + i * ld + j); }
    // With what stands behind: more than any vector's width.
    std::size_t elements() const { return at(rows, 67); }
};

Stored stored(Transpose transpose, std::int64_t rows, std::int64_t columns, std::int64_t gap, std::int64_t offset)
{
    if (transpose != Transpose::none) std::swap(rows, columns);
    return {rows, columns, columns + gap, offset};
}

template <typename Value>
Wide element(Transpose transpose, const Stored &shape, const std::vector<Value> &values, std::int64_t i, std::int64_t j)
{
    if (transpose == Transpose::none) return widened(values[shape.at(i, j)]);
    const auto value = widened(values[shape.at(j, i)]);
    return {value.re, transpose == Transpose::conjugate ? -value.im : value.im};
}

template <typename Value> class ProductOf final : public Product
{
    using Real = typename RealOf<Value>::Type;

  public:
    ProductOf(const Form &form, Random &random)
        : form_(form), shape_a_(stored(form.transpose_a, form.m, form.k, form.gap_a, form.offset_a)),
          shape_b_(stored(form.transpose_b, form.k, form.n, form.gap_b, form.offset_b)),
          shape_c_(stored(Transpose::none, form.m, form.n, form.gap_c, form.offset_c)),
          a_(matrix(shape_a_, nan, random)), b_(matrix(shape_b_, nan, random)),
          before_(matrix(shape_c_, pattern, random))
    {
        if (form.beta == 0.0) each_of_c([&](std::int64_t, std::int64_t, std::size_t at) { before_[at] = nan; });
        after_ = before_;
    }

    void run(DeviceSession &session, InCardGemm &kernel) override
    {
        Control control;
        // In any order: a driver may not mind whose buffer is the oldest.
        SessionBuffer a, b, c;
        if (form_.m % 2 == 0) c = session.allocate(bytes(before_));
        if (form_.n % 2 == 0) b = session.allocate(bytes(b_));
        a = session.allocate(bytes(a_));
        if (!b) b = session.allocate(bytes(b_));
        if (!c) c = session.allocate(bytes(before_));
        Flow flow(session, control);
        const auto put = [&](const SessionBuffer &to, const std::vector<Value> &from) {
            return flow.write({to.get(), 0, bytes(from)}, from.data(), bytes(from), {1, bytes(from)});
        };
        const auto written_a = put(a, a_), written_b = put(b, b_), written_c = put(c, before_);
        DeviceGemm what;
        what.m = form_.m;
        what.n = form_.n;
        what.k = form_.k;
        what.transpose_a = form_.transpose_a;
        what.transpose_b = form_.transpose_b;
        what.part = form_.part;
        what.alpha = form_.alpha;
        what.beta = form_.beta;
        what.a = {a.get(), shape_a_.offset, shape_a_.ld};
        what.b = {b.get(), shape_b_.offset, shape_b_.ld};
        what.c = {c.get(), shape_c_.offset, shape_c_.ld};
        const auto done = flow.launch(kernel.product(what), {written_a, written_b, written_c});
        flow.read({c.get(), 0, bytes(after_)}, after_.data(), bytes(after_), {1, bytes(after_)}, {done});
        flow.finish();
    }

    std::string check() const override
    {
        std::vector<bool> inside(before_.size());
        std::string wrong;
        each_of_c([&](std::int64_t i, std::int64_t j, std::size_t at) {
            inside[at] = true;
            if (form_.part == GemmPart::lower ? i < j : form_.part == GemmPart::upper && i > j) return;
            const auto must = expected(i, j);
            const auto error = size_of(widened(after_[at]) - must.value);
            if (!(error <= must.bound) && wrong.empty())
                wrong = text("C(", i, ", ", j, ") is off by ", static_cast<double>(error), ", the bound is ",
                             static_cast<double>(must.bound));
        });
        for (std::size_t at = 0; at < before_.size() && wrong.empty(); ++at)
            if (!inside[at] && std::memcmp(&before_[at], &after_[at], sizeof(Value)) != 0)
                wrong = text("element ", at, " of the buffer, outside C, has changed");
        return wrong;
    }

  private:
    static constexpr Real not_a_number = std::numeric_limits<Real>::quiet_NaN();
    static inline const Value nan = filled<Value>(not_a_number, not_a_number);
    static inline const Value pattern = filled<Value>(Real{-1234.5}, Real{4321.25});

    static std::int64_t bytes(const std::vector<Value> &values)
    {
        return static_cast<std::int64_t>(values.size() * sizeof(Value));
    }

    static std::vector<Value> matrix(const Stored &shape, Value around, Random &random)
    {
        std::uniform_real_distribution<Real> real(-1, 1);
        std::vector<Value> out(shape.elements(), around);
        for (std::int64_t i = 0; i < shape.rows; ++i)
            for (std::int64_t j = 0; j < shape.columns; ++j) {
                const auto first = real(random), second = real(random);
                out[shape.at(i, j)] = filled<Value>(first, second);
            }
        return out;
    }

    template <typename Visit> void each_of_c(const Visit &visit) const
    {
        for (std::int64_t i = 0; i < form_.m; ++i)
            for (std::int64_t j = 0; j < form_.n; ++j) visit(i, j, shape_c_.at(i, j));
    }

    struct Expected {
        Wide value;
        long double bound;
    };
    // The usual bound, |error| <= c (k + 1) eps |alpha| |A| |B| + c eps |beta| |C| with c = 4: complex products and the
    // roundings of the update are in it.
    Expected expected(std::int64_t i, std::int64_t j) const
    {
        Wide sum;
        long double size = 0;
        for (std::int64_t q = 0; q < form_.k; ++q) {
            const auto term =
                element(form_.transpose_a, shape_a_, a_, i, q) * element(form_.transpose_b, shape_b_, b_, q, j);
            sum = sum + term;
            size += size_of(term);
        }
        const auto alpha = widened(form_.alpha), beta = widened(form_.beta);
        Expected out{alpha * sum, static_cast<long double>(form_.k + 1) * size_of(alpha) * size};
        if (form_.beta != 0.0) {
            const auto c = widened(before_[shape_c_.at(i, j)]);
            out.value = out.value + beta * c;
            out.bound += size_of(beta * c);
        }
        out.bound *= 4 * static_cast<long double>(std::numeric_limits<Real>::epsilon());
        return out;
    }

    Form form_;
    Stored shape_a_, shape_b_, shape_c_;
    std::vector<Value> a_, b_, before_, after_;
};

std::int64_t any_size(Random &random, std::int64_t largest, std::int64_t multiple)
{
    switch (between(random, 0, 5)) {
    case 0: return 1;
    case 1: return between(random, 1, std::min<std::int64_t>(largest, 9));
    case 2: {
        const std::int64_t primes[] = {2, 3, 7, 13, 31, 61, 97, 127, 131, 257};
        return std::min(largest, primes[between(random, 0, 9)]);
    }
    case 3:
    case 4: {
        const auto times = between(random, 1, std::max<std::int64_t>(1, largest / multiple));
        return std::clamp<std::int64_t>(times * multiple + between(random, -1, 1), 1, largest);
    }
    default: return between(random, 1, largest);
    }
}

Coefficient any_coefficient(Random &random, Scalar type)
{
    switch (between(random, 0, 3)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return -1;
    default:
        return {static_cast<double>(between(random, -8, 8)) / 4,
                is_complex(type) ? static_cast<double>(between(random, -8, 8)) / 4 : 0};
    }
}

std::int64_t any_gap(Random &random)
{
    const std::int64_t gaps[] = {0, 0, 1, 3, 8, 29, 1000};
    return gaps[between(random, 0, 6)];
}

} // namespace

Form any_form(Random &random, InCardGemm &kernel, std::int64_t largest)
{
    const auto transpose = [&] { return static_cast<Transpose>(between(random, 0, 2)); };
    const auto offset = [&] { return between(random, 0, 1) * between(random, 0, 130); };
    constexpr std::int64_t depth_multiple = 32;
    Form form;
    form.type = kernel.type();
    form.transpose_a = transpose();
    form.transpose_b = transpose();
    form.m = any_size(random, largest, kernel.row_multiple());
    form.n = any_size(random, largest, kernel.column_multiple());
    form.k = any_size(random, largest, depth_multiple);
    form.part = static_cast<GemmPart>(std::max<std::int64_t>(0, between(random, -1, 2))); // half are of the whole
    form.alpha = any_coefficient(random, form.type);
    form.beta = any_coefficient(random, form.type);
    form.gap_a = any_gap(random);
    form.gap_b = any_gap(random);
    form.gap_c = any_gap(random);
    form.offset_a = offset();
    form.offset_b = offset();
    form.offset_c = offset();
    return form;
}

std::string describe(const Form &form)
{
    const auto operand = [](const char *name, std::int64_t gap, std::int64_t offset) {
        return text(name, " gap ", gap, " offset ", offset, ", ");
    };
    const std::string_view types = "sdcz", transposes = "ntc", parts = "wlu";
    const auto letter = [](std::string_view of, auto value) { return of.substr(static_cast<std::size_t>(value), 1); };
    return text(letter(types, form.type), " ", letter(transposes, form.transpose_a),
                letter(transposes, form.transpose_b), letter(parts, form.part), " ", form.m, " x ", form.n, " x ",
                form.k, ", ", operand("A", form.gap_a, form.offset_a), operand("B", form.gap_b, form.offset_b),
                operand("C", form.gap_c, form.offset_c), "alpha ", form.alpha.real(), " + ", form.alpha.imag(),
                "i, beta ", form.beta.real(), " + ", form.beta.imag(), "i");
}

std::unique_ptr<Product> make_product(const Form &form, Random &random)
{
    switch (form.type) {
    case Scalar::s: return std::make_unique<ProductOf<float>>(form, random);
    case Scalar::d: return std::make_unique<ProductOf<double>>(form, random);
    case Scalar::c: return std::make_unique<ProductOf<std::complex<float>>>(form, random);
    case Scalar::z: return std::make_unique<ProductOf<std::complex<double>>>(form, random);
    }
    return nullptr;
}

} // namespace in_card_test
