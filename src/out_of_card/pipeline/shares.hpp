// Shares of several devices, by the library's own partitioner. A model predicts their times; the times of earlier calls correct
// the model.
#pragma once

#include "out_of_card/devices/device.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hpart
{

// Work is dealt out in so many units at most.
constexpr std::int64_t most_units = 128;

// Times of 1, 2 ... `units` units: modelled at a few sizes, on lines between.
std::vector<double> seconds_of_units(std::int64_t units, const std::function<double(std::int64_t size)> &modelled);

// Least time for `size` units: seconds[i][x - 1] is device i's for x units.
std::vector<std::int64_t> shares_of_least_time(const std::vector<std::vector<double>> &seconds, std::int64_t size);

// Measured over predicted times of a kind of work on a device. They differ where other devices are loaded at the same time.
class Correction
{
  public:
    double factor() const { return factor_; }
    // Corrects later calls by a part's expected time, with the factor, and the time that it took.
    void learn(double expected_seconds, double seconds);

  private:
    double factor_ = 1;
};

// The device's own for this kind of work. The device's in_use is held.
std::shared_ptr<Correction> correction_of(DeviceSession &session, const std::string &work);

} // namespace hpart
