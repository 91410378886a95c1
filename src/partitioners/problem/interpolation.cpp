// Linear, or by Akima's local cubics: the slope at a point is the mean of the chords on its two sides, each weighed by how little the
// chords of the other side bend, |m(i+1) - m(i)| and |m(i-1) - m(i-2)|; equal weights where nothing bends. Two more chords on
// either end continue the bend of the last ones. Cost: O(points), then O(log points) a value.
// Source: H. Akima, A new method of interpolation and smooth curve fitting based on local procedures, J. ACM 17 (1970) 589-602.
// A cubic may swing below 0 between points, which no time or energy does: there the chord is taken.
#include "partitioners/problem/interpolation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{

// Chord slopes with two more on either end: chord i of the points is at i + 2.
std::vector<double> extended_chords(const std::vector<double> &x, const std::vector<double> &y)
{
    const auto chords = x.size() - 1;
    std::vector<double> m(chords + 4);
    for (std::size_t i = 0; i < chords; ++i) m[i + 2] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
    m[1] = 2 * m[2] - m[3];
    m[0] = 2 * m[1] - m[2];
    m[chords + 2] = 2 * m[chords + 1] - m[chords];
    m[chords + 3] = 2 * m[chords + 2] - m[chords + 1];
    return m;
}

std::vector<double> akima_slopes(const std::vector<double> &x, const std::vector<double> &y)
{
    const auto m = extended_chords(x, y);
    std::vector<double> slopes(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto right = std::abs(m[i + 3] - m[i + 2]);
        const auto left = std::abs(m[i + 1] - m[i]);
        slopes[i] =
            left + right > 0 ? (right * m[i + 1] + left * m[i + 2]) / (left + right) : (m[i + 1] + m[i + 2]) / 2;
    }
    return slopes;
}

} // namespace

Curve::Curve(std::vector<double> x, std::vector<double> y, Interpolation kind) : x_(std::move(x)), y_(std::move(y))
{
    // Two points have one chord, which is the curve.
    if (kind == Interpolation::akima && x_.size() > 2) slopes_ = akima_slopes(x_, y_);
}

double Curve::at(double x) const
{
    const auto after = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin());
    if (x_[after - 1] == x) return y_[after - 1];
    const auto i = after - 1;
    const auto width = x_[after] - x_[i];
    const auto rise = y_[after] - y_[i];
    const auto d = x - x_[i];
    const auto linear = std::max(0.0, y_[i] + rise * (d / width));
    if (slopes_.empty()) return linear;
    const auto chord = rise / width;
    const auto c = (3 * chord - 2 * slopes_[i] - slopes_[after]) / width;
    const auto e = (slopes_[i] + slopes_[after] - 2 * chord) / width / width;
    const auto cubic = y_[i] + d * (slopes_[i] + d * (c + d * e));
    return cubic >= 0 && cubic < std::numeric_limits<double>::infinity() ? cubic : linear;
}

std::optional<Curve> curve_of(const Points &points, const std::vector<double> &values, Interpolation kind)
{
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t k = 0; k < points.count(); ++k) {
        const auto size = static_cast<double>(points.sizes[k]);
        // From 2^53 on, sizes may differ without their doubles doing so.
        if (std::isnan(values[k]) || (!x.empty() && x.back() == size)) continue;
        x.push_back(size);
        y.push_back(values[k]);
    }
    if (x.empty()) return std::nullopt;
    return Curve(std::move(x), std::move(y), kind);
}

double interpolated_joules(const Platform &platform, std::span<const std::int64_t> x, Interpolation kind)
{
    ExactSum joules;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] == 0) continue;
        const auto &points = platform.points(static_cast<std::int64_t>(i));
        const auto curve = curve_of(points, points.joules, kind);
        const auto size = static_cast<double>(x[i]);
        const bool inside = curve && curve->first() <= size && size <= curve->last();
        joules.add(inside ? curve->at(size) : std::numeric_limits<double>::quiet_NaN());
    }
    return joules.rounded();
}

} // namespace hpart
