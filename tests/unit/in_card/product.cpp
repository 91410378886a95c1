#include "product.hpp"

#include "core/text.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace in_card_test
{

using namespace hpart;
using factor_test::Dense;
using factor_test::Number;

namespace
{

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr Number nan(not_a_number, not_a_number), pattern(-1234.5, 4321.25);

// With any elements.
Stored operand(const Form &form, Transpose transpose, std::int64_t rows, std::int64_t columns, std::int64_t gap,
               std::int64_t offset, Number around, Random &random)
{
    if (transpose != Transpose::none) std::swap(rows, columns);
    Stored out(form.type, rows, columns, gap, offset, around);
    out.assign(factor_test::any_dense(form.type, rows, columns, random));
    return out;
}

Dense moduli(Dense values)
{
    for (auto &value : values.values) value = std::abs(value);
    return values;
}

} // namespace

Stored::Stored(Scalar type, std::int64_t rows, std::int64_t columns, std::int64_t gap, std::int64_t offset,
               Number around)
    : rows_(rows), columns_(columns), ld_(columns + gap), offset_(offset),
      buffer_(type, true, 1, place(rows, 67), 0) // with what stands behind: more than any vector's width
{
    for (std::int64_t k = 0; k < buffer_.columns(); ++k) buffer_.set(0, k, around);
}

void Stored::assign(const Dense &values)
{
    for (std::int64_t i = 0; i < rows_; ++i)
        for (std::int64_t j = 0; j < columns_; ++j) buffer_.set(0, place(i, j), values.at(i, j));
}

Dense Stored::dense() const
{
    Dense out(rows_, columns_);
    for (std::int64_t i = 0; i < rows_; ++i)
        for (std::int64_t j = 0; j < columns_; ++j) out.at(i, j) = buffer_.get(0, place(i, j));
    return out;
}

std::int64_t Stored::bytes() const { return buffer_.columns() * bytes_of(buffer_.type()); }

std::vector<char> Stored::around() const
{
    auto rest = *this;
    rest.assign(Dense(rows_, columns_));
    return rest.buffer_.bytes();
}

Form any_form(Random &random, InCardGemm &kernel, std::int64_t largest)
{
    const auto size = [&](std::int64_t multiple) {
        return std::max<std::int64_t>(1, factor_test::any_size(random, largest, multiple));
    };
    const auto offset = [&] { return between(random, 0, 1) * between(random, 0, 130); };
    constexpr std::int64_t depth_multiple = 32;
    Form form;
    do static_cast<gemm_test::Form &>(form) = gemm_test::any_form(random, largest);
    while (form.type != kernel.type());
    form.row_major = true;
    form.m = size(kernel.row_multiple());
    form.n = size(kernel.column_multiple());
    form.k = size(depth_multiple);
    form.part = static_cast<GemmPart>(std::max<std::int64_t>(0, between(random, -1, 2))); // half are of the whole
    form.offset_a = offset();
    form.offset_b = offset();
    form.offset_c = offset();
    return form;
}

std::string describe(const Form &form)
{
    return text(gemm_test::describe(form), " part ", static_cast<int>(form.part), " offsets ", form.offset_a, " ",
                form.offset_b, " ", form.offset_c);
}

Product::Product(const Form &form, Random &random)
    : form_(form), a_(operand(form, form.transpose_a, form.m, form.k, form.gap_a, form.offset_a, nan, random)),
      b_(operand(form, form.transpose_b, form.k, form.n, form.gap_b, form.offset_b, nan, random)),
      before_(operand(form, Transpose::none, form.m, form.n, form.gap_c, form.offset_c, pattern, random)),
      after_(before_)
{
    if (form.beta != 0.0) return;
    Dense unread(form.m, form.n);
    std::fill(unread.values.begin(), unread.values.end(), nan);
    before_.assign(unread);
    after_ = before_;
}

void Product::run(DeviceSession &session, InCardGemm &kernel)
{
    Control control;
    // In any order: a driver may not mind whose buffer is the oldest.
    SessionBuffer a, b, c;
    if (form_.m % 2 == 0) c = session.allocate(before_.bytes());
    if (form_.n % 2 == 0) b = session.allocate(b_.bytes());
    a = session.allocate(a_.bytes());
    if (!b) b = session.allocate(b_.bytes());
    if (!c) c = session.allocate(before_.bytes());
    Flow flow(session, control);
    const auto put = [&](const SessionBuffer &to, Stored &from) {
        flow.write({to.get(), 0, from.bytes()}, from.data(), from.bytes(), {1, from.bytes()});
    };
    put(a, a_), put(b, b_), put(c, before_);
    DeviceGemm what;
    what.m = form_.m;
    what.n = form_.n;
    what.k = form_.k;
    what.transpose_a = form_.transpose_a;
    what.transpose_b = form_.transpose_b;
    what.part = form_.part;
    what.alpha = form_.alpha;
    what.beta = form_.beta;
    what.a = a_.in(a);
    what.b = b_.in(b);
    what.c = before_.in(c);
    const auto all = [](const SessionBuffer &buffer, const Stored &stored) {
        return area_of({buffer.get(), 0, stored.bytes()}, {1, stored.bytes()});
    };
    flow.launch(kernel.product(what), {all(a, a_), all(b, b_)}, {all(c, before_)});
    flow.read({c.get(), 0, after_.bytes()}, after_.data(), after_.bytes(), {1, after_.bytes()});
    flow.finish();
}

// The usual bound, |error| <= c (k + 1) eps |alpha| |A| |B| + c eps |beta| |C| with c = 4: complex products and the roundings of
// the update are in it.
std::string Product::check() const
{
    if (after_.around() != before_.around()) return "what lies around C has changed";
    const auto a = a_.dense(), b = b_.dense(), before = before_.dense(), after = after_.dense();
    const auto products = factor_test::product(a, form_.transpose_a, b, form_.transpose_b),
               sizes = factor_test::product(moduli(a), form_.transpose_a, moduli(b), form_.transpose_b);
    for (std::int64_t i = 0; i < form_.m; ++i)
        for (std::int64_t j = 0; j < form_.n; ++j) {
            if (form_.part == GemmPart::lower ? i < j : form_.part == GemmPart::upper && i > j) continue;
            auto must = form_.alpha * products.at(i, j);
            double bound = static_cast<double>(form_.k + 1) * std::abs(form_.alpha) * sizes.at(i, j).real();
            if (form_.beta != 0.0) {
                must += form_.beta * before.at(i, j);
                bound += std::abs(form_.beta * before.at(i, j));
            }
            bound *= 4 * factor_test::epsilon(form_.type);
            const double error = std::abs(after.at(i, j) - must);
            if (!(error <= bound)) return text("C(", i, ", ", j, ") is off by ", error, ", the bound is ", bound);
        }
    return "";
}

} // namespace in_card_test
