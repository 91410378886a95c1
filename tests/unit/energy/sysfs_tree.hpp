// Trees like those of real machines, which the tests write, and counters in them that move.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hpart
{

// A folder that HPART_SYSFS_ROOT names while it lives.
class SysfsTree
{
  public:
    SysfsTree();
    SysfsTree(const SysfsTree &) = delete;
    SysfsTree &operator=(const SysfsTree &) = delete;
    ~SysfsTree();

    std::string path(const std::string &file) const { return (root_ / file).string(); }
    void write(const std::string &file, const std::string &content) const;
    void write(const std::string &file, std::int64_t value) const { write(file, std::to_string(value) + "\n"); }
    void remove(const std::string &file) const { std::filesystem::remove_all(root_ / file); }

  private:
    std::filesystem::path root_;
};

// A powercap zone: its folder under class/powercap, its name, its counter and the counter's range in joules (0: none is told).
struct PlayedZone {
    std::string folder, name;
    double joules, range, watts;
};

// Files whose counters move with real time, written by a thread every few milliseconds. True energies are those of the files: the
// sum of what was added to them between two looks.
class PlayedCounters
{
  public:
    PlayedCounters(const SysfsTree &tree, std::vector<PlayedZone> zones);
    PlayedCounters(const PlayedCounters &) = delete;
    PlayedCounters &operator=(const PlayedCounters &) = delete;
    ~PlayedCounters();

    // Joules added to the zone's file so far, wraps not taken away.
    double joules(std::size_t zone) const;
    // No file is written any more.
    void freeze() { frozen_ = true; }

  private:
    void run();
    void write(const PlayedZone &zone, double joules) const;

    const SysfsTree &tree_;
    const std::vector<PlayedZone> zones_;
    mutable std::mutex mutex_;
    std::vector<double> added_;
    std::atomic<bool> stopping_ = false, frozen_ = false;
    std::thread thread_;
};

} // namespace hpart
