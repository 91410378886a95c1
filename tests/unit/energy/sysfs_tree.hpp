// Trees like those of real machines, which the tests write, and counters in them that move.
#pragma once

#include "support/fake_clock.hpp"
#include "support/scratch.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpart
{

// The folder sys of the machine that HPART_MACHINE_ROOT names while it lives.
class SysfsTree
{
  public:
    SysfsTree(); // a constant one, too

    std::string path(const std::string &file = "") const { return folder_.file("sys/" + file); }
    void write(const std::string &file, const std::string &content) const;
    void write(const std::string &file, std::int64_t value) const { write(file, std::to_string(value) + "\n"); }
    void remove(const std::string &file) const { std::filesystem::remove_all(path(file)); }

  private:
    const support::Folder folder_;
    const support::Variable root_{"HPART_MACHINE_ROOT", folder_.path()};
};

// A powercap zone: its folder under class/powercap, its name, its counter and the counter's range in joules (0: none is told).
struct PlayedZone {
    std::string folder, name;
    double joules, range, watts;
};

// Files whose counters move with a fake clock.
class PlayedCounters
{
  public:
    PlayedCounters(support::FakeClock &clock, const SysfsTree &tree, std::vector<PlayedZone> zones);
    PlayedCounters(const PlayedCounters &) = delete;
    PlayedCounters &operator=(const PlayedCounters &) = delete;
    ~PlayedCounters();

  private:
    void write(const PlayedZone &zone) const;

    support::FakeClock &clock_;
    const SysfsTree &tree_;
    std::vector<PlayedZone> zones_;
};

} // namespace hpart
