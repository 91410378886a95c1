#include "out_of_card/pipeline/residency.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace hpart
{

namespace
{

constexpr std::int32_t none = -1;

struct Slot {
    std::int32_t block = none;
    std::int32_t last_step = none;
    bool is_dirty = false; // newer than the host's memory
};

class Planner
{
  public:
    Planner(const StepList &list, const std::vector<std::int64_t> &slots)
        : list_(list), slot_of_(list.blocks().size(), none), uses_(list.blocks().size()),
          next_use_(list.blocks().size(), 0)
    {
        first_slot_.push_back(0);
        for (std::size_t array = 0; array < slots.size(); ++array) {
            plan_.slot_bytes.insert(plan_.slot_bytes.end(), static_cast<std::size_t>(slots[array]),
                                    list.arrays()[array].slot_bytes);
            first_slot_.push_back(static_cast<std::int32_t>(plan_.slot_bytes.size()));
        }
        slots_.resize(plan_.slot_bytes.size());
        std::vector<bool> is_written(list.blocks().size());
        std::int32_t step = 0;
        for (const auto &uses : list.steps()) {
            for (const auto [block, access] : uses) {
                uses_[index(block)].push_back(step);
                is_written[index(block)] = is_written[index(block)] || writes(access);
            }
            ++step;
        }
        conflicts_ = find_conflicts(list.blocks(), is_written);
        plan_.steps.resize(list.steps().size());
    }

    ResidencyPlan run()
    {
        for (step_ = 0; step_ < static_cast<std::int32_t>(plan_.steps.size()); ++step_) plan_step();
        count_least();
        return std::move(plan_);
    }

  private:
    static std::size_t index(std::int32_t k) { return static_cast<std::size_t>(k); }
    const std::vector<Use> &uses_now() const { return list_.steps()[index(step_)]; }
    Slot &slot(std::int32_t k) { return slots_[index(k)]; }
    std::int64_t bytes(std::int32_t block) const { return list_.blocks()[index(block)].bytes(); }

    void plan_step()
    {
        for (const auto &use : uses_now()) make_way(use);
        for (const auto &use : uses_now()) ++next_use_[index(use.block)];
        for (const auto &use : uses_now())
            if (const auto found = slot_of_[index(use.block)]; found != none) slot(found).last_step = step_;
        for (const auto &use : uses_now()) {
            if (slot_of_[index(use.block)] == none) load(use);
            const auto found = slot_of_[index(use.block)];
            slot(found).is_dirty = slot(found).is_dirty || writes(use.access);
            plan_.steps[index(step_)].slots.push_back(found);
        }
        for (const auto &use : uses_now())
            if (next_use(use.block) == none) bring_back(slot_of_[index(use.block)]);
    }

    // Blocks that overlap this one: the newer bytes go to the host before they are read there; what would be older than
    // the bytes written now is forgotten.
    void make_way(const Use &use)
    {
        for (const auto other : conflicts_[index(use.block)]) {
            const auto found = slot_of_[index(other)];
            if (found == none) continue;
            bring_back(found);
            if (writes(use.access)) forget(found);
        }
    }

    void load(const Use &use)
    {
        const auto into = buffer_for(use.block);
        bring_back(into);
        forget(into);
        slot(into) = {use.block, step_, false};
        slot_of_[index(use.block)] = into;
        if (reads(use.access)) plan_.bytes_to_device += bytes(use.block);
        plan_.steps[index(step_)].loads.push_back({use.block, into, reads(use.access)});
    }

    // Free, or of the block that is wanted again last, or never.
    std::int32_t buffer_for(std::int32_t block)
    {
        const auto array = list_.array_of(block);
        std::int32_t best = none;
        std::int64_t farthest = -1;
        for (auto k = first_slot_[index(array)]; k < first_slot_[index(array) + 1]; ++k) {
            if (slot(k).block == none) return k;
            if (slot(k).last_step == step_) continue; // in use now
            const auto next = next_use(slot(k).block);
            const auto distance = next == none ? std::numeric_limits<std::int64_t>::max() : std::int64_t{next};
            if (distance > farthest) {
                farthest = distance;
                best = k;
            }
        }
        if (best == none)
            fail_argument("step ", step_, " uses more blocks of array ", array, " than its ",
                          first_slot_[index(array) + 1] - first_slot_[index(array)], " slots hold");
        return best;
    }

    // As soon as the last kernel that used it is over.
    void bring_back(std::int32_t k)
    {
        auto &from = slot(k);
        if (!from.is_dirty) return;
        from.is_dirty = false;
        plan_.steps[index(from.last_step)].outs.push_back({from.block, k});
        plan_.bytes_from_device += bytes(from.block);
    }

    void forget(std::int32_t k)
    {
        if (slot(k).block != none) slot_of_[index(slot(k).block)] = none;
        slot(k).block = none;
    }

    // After this step.
    std::int32_t next_use(std::int32_t block) const
    {
        const auto next = next_use_[index(block)];
        return next < uses_[index(block)].size() ? uses_[index(block)][next] : none;
    }

    void count_least()
    {
        std::vector<bool> seen(list_.blocks().size()), written(list_.blocks().size());
        for (const auto &uses : list_.steps())
            for (const auto [block, access] : uses) {
                if (!seen[index(block)] && reads(access)) plan_.least_bytes += bytes(block);
                if (!written[index(block)] && writes(access)) plan_.least_bytes += bytes(block);
                seen[index(block)] = true;
                written[index(block)] = written[index(block)] || writes(access);
            }
    }

    const StepList &list_;
    ResidencyPlan plan_;
    std::vector<std::int32_t> first_slot_; // of each array, and behind the last
    std::vector<Slot> slots_;
    std::vector<std::int32_t> slot_of_; // of each block
    std::vector<std::vector<std::int32_t>> uses_;
    std::vector<std::size_t> next_use_;
    std::vector<std::vector<std::int32_t>> conflicts_;
    std::int32_t step_ = 0;
};

} // namespace

ResidencyPlan plan_residency(const StepList &list, const std::vector<std::int64_t> &slots)
{
    return Planner(list, slots).run();
}

std::vector<std::int64_t> most_used_at_once(const StepList &list)
{
    std::vector<std::int64_t> most(list.arrays().size(), 1), now(list.arrays().size());
    std::vector<std::size_t> seen(list.blocks().size()); // the last step, counted from 1, that uses each block
    for (std::size_t step = 0; step < list.steps().size(); ++step) {
        std::fill(now.begin(), now.end(), 0);
        for (const auto &use : list.steps()[step])
            if (std::exchange(seen[static_cast<std::size_t>(use.block)], step + 1) != step + 1)
                ++now[static_cast<std::size_t>(list.array_of(use.block))];
        for (std::size_t array = 0; array < most.size(); ++array) most[array] = std::max(most[array], now[array]);
    }
    return most;
}

} // namespace hpart
