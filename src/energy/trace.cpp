#include "energy/trace.hpp"

#include <algorithm>

namespace hpart
{

void Trace::add(TracePoint point)
{
    const auto count = points_.size();
    // The newest point replaces the last one if that was too close to the point before it.
    if (count >= 2 && points_[count - 1].seconds - points_[count - 2].seconds < spacing_) points_.pop_back();
    points_.push_back(point);
    if (points_.size() >= most_points) thin();
}

// Drops every second point. Later points are kept at the average distance of the remaining ones.
void Trace::thin()
{
    const auto newest = points_.back();
    points_.pop_back();
    std::size_t kept = 0;
    for (std::size_t k = 0; k < points_.size(); k += 2) points_[kept++] = points_[k];
    points_.resize(kept);
    spacing_ = (newest.seconds - points_.front().seconds) / static_cast<double>(kept);
    points_.push_back(newest);
}

double energy_at(const std::vector<TracePoint> &trace, double seconds)
{
    const auto next = std::lower_bound(trace.begin() + 1, trace.end() - 1, seconds,
                                       [](const TracePoint &point, double time) { return point.seconds < time; });
    const auto &a = *(next - 1), &b = *next;
    const double length = b.seconds - a.seconds;
    return length > 0 ? a.joules + (b.joules - a.joules) * (seconds - a.seconds) / length : b.joules;
}

} // namespace hpart
