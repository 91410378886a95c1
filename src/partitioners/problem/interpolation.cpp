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

// Chord slopes with two more on either end: chord i of the points is at i + 2.
std::vector<double> Curve::extended_chords() const
{
    const auto chords = sizes_.size() - 1;
    std::vector<double> m(chords + 4);
    for (std::size_t i = 0; i < chords; ++i) m[i + 2] = (values_[i + 1] - values_[i]) / width(i);
    m[1] = 2 * m[2] - m[3];
    m[0] = 2 * m[1] - m[2];
    m[chords + 2] = 2 * m[chords + 1] - m[chords];
    m[chords + 3] = 2 * m[chords + 2] - m[chords + 1];
    return m;
}

std::vector<double> Curve::akima_slopes() const
{
    const auto m = extended_chords();
    std::vector<double> slopes(sizes_.size());
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        const auto right = std::abs(m[i + 3] - m[i + 2]);
        const auto left = std::abs(m[i + 1] - m[i]);
        slopes[i] =
            left + right > 0 ? (right * m[i + 1] + left * m[i + 2]) / (left + right) : (m[i + 1] + m[i + 2]) / 2;
    }
    return slopes;
}

Curve::Curve(std::vector<std::int64_t> sizes, std::vector<double> values, Interpolation kind)
    : sizes_(std::move(sizes)), values_(std::move(values))
{
    // Two points have one chord, which is the curve.
    if (kind == Interpolation::akima && sizes_.size() > 2) slopes_ = akima_slopes();
}

double Curve::at(std::int64_t size) const
{
    const auto after = static_cast<std::size_t>(std::upper_bound(sizes_.begin(), sizes_.end(), size) - sizes_.begin());
    const auto i = after - 1;
    if (sizes_[i] == size) return values_[i];
    const auto rise = values_[after] - values_[i];
    const auto d = static_cast<double>(size - sizes_[i]);
    const auto linear = std::max(0.0, values_[i] + rise * (d / width(i)));
    if (slopes_.empty()) return linear;
    const auto chord = rise / width(i);
    const auto c = (3 * chord - 2 * slopes_[i] - slopes_[after]) / width(i);
    const auto e = (slopes_[i] + slopes_[after] - 2 * chord) / width(i) / width(i);
    const auto cubic = values_[i] + d * (slopes_[i] + d * (c + d * e));
    return cubic >= 0 && cubic < std::numeric_limits<double>::infinity() ? cubic : linear;
}

std::optional<Curve> curve_of(const Points &points, std::span<const double> values, Interpolation kind)
{
    std::vector<std::int64_t> sizes;
    std::vector<double> known;
    for (std::size_t k = 0; k < points.count(); ++k) {
        if (std::isnan(values[k])) continue;
        sizes.push_back(points.sizes[k]);
        known.push_back(values[k]);
    }
    if (sizes.empty()) return std::nullopt;
    return Curve(std::move(sizes), std::move(known), kind);
}

double joules_at(const Points &points, std::int64_t size, Interpolation kind)
{
    if (kind != Interpolation::none) {
        const auto curve = curve_of(points, points.joules, kind);
        return curve && curve->covers(size) ? curve->at(size) : std::numeric_limits<double>::quiet_NaN();
    }
    const auto k = points.find(size);
    return k < points.count() ? points.joules[k] : std::numeric_limits<double>::quiet_NaN();
}

} // namespace hpart
