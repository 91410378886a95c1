#include "out_of_card/pipeline/run_steps.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "out_of_card/pipeline/account.hpp"
#include "out_of_card/pipeline/residency.hpp"

#include <algorithm>
#include <atomic>

namespace hpart
{

namespace
{

std::size_t index(std::int32_t k) { return static_cast<std::size_t>(k); }

// The distinct blocks of each array: more buffers are of no use.
std::vector<std::int64_t> count_blocks(const StepList &list)
{
    std::vector<std::int64_t> count(list.arrays().size());
    for (std::size_t block = 0; block < list.blocks().size(); ++block)
        ++count[index(list.array_of(static_cast<std::int32_t>(block)))];
    return count;
}

// The caller's number; else enough for the fullest step, one more to load meanwhile, and then as many as there is
// memory for.
std::vector<std::int64_t> choose_slots(const DeviceSession &session, const StepList &list)
{
    const auto at_once = most_used_at_once(list), distinct = count_blocks(list);
    const auto room = session.memory_limit() - session.used();
    const auto count = list.arrays().size();
    std::vector<std::int64_t> slots(count);
    std::int64_t taken = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const auto set = list.arrays()[k].slots;
        slots[k] = set > 0 ? std::min(set, std::max(distinct[k], at_once[k])) : at_once[k];
        if (slots[k] < at_once[k])
            fail_argument("array ", k, " has ", set, " slots; one step uses ", at_once[k], " of its blocks");
        taken = saturating_add(taken, saturating_mul(slots[k], session.taken_by(list.arrays()[k].slot_bytes)));
    }
    if (taken > room)
        fail(Status::out_of_memory, "the pipeline's buffers take ", taken, " bytes; ", session.info().spec, " has ",
             room, " left of ", session.memory_limit());
    for (bool grew = true; grew;) {
        grew = false;
        for (std::size_t k = 0; k < count; ++k) {
            const auto more = session.taken_by(list.arrays()[k].slot_bytes);
            if (list.arrays()[k].slots > 0 || slots[k] >= distinct[k] || more > room - taken) continue;
            ++slots[k];
            taken += more;
            grew = true;
        }
    }
    return slots;
}

class Run
{
  public:
    Run(DeviceSession &session, const StepList &list, const ResidencyPlan &plan, const StepKernel &kernel)
        : lock_(session.in_use()), list_(list), plan_(plan), kernel_(kernel)
    {
        buffers_.reserve(plan.slot_bytes.size());
        for (const auto bytes : plan.slot_bytes) buffers_.push_back(session.allocate(bytes));
    }

    void give_step(Flow &flow, std::size_t step)
    {
        const auto &planned = plan_.steps[step];
        for (const auto &load : planned.loads)
            if (const auto &block = block_of(load.block); load.transfer)
                flow.write(side(load.slot, block), address(block), block.pitch_bytes, rectangle(block));
        const auto &uses = list_.steps()[step];
        std::vector<Area> read, written;
        for (std::size_t k = 0; k < uses.size(); ++k) {
            const auto &block = block_of(uses[k].block);
            (writes(uses[k].access) ? written : read)
                .push_back(area_of(side(planned.slots[k], block), rectangle(block)));
        }
        flow.launch(launch_of(step), std::move(read), std::move(written));
        for (const auto &out : planned.outs) {
            const auto &block = block_of(out.block);
            flow.read(side(out.slot, block), address(block), block.pitch_bytes, rectangle(block));
        }
    }

  private:
    const HostBlock &block_of(std::int32_t block) const { return list_.blocks()[index(block)]; }
    static Rectangle rectangle(const HostBlock &block) { return {block.rows, block.row_bytes}; }
    BufferSide side(std::int32_t slot, const HostBlock &block) const
    {
        return {buffers_[index(slot)].get(), 0, block.row_bytes};
    }

    Launch launch_of(std::size_t step)
    {
        StepView view;
        view.index = static_cast<std::int64_t>(step);
        for (const auto slot : plan_.steps[step].slots) view.memory.push_back(buffers_[index(slot)].get()->native());
        return [this, view = std::move(view)](LaunchContext &context) mutable {
            view.queue = context.queue;
            // On the host this is called when its turn comes, also after a failed kernel that it does not wait for.
            if (kernel_failed_) fail(Status::callback, "the kernel of an earlier step failed");
            try {
                const DeviceLock::Callback callback(lock_);
                const auto result = kernel_(view);
                if (result != 0)
                    fail(Status::callback, "the kernel of step ", view.index, " returned ", result, "; 0 would go on");
            } catch (...) {
                kernel_failed_ = true;
                throw;
            }
        };
    }

    static void *address(const HostBlock &block)
    {
        return reinterpret_cast<void *>(block.address); // NOLINT(performance-no-int-to-ptr): it came as a pointer
    }

    const DeviceLock &lock_;
    const StepList &list_;
    const ResidencyPlan &plan_;
    const StepKernel &kernel_;
    std::vector<SessionBuffer> buffers_;
    std::atomic<bool> kernel_failed_ = false;
};

void report_run(const DeviceSession &session, const ResidencyPlan &plan, const FlowRecord &record, double setup_seconds,
                Report &report)
{
    Account account;
    account.method = account.plan = "pipeline";
    account.tiles = text(plan.steps.size(), " steps, ", plan.slot_bytes.size(), " buffers");
    account.moved = record;
    account.seconds = record.seconds;
    account.setup_seconds = setup_seconds;
    for (const auto bytes : plan.slot_bytes) account.device_bytes += session.taken_by(bytes);
    account.report(report);
    report.set("bytes_planned", plan.bytes_to_device + plan.bytes_from_device);
    report.set("lower_bound_bytes", plan.least_bytes);
}

} // namespace

void run_steps(DeviceSession &session, const StepList &list, const StepKernel &kernel, const FlowOptions &flow_options,
               Control &control, Report &report)
{
    const std::lock_guard lock(session.in_use());
    const auto setup_before = session.setup_seconds();
    const auto plan = plan_residency(list, choose_slots(session, list));
    Run run(session, list, plan, kernel);
    Flow flow(session, control, flow_options);
    const auto count = plan.steps.size();
    for (std::size_t step = 0; step < count; ++step) {
        run.give_step(flow, step);
        flow.next_step(static_cast<double>(step) / static_cast<double>(count), "steps");
    }
    flow.finish();
    report_run(session, plan, flow.record(), session.setup_seconds() - setup_before, report);
}

} // namespace hpart
