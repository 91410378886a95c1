#include "out_of_card/pipeline/device_team.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"
#include "models/platform.hpp"
#include "out_of_card/pipeline/residency.hpp"
#include "partitioners/calls/partition.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <system_error>
#include <thread>

namespace hpart
{

namespace
{

double gflops(double flops, double seconds) { return seconds > 0 ? flops / seconds * 1e-9 : 0; }

void report_parts(const std::vector<DevicePart> &parts, Report &report)
{
    std::string devices;
    std::vector<double> shares, seconds;
    for (const auto &part : parts) {
        devices += text(devices.empty() ? "" : ", ", part.device);
        shares.push_back(part.share);
        seconds.push_back(part.seconds);
    }
    report.set("devices", devices);
    report.set("device_shares", shares);
    report.set("device_seconds", seconds);
}

} // namespace

void Account::report(Report &report) const
{
    report.set("method", method);
    report.set("plan", plan);
    report.set("tiles", tiles);
    if (kernel) report.set("kernel", *kernel);
    report.set("seconds", seconds);
    report.set("setup_seconds", setup_seconds);
    if (flops) report.set("gflops", gflops(*flops, seconds));
    if (flops && in_card_seconds > 0) report.set("in_card_gflops", gflops(*flops, in_card_seconds));
    report.set("bytes_to_device", moved.bytes_to_device);
    report.set("bytes_from_device", moved.bytes_from_device);
    report.set("staged_bytes", moved.staged_bytes);
    report.set("kernel_seconds", moved.kernel_seconds);
    report.set("transfer_seconds", moved.transfer_seconds);
    report.set("overlap", moved.transfer_seconds > 0 ? moved.overlap_seconds / moved.transfer_seconds : 0.0);
    report.set("memory_retries", retries);
    if (expected) {
        report.set("bytes_planned", expected->bytes);
        report.set("lower_bound_bytes", expected->lower_bound_bytes);
        report.set("predicted_seconds", expected->seconds);
    }
    if (!bound_by.empty()) report.set("bound_by", bound_by);
    if (device_bytes > 0) report.set("device_bytes", device_bytes);
    if (least_memory > 0) report.set("least_memory", least_memory);
    if (advised_memory > 0) report.set("advised_memory", advised_memory);
    if (!parts.empty()) report_parts(parts, report);
}

namespace
{

// Shares of a whole at which a device's time is modelled.
constexpr double modelled_shares[] = {0, 0.125, 0.25, 0.5, 0.75, 1};
// Shorter parts tell more of the clock than of the device.
constexpr double shortest_to_learn_from = 2e-3;
constexpr double largest_correction = 100;

} // namespace

std::vector<double> seconds_of_units(std::int64_t units, const std::function<double(std::int64_t size)> &modelled)
{
    std::set<std::int64_t> sizes;
    for (const auto share : modelled_shares)
        sizes.insert(std::max<std::int64_t>(1, std::llround(share * static_cast<double>(units))));
    std::vector<double> result;
    double last = 0;
    for (const auto size : sizes) {
        const auto here = modelled(size);
        const auto before = static_cast<std::int64_t>(result.size());
        for (auto x = before + 1; x <= size; ++x)
            result.push_back(last +
                             (here - last) * static_cast<double>(x - before) / static_cast<double>(size - before));
        last = here;
    }
    return result;
}

std::vector<std::int64_t> shares_of_least_time(const std::vector<std::vector<double>> &seconds, std::int64_t size)
{
    Platform platform(static_cast<std::int64_t>(seconds.size()));
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(size));
    std::iota(sizes.begin(), sizes.end(), 1);
    for (std::size_t i = 0; i < seconds.size(); ++i)
        platform.set_time_function(static_cast<std::int64_t>(i), sizes, seconds[i]);
    PartitionRequest request;
    request.size = size;
    Control control;
    return partition(platform, request, control).x;
}

void Correction::learn(double expected_seconds, double seconds)
{
    if (std::min(expected_seconds, seconds) < shortest_to_learn_from) return;
    // Half of the way, in proportion: one call beside a stranger's load is not believed whole.
    factor_ = std::clamp(factor_ * std::sqrt(seconds / expected_seconds), 1 / largest_correction, largest_correction);
}

std::shared_ptr<Correction> correction_of(DeviceSession &session, const std::string &work)
{
    return session.kept<Correction>(text("correction of ", work), [] { return std::make_shared<Correction>(); });
}

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

DeviceTeam::DeviceTeam(std::vector<double> shares, Control &control)
    : shares_(std::move(shares)), control_(control), fractions_(shares_.size()),
      meeting_(std::ranges::count_if(shares_, [](double share) { return share > 0; }))
{
}

void DeviceTeam::run(const Work &work)
{
    // All have ended when it returns.
    struct Threads : std::vector<std::thread> {
        ~Threads()
        {
            for (auto &thread : *this) thread.join();
        }
    } threads;
    threads.reserve(shares_.size());
    std::unique_lock lock(mutex_);
    for (std::size_t part = 0; part < shares_.size() && !stopped_; ++part) {
        if (shares_[part] <= 0) continue;
        try {
            threads.emplace_back([this, part, &work] { this->work(part, work); });
            ++running_;
        } catch (...) { // the parts that have begun may wait for this one
            stop(std::current_exception());
        }
    }
    constexpr auto interval = std::chrono::milliseconds(20);
    while (running_ > 0) {
        changed_.wait_for(lock, interval);
        const auto done = std::inner_product(shares_.begin(), shares_.end(), fractions_.begin(), 0.0);
        const auto *const what = what_;
        if (stopped_) continue; // the caller has said so, or hears of the error
        lock.unlock();
        std::exception_ptr stops;
        try {
            control_.report_progress(done, what);
        } catch (...) {
            stops = std::current_exception();
        }
        lock.lock();
        if (stops) stop(stops);
    }
    try {
        if (error_) std::rethrow_exception(error_);
    } catch (const std::system_error &error) {
        fail(Status::out_of_memory, "a thread for a device cannot be started: ", error.what());
    }
}

void DeviceTeam::work(std::size_t part, const Work &work) noexcept
{
    std::exception_ptr error;
    try {
        const auto told = [this, part](double fraction, const char *what) {
            return report_progress(part, fraction, what);
        };
        Control control(std::make_shared<const ProgressCallback>(told), std::numeric_limits<double>::infinity(),
                        std::numeric_limits<std::int64_t>::max());
        control.set_timeline(control_.timeline());
        work(part, control);
    } catch (...) {
        error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (error) stop(error);
    fractions_[part] = 1;
    --running_;
    changed_.notify_all();
}

int DeviceTeam::report_progress(std::size_t part, double fraction, const char *what)
{
    const std::lock_guard lock(mutex_);
    fractions_[part] = fraction;
    what_ = what;
    return stopped_ ? 1 : 0;
}

// mutex_ is held. Later errors may come from parts that were stopped.
void DeviceTeam::stop(const std::exception_ptr &error)
{
    if (!stopped_) error_ = error;
    stopped_ = true;
    meeting_.give_up();
}

} // namespace hpart
