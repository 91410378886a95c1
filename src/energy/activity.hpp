// Consumers of energy that a window should not contain: other processes, disks, the network, paging, and fans that change their speed.
#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpart
{

struct FanSpeeds {
    std::string name;               // "hwmon2/fan1"
    double lowest = 0, highest = 0; // turns per minute
};

// In one window, or in several together.
struct Activity {
    double seconds = 0;
    double other_core_seconds = 0, core_seconds = 0;           // used by other processes; of all cores
    double disk_bytes = 0, network_bytes = 0, paged_bytes = 0; // in both directions
    std::vector<FanSpeeds> fans;

    void add(const Activity &other);
    // "other processes used 45 % of the cores; 12 MB/s moved to and from disks; fan hwmon2/fan1 ran at 1200 to 2400 turns per minute";
    // "" if the machine was quiet.
    std::string text() const;
};

// Reads the counters now and when asked. Counters that a system lacks are 0.
class ActivityWatch
{
  public:
    explicit ActivityWatch(std::string proc_root);
    Activity until_now() const;

  private:
    std::string proc_root_;
    Clock::time_point begin_;
    Activity first_; // counters, not differences
};

// The windows of one measurement.
class ActivityLog
{
  public:
    void add(const Activity &window);
    std::int64_t disturbed() const { return disturbed_; }
    // "2 of 12 windows were disturbed: ..."; "" if none was, and no fan and no processor time of all of them stands out.
    std::string text() const;

  private:
    std::int64_t windows_ = 0, disturbed_ = 0;
    Activity all_, in_disturbed_;
};

// Those that are not empty, with semicolons.
std::string with_semicolons(const std::vector<std::string> &parts);

} // namespace hpart
