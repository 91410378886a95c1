#include "sysfs_tree.hpp"

#include "core/progress.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <unistd.h>

namespace hpart
{

SysfsTree::SysfsTree()
{
    static std::atomic<int> number = 0;
    root_ = std::filesystem::temp_directory_path() /
            ("hpart-sysfs." + std::to_string(::getpid()) + "." + std::to_string(++number));
    std::filesystem::create_directories(root_);
    ::setenv("HPART_SYSFS_ROOT", root_.c_str(), 1);
}

SysfsTree::~SysfsTree()
{
    ::unsetenv("HPART_SYSFS_ROOT");
    std::filesystem::remove_all(root_);
}

void SysfsTree::write(const std::string &file, const std::string &content) const
{
    const auto target = root_ / file;
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target) << content;
}

PlayedCounters::PlayedCounters(const SysfsTree &tree, std::vector<PlayedZone> zones)
    : tree_(tree), zones_(std::move(zones)), added_(zones_.size())
{
    for (const auto &zone : zones_) {
        tree_.write("class/powercap/" + zone.folder + "/name", zone.name + "\n");
        if (zone.range > 0)
            tree_.write("class/powercap/" + zone.folder + "/max_energy_range_uj",
                        static_cast<std::int64_t>(std::llround(zone.range * 1e6)));
        write(zone, zone.joules);
    }
    thread_ = std::thread([this] { run(); });
}

PlayedCounters::~PlayedCounters()
{
    stopping_ = true;
    thread_.join();
}

double PlayedCounters::joules(std::size_t zone) const
{
    const std::lock_guard lock(mutex_);
    return added_.at(zone);
}

void PlayedCounters::write(const PlayedZone &zone, double joules) const
{
    const double shown = zone.range > 0 ? std::fmod(joules, zone.range) : joules;
    // In place, in as many digits each time: who reads meanwhile must not find an empty file.
    std::array<char, 24> digits{};
    std::snprintf(digits.data(), digits.size(), "%018lld\n", static_cast<long long>(std::max(0.0, shown * 1e6)));
    const auto name = "class/powercap/" + zone.folder + "/energy_uj";
    std::FILE *file = std::fopen(tree_.path(name).c_str(), "r+");
    if (file == nullptr) return tree_.write(name, std::string(digits.data()));
    std::fputs(digits.data(), file);
    std::fclose(file);
}

void PlayedCounters::run()
{
    auto last = Clock::now();
    while (!stopping_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        const auto now = Clock::now();
        const double passed = std::chrono::duration<double>(now - last).count();
        last = now;
        if (frozen_) continue;
        const std::lock_guard lock(mutex_);
        for (std::size_t k = 0; k < zones_.size(); ++k) {
            added_[k] += zones_[k].watts * passed;
            write(zones_[k], zones_[k].joules + added_[k]);
        }
    }
}

} // namespace hpart
