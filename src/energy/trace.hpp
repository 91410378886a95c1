// Energy over the time of a window, with just enough points for a standard error.
#pragma once

#include <cstddef>
#include <vector>

namespace hpart
{

// Energy up to a time, both from the window's beginning.
struct TracePoint {
    double seconds = 0;
    double joules = 0;
};

// Keeps the first point, the newest, and of those between as many as fit: the energy at each is exact, however many were left out
// before it.
class Trace
{
  public:
    static constexpr std::size_t most_points = 2000; // plenty for batches

    void add(TracePoint point);
    const std::vector<TracePoint> &points() const { return points_; }

  private:
    void thin();

    std::vector<TracePoint> points_;
    double spacing_ = 0; // seconds between points that are kept, at least
};

// Energy at a time, on lines between the points, of which there are two at least.
double energy_at(const std::vector<TracePoint> &trace, double seconds);

} // namespace hpart
