#include "out_of_card/gemm/walk.hpp"

namespace hpart
{

PanelSlots::PanelSlots(std::int64_t slots, std::int64_t panels)
    : slots_(static_cast<std::size_t>(slots)), slot_of_(static_cast<std::size_t>(panels), -1)
{
    newest_ = static_cast<std::int32_t>(slots) - 1;
    for (std::int32_t i = 0; i <= newest_; ++i) {
        slots_[static_cast<std::size_t>(i)].before = i - 1;
        slots_[static_cast<std::size_t>(i)].after = i < newest_ ? i + 1 : -1;
    }
}

std::int32_t PanelSlots::find(std::int64_t place, std::int64_t panel) const
{
    const auto is_at = [&](std::int32_t index) {
        const auto &slot = slots_[static_cast<std::size_t>(index)];
        return slot.place == place && slot.panel == panel;
    };
    // With at most as many slots as a place has panels, the slots hold panels of the place used last and of the place before it,
    // which the new panels replace. So a panel can only be where it was used last.
    if (slots_.size() <= slot_of_.size()) {
        const auto last = slot_of_[static_cast<std::size_t>(panel)];
        return last >= 0 && is_at(last) ? last : -1;
    }
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(slots_.size()); ++i)
        if (is_at(i)) return i;
    return -1;
}

PanelSlots::Use PanelSlots::use(std::int64_t place, std::int64_t panel)
{
    const auto known = find(place, panel);
    const auto index = known >= 0 ? known : oldest_;
    make_most_recent(index);
    auto &slot = slots_[static_cast<std::size_t>(index)];
    slot.place = place;
    slot.panel = panel;
    slot_of_[static_cast<std::size_t>(panel)] = index;
    return {index, known >= 0};
}

void PanelSlots::make_most_recent(std::int32_t index)
{
    if (index == newest_) return;
    auto &slot = slots_[static_cast<std::size_t>(index)];
    if (slot.before >= 0)
        slots_[static_cast<std::size_t>(slot.before)].after = slot.after;
    else
        oldest_ = slot.after;
    slots_[static_cast<std::size_t>(slot.after)].before = slot.before;
    slot.before = newest_;
    slot.after = -1;
    slots_[static_cast<std::size_t>(newest_)].after = index;
    newest_ = index;
}

namespace
{

struct Count {
    void write_a(const Panel &panel) { in += panel.across.count * panel.depth.count; }
    void write_b(const Panel &panel) { in += panel.across.count * panel.depth.count; }
    void write_c(const Strip &strip) { in += strip.rows.count * strip.columns.count; }
    static void product(const Strip &, const Panel &, const Panel &, bool) {}
    void read_c(const Strip &strip) { out += strip.rows.count * strip.columns.count; }
    static bool end_step(std::int64_t) { return true; }
    std::int64_t in = 0, out = 0;
};

} // namespace

GemmTraffic counted_traffic(const GemmShape &shape, const GemmPlan &plan)
{
    Count count;
    GemmWalk(shape, plan, count).run();
    return {count.in * shape.element_bytes(), count.out * shape.element_bytes()};
}

} // namespace hpart
