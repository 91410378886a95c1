#include "sysfs_tree.hpp"

#include <cmath>
#include <fstream>

namespace hpart
{

SysfsTree::SysfsTree() = default;

void SysfsTree::write(const std::string &file, const std::string &content) const
{
    const std::filesystem::path target = path(file);
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target) << content;
}

PlayedCounters::PlayedCounters(support::FakeClock &clock, const SysfsTree &tree, std::vector<PlayedZone> zones)
    : clock_(clock), tree_(tree), zones_(std::move(zones))
{
    for (const auto &zone : zones_) {
        tree_.write("class/powercap/" + zone.folder + "/name", zone.name + "\n");
        if (zone.range > 0)
            tree_.write("class/powercap/" + zone.folder + "/max_energy_range_uj",
                        static_cast<std::int64_t>(std::llround(zone.range * 1e6)));
        write(zone);
    }
    clock_.on_move = [this](double seconds) {
        for (auto &zone : zones_) {
            zone.joules += zone.watts * seconds;
            write(zone);
        }
    };
}

PlayedCounters::~PlayedCounters() { clock_.on_move = nullptr; }

void PlayedCounters::write(const PlayedZone &zone) const
{
    const double shown = zone.range > 0 ? std::fmod(zone.joules, zone.range) : zone.joules;
    tree_.write("class/powercap/" + zone.folder + "/energy_uj", static_cast<std::int64_t>(shown * 1e6));
}

} // namespace hpart
