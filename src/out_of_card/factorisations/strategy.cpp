#include "out_of_card/factorisations/strategy.hpp"

#include "host/cores.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/factorisations/on_host.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/in_card/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hpart
{

namespace
{

// Time of the host for a product that several devices share: its plans on each, their threads and queues. Two compute units of
// PoCL took 1 to 3 ms.
constexpr double seconds_to_share = 2e-3;

GemmShape shape_of(Scalar type, const OperationCount::Sizes &sizes)
{
    GemmShape shape;
    shape.type = type;
    shape.reads_c = true;
    shape.m = sizes[0], shape.n = sizes[1], shape.k = sizes[2];
    return shape;
}

// Calls what takes a shape for each way in which a product's matrices may be stored.
template <typename Work> void for_each_shape(const OperationCount &count, const Work &work)
{
    for (const auto &[sizes, times] : count.products)
        for (const auto &stored : stored_in_all_ways(shape_of(count.type, sizes))) work(stored);
}

// Nearly the fewest bytes, these or more, for products however their matrices are stored.
std::int64_t sufficient_memory(DeviceModel model, const OperationCount &count, const GemmSettings &settings)
{
    for_each_shape(count, [&](const GemmShape &shape) {
        if (const auto more = sufficient_bytes(shape, model, settings.plan, settings.tile))
            model.space.limit_bytes = *more;
    });
    return model.space.limit_bytes;
}

// Why the device's memory is too little for the products; empty where it is enough. The device's in_use is held. To name how much would do
// takes long.
std::string lack_of_memory(DeviceSession &session, const OperationCount &count, const GemmSettings &settings,
                           bool names_enough = true)
{
    if (count.products.empty()) return {};
    const auto kernel = in_card_gemm(session, count.type, settings.kernel);
    const auto model = unmeasured_model(session, kernel, 1);
    try {
        for_each_shape(count, [&](const GemmShape &shape) { check_plan(shape, model, settings.plan, settings.tile); });
        model_of(session, kernel, 1, settings.flow);
        return {};
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw;
        if (!names_enough) return error.what();
        const auto enough = sufficient_memory(model, count, settings);
        return enough == model.space.limit_bytes
                   ? error.what()
                   : text(error.what(), "; ", session.limit_for(enough), " bytes would do");
    }
}

// The measured rates of a device.
struct MeasuredDevice {
    std::shared_ptr<DeviceSession> session;
    bool is_in_place = false;
    std::shared_ptr<InCardGemm> kernel = {};
    DeviceModel model = {};
    std::map<StepKind, HostPanels> panels = {};
    std::optional<GemmSettings> planned = {}; // products take what their plans do

    bool is_host() const { return session->info().backend == Backend::host; }
    bool has_room_for(const OperationCount &count, const GemmSettings &settings) const
    {
        if (works_in_place(*session, settings.zero_copy)) return true;
        const std::lock_guard lock(session->in_use());
        return lack_of_memory(*session, count, settings, false).empty();
    }
    double seconds(const GemmShape &shape) const
    {
        if (is_in_place) return kernel_seconds(shape, model);
        if (!planned) return least_seconds(shape, model);
        const std::lock_guard lock(session->in_use());
        return estimate_for(*session, *kernel, shape, model, *planned);
    }
};

// The host works on the matrix in place, whatever the memory of a device may be.
DeviceSession &measured_instead_of(DeviceSession &session, Scalar type)
{
    const bool is_limited_host = session.info().backend == Backend::host && session.is_limited();
    if (!is_limited_host || session.find<InCardGemm>(name_of_user_gemm(type))) return session;
    return *session.kept<DeviceSession>(
        "the host without a limit", [] { return std::make_shared<DeviceSession>(make_host_device(), std::nullopt); });
}

MeasuredDevice measured_device(const std::shared_ptr<DeviceSession> &session, const OperationCount &count,
                               const GemmSettings &settings, double share_of_memory = 1)
{
    const std::lock_guard lock(session->in_use());
    MeasuredDevice device{.session = session};
    auto &measured = measured_instead_of(*session, count.type);
    device.kernel = in_card_gemm(measured, count.type, settings.kernel);
    device.is_in_place = device.is_host() || works_in_place(*session, settings.zero_copy);
    const bool is_it = &measured == session.get(); // else another session's memory
    device.model = model_of(measured, device.kernel, is_it ? share_of_memory : 1, settings.flow);
    for (const auto &[panel, times] : count.panels)
        if (!device.panels.contains(panel.method))
            device.panels[panel.method] = measured_host_panels(measured, panel.method, count.type);
    return device;
}

// Those on the cores of this machine take them from each other.
double share_of_cores(const std::vector<const MeasuredDevice *> &devices)
{
    double units = 0;
    for (const auto *const device : devices)
        if (device->session->info().on_host_cores) units += static_cast<double>(device->session->info().compute_units);
    return std::min(1.0, static_cast<double>(usable_cores().size()) / std::max(units, 1.0));
}

// Products like this that each device makes in a second, beside the others.
std::vector<double> rates_of(const std::vector<const MeasuredDevice *> &devices, const GemmShape &shape)
{
    std::vector<double> rates;
    const auto of_cores = share_of_cores(devices);
    for (const auto *const device : devices)
        rates.push_back((device->session->info().on_host_cores ? of_cores : 1) / device->seconds(shape));
    return rates;
}

double product_seconds(const std::vector<const MeasuredDevice *> &devices, const GemmShape &shape)
{
    if (devices.size() == 1) return devices.front()->seconds(shape);
    const auto rates = rates_of(devices, shape);
    return 1 / std::accumulate(rates.begin(), rates.end(), 0.0) + seconds_to_share;
}

// Parts of the products' operations.
std::vector<double> shares_of(const std::vector<const MeasuredDevice *> &devices, const OperationCount &count)
{
    std::vector<double> shares(devices.size());
    double all = 0;
    for (const auto &[sizes, times] : count.products) {
        const auto rates = rates_of(devices, shape_of(count.type, sizes));
        const auto sum = std::accumulate(rates.begin(), rates.end(), 0.0);
        const auto flops = static_cast<double>(times) * OperationCount::flops_of(count.type, sizes);
        all += flops;
        for (std::size_t i = 0; i < shares.size(); ++i) shares[i] += flops * rates[i] / sum;
    }
    for (auto &share : shares) share /= std::max(all, 1.0);
    return shares;
}

// A block by LAPACK: its own panels, and the rest at a product's rate.
double seconds_of_one_call(const MeasuredDevice &host, Scalar type, const HostPanel &block, const HostPanels &rates)
{
    constexpr std::int64_t panel = 32; // LAPACK's
    const auto least = std::min(block.rows, block.columns), width = std::min(panel, least);
    const auto product = shape_of(type, {block.rows, block.columns, width});
    const auto rest = panel_flops(block.method, type, block.rows, block.columns) / operations_of(product) *
                      kernel_seconds(product, host.model);
    if (rates.narrow <= 0) return rest;
    const auto mean_rows = std::max(block.rows - least / 2, width);
    return rest + static_cast<double>(least) / static_cast<double>(width) *
                      panel_flops(block.method, type, mean_rows, width) / rates.narrow;
}

double seconds_of(const std::vector<const MeasuredDevice *> &devices, const OperationCount &count)
{
    const auto &first = *devices.front();
    double seconds = count.left_looking ? count.left_looking->seconds : 0;
    for (const auto &[sizes, times] : count.products)
        seconds += static_cast<double>(times) * product_seconds(devices, shape_of(count.type, sizes));
    for (const auto &[sizes, times] : count.on_host)
        seconds += times * kernel_seconds(shape_of(count.type, sizes), first.model);
    for (const auto &[panel, times] : count.panels) {
        const auto found = first.panels.find(panel.method);
        const auto rates = found == first.panels.end() ? HostPanels() : found->second;
        const bool is_all = count.products.empty() || rates.wide <= 0;
        seconds += static_cast<double>(times) *
                   (is_all ? seconds_of_one_call(first, count.type, panel, rates)
                           : panel_flops(panel.method, count.type, panel.rows, panel.columns) / rates.wide);
    }
    return seconds;
}

void check_memory(const Choice &choice, const Options &options)
{
    auto settings = GemmSettings::from(options);
    settings.is_part = true;
    std::string lacks;
    for (const auto &session : choice.devices.sessions) {
        if (works_in_place(*session, settings.zero_copy)) continue;
        const std::lock_guard lock(session->in_use());
        const auto lack = lack_of_memory(*session, choice.count, settings);
        lacks += text(lacks.empty() || lack.empty() ? "" : "; ", lack);
    }
    if (!lacks.empty()) fail(Status::out_of_memory, lacks);
}

// The choice from a list of two or more.
Choice fastest(const DeviceGroup &asked, const OperationCount &on_all, const std::string &name, const Options &options,
               const CountOn &count)
{
    const auto settings = GemmSettings::from(options);
    std::vector<MeasuredDevice> all;
    for (const auto &session : asked.sessions) {
        try {
            all.push_back(measured_device(session, on_all, settings));
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory) throw; // too little even to measure it
        }
    }
    Choice best{asked, on_all, HUGE_VAL, nullptr};
    auto &keeper = *asked.sessions.front();
    const auto consider = [&](const std::vector<const MeasuredDevice *> &devices, const DeviceGroup &group,
                              const OperationCount &counted) {
        const auto has_room = [&](const auto *one) { return one->has_room_for(counted, settings); };
        if (!group.sessions.empty() && !std::ranges::all_of(devices, has_room))
            return; // without devices all is in place
        const std::lock_guard lock(keeper.in_use());
        const auto correction =
            correction_of(keeper, text(name, ' ', static_cast<int>(counted.type), " on ",
                                       devices.size() == 1 ? devices.front()->session->info().spec : "all"));
        const auto seconds = correction->factor() * seconds_of(devices, counted);
        if (seconds < best.seconds) best = {group, counted, seconds, correction};
    };
    std::vector<const MeasuredDevice *> together;
    const bool has_host = std::ranges::any_of(all, [](const MeasuredDevice &one) { return one.is_host(); });
    for (const auto &one : all) {
        together.push_back(&one);
        // The same cores and memory as the host's, at a device's cost for each product.
        if (has_host && one.is_in_place && one.session->info().on_host_cores && !one.is_host()) continue;
        const auto group = one.is_host() ? DeviceGroup{} : DeviceGroup{{one.session}};
        consider({&one}, group, count(group));
    }
    if (all.size() == asked.sessions.size()) consider(together, asked, on_all);
    if (best.seconds == HUGE_VAL) best.seconds = 0; // too little memory to measure any
    return best;
}

} // namespace

Choice choose(const DeviceGroup &asked, const std::string &name, const Options &options, const CountOn &count)
{
    const auto settings = GemmSettings::from(options);
    Choice choice{asked, count(asked), 0, nullptr};
    if (asked.sessions.size() > 1 && choice.count.flops > 0 && !settings.tile && !options.is_set("plan"))
        choice = fastest(asked, choice.count, name, options, count);
    check_memory(choice, options);
    return choice;
}

Prediction predicted(const DeviceGroup &chosen, const OperationCount &count, const Options &options,
                     double share_of_memory)
{
    if (chosen.sessions.empty() || count.flops == 0) return {};
    std::vector<MeasuredDevice> all;
    try {
        const auto settings = GemmSettings::from(options);
        for (const auto &session : chosen.sessions)
            all.emplace_back(measured_device(session, count, settings, share_of_memory)).planned = settings;
        std::vector<const MeasuredDevice *> together;
        std::string kernels;
        for (const auto &one : all) {
            together.push_back(&one);
            kernels += text(kernels.empty() ? "" : ", ", one.kernel->name());
        }
        return {seconds_of(together, count), shares_of(together, count), kernels};
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw;
        return {}; // too little even to measure it: the host does it all, block by block
    }
}

std::int64_t least_memory(const DeviceGroup &chosen, const OperationCount &by_products, const Options &options)
{
    auto &session = *chosen.sessions.front();
    const auto settings = GemmSettings::from(options);
    auto model = unmeasured_model(session, in_card_gemm(session, by_products.type, settings.kernel), 1);
    model.space.limit_bytes = 1;
    return session.limit_for(sufficient_memory(model, by_products, settings));
}

namespace
{

// Time to apply a panel to columns of the block, on the device.
double kernel_seconds(const LeftLookingModel &model, std::int64_t rows, std::int64_t columns, std::int64_t width)
{
    if (columns <= 0 || rows <= 0) return 0;
    const auto &seconds = model.device.kernel_seconds;
    switch (model.problem.method) {
    case StepKind::lu:
    case StepKind::solve: return seconds(rows, columns, width) + seconds(width, columns, width);
    case StepKind::qr:
        return seconds(rows, columns, width) * 2 + seconds(width, columns, width); // V^H C is as long as V (T V^H C)
    default: return seconds(std::max<std::int64_t>(1, rows - columns / 2), columns, width); // from a diagonal down
    }
}

// Seconds of a step: to send, to apply and, in a factorisation, to factor meanwhile.
struct Step {
    double send = 0, next = 0, fetch = 0, rest = 0, panel = 0;
    double aside = 0;        // of results, which nobody waits for
    bool waits_send = false; // for what the host has just made

    double seconds(const LeftLookingModel &model) const
    {
        const auto before = (waits_send ? send : 0) + next + fetch;
        if (!model.competes_with_host)
            return std::max(before + std::max(panel, rest), model.device.link.busy_seconds(send, fetch + aside));
        // All of the device's units take part in its kernels; a copy or a panel takes one core.
        const auto units = static_cast<double>(std::min(model.device.compute_units, model.cores));
        const auto work = units * rest + panel + aside + (waits_send ? 0 : send);
        return before + std::max({panel, rest, work / static_cast<double>(model.cores)});
    }
};

double link_seconds(const LeftLookingModel &model, std::int64_t rows, std::int64_t columns, double bytes_per_second)
{
    const auto lines = static_cast<double>(model.problem.row_major ? rows : columns);
    return static_cast<double>(rows * columns * bytes_of(model.problem.type)) / bytes_per_second +
           (rows > 0 && columns > 0 ? lines * model.device.link.row_seconds : 0);
}

// The mean of its columns that move: of a symmetric matrix only the triangle does.
std::int64_t height_of_block(const FactorisationStep &problem, std::int64_t first, std::int64_t end)
{
    if (problem.method != StepKind::update && problem.method != StepKind::cholesky) return problem.rows;
    return problem.rows - first - (end - first) / 2;
}

// The panel of the block [first, end) that begins at `begin`.
// Panels that the device factors leave by so many columns.
Step step_of(const LeftLookingModel &model, std::int64_t first, std::int64_t end, std::int64_t begin,
             std::int64_t width, std::int64_t leaving = 0)
{
    const auto last = begin + width;
    const bool panels_on_device = leaving > 0;
    const auto &link = model.device.link;
    Step step;
    auto rows = model.problem.rows - begin, columns = end - first;
    if (model.problem.method == StepKind::cholesky) rows = std::min(rows, model.problem.rows - first);
    if (model.problem.method == StepKind::update) rows = model.problem.rows - first;
    if (is_factorisation(model.problem.method)) columns = end - std::max(first, last);
    const bool is_square = model.problem.method == StepKind::cholesky; // what the host factors
    step.waits_send = is_factorisation(model.problem.method) && begin >= first;
    step.send = link_seconds(model, step.waits_send && is_square ? width : rows, width, link.in_bytes_per_second);
    if (is_factorisation(model.problem.method) && last >= first) {
        const auto next = std::min(width, end - last), below = model.problem.rows - last;
        step.next = kernel_seconds(model, rows, next, width);
        step.fetch = link_seconds(model, is_square ? next : below, next, link.out_bytes_per_second);
        step.panel = model.host.seconds(model.problem.method, model.problem.type, below, next);
        columns -= next;
        if (panels_on_device && next > 0) {
            step.panel = model.device_panels->seconds(is_square ? next : below, next); // beside the rest
            step.aside = is_square ? step.fetch
                                   : link_seconds(model, below, leaving, link.out_bytes_per_second) *
                                         static_cast<double>(next) / static_cast<double>(leaving);
            step.fetch = 0;
        }
        // A GPU's host waits for the panel or its results, and gives some twenty commands before the next one begins: wherever it is
        // factored.
        constexpr double commands = 20;
        if (model.device_panels) step.panel += commands * model.device.queue_latency;
        if (is_square && step.waits_send) {
            step.next += model.device.kernel_seconds(std::max<std::int64_t>(1, below), width, width);
            step.aside += link_seconds(model, below, width, link.out_bytes_per_second);
        }
        if (panels_on_device && step.waits_send) {
            step.send = 0; // the panel is there
            step.waits_send = false;
        }
    }
    step.rest = kernel_seconds(model, rows, columns, width);
    // The panel's rows of the solution are copied back.
    const auto method = model.problem.method;
    if (method == StepKind::lu || method == StepKind::qr || method == StepKind::solve)
        step.aside += panels_on_device && !model.problem.row_major
                          ? link_seconds(model, begin, width, link.out_bytes_per_second) // above the panel
                          : link_seconds(model, width, columns, link.out_bytes_per_second);
    return step;
}

} // namespace

namespace
{

double seconds_by_rows(const LeftLookingModel &model, const LeftLookingShape &shape)
{
    const auto &link = model.device.link;
    const auto &kernel = model.device.kernel_seconds;
    // The share of a chunk of columns that moves.
    const auto chunk_seconds = [&](std::int64_t rows, std::int64_t width, double bytes_per_second) {
        return link_seconds(model, rows, shape.streamed, bytes_per_second) * static_cast<double>(width) /
               static_cast<double>(shape.streamed);
    };
    double seconds = 0;
    for (std::int64_t first = 0; first < shape.rows; first += shape.resident) {
        const auto end = std::min(first + shape.resident, shape.rows);
        for (std::int64_t p = 0; p < end; p += shape.panel) {
            const auto width = std::min(shape.panel, shape.rows - p), rows = end - std::max(first, p);
            const auto in = chunk_seconds(rows, width, link.in_bytes_per_second);
            const auto product = kernel(rows, width, std::max<std::int64_t>(1, p)), small = kernel(rows, width, width);
            if (p < first) {
                seconds += std::max(product + small,
                                    link.busy_seconds(in + link_seconds(model, width, p, link.in_bytes_per_second),
                                                      chunk_seconds(rows, width, link.out_bytes_per_second)));
                continue;
            }
            const auto square = model.host.seconds(StepKind::cholesky, model.problem.type, width, width) +
                                link_seconds(model, width, width, link.in_bytes_per_second) +
                                link_seconds(model, width, width, link.out_bytes_per_second);
            seconds +=
                2 * small +
                std::max({product, square,
                          link.busy_seconds(in, link_seconds(model, width, p - first, link.out_bytes_per_second))});
        }
    }
    return seconds;
}

} // namespace

double predicted_seconds(const LeftLookingModel &model, const LeftLookingShape &shape)
{
    if (model.by_rows) return seconds_by_rows(model, shape);
    double seconds = 0;
    const bool leaves_together = model.problem.method == StepKind::lu && model.problem.row_major;
    const auto leaving = !shape.panels_on_device ? 0
                         : leaves_together       ? std::max(shape.panel, shape.streamed)
                                                 : shape.panel;
    for (std::int64_t first = 0; first < shape.columns; first += shape.resident) {
        const auto end = std::min(first + shape.resident, shape.columns);
        const auto depth =
            is_factorisation(model.problem.method) ? std::min(end - 1, model.problem.depth) : model.problem.depth;
        // The host factors the first panel as it is.
        const auto kept =
            first == 0 && is_factorisation(model.problem.method) && !shape.panels_on_device ? shape.panel : 0;
        const auto height = height_of_block(model.problem, first, end);
        const auto &link = model.device.link;
        // While panels are factored, columns of the next block take their places.
        if (model.problem.reads_old &&
            !(first > 0 && (shape.panels_on_device || model.problem.method == StepKind::cholesky)))
            seconds += link_seconds(model, height, end - first - kept, link.in_bytes_per_second);
        // The others' results leave while the device works.
        if (model.problem.method == StepKind::update)
            seconds += link_seconds(model, height, end - first, link.out_bytes_per_second);
        for (std::int64_t begin = 0, width = 0; begin < depth; begin += width) {
            const bool is_together = shape.streamed > shape.panel && begin + shape.streamed <= first;
            width = std::min(is_together ? shape.streamed : shape.panel, depth - begin);
            seconds += step_of(model, first, end, begin, width, leaving).seconds(model);
        }
    }
    return seconds;
}

std::int64_t columns_left_to_host(const LeftLookingModel &model, const LeftLookingShape &shape)
{
    if (model.host.whole <= 0 || shape.columns > shape.rows) return shape.panel;
    const auto block = (shape.columns - 1) / shape.resident * shape.resident;
    double one_by_one = 0;
    std::int64_t best = shape.panel;
    const auto most =
        std::min(shape.columns / 2, shape.columns - block); // of half the columns nearly all is the device's
    for (auto left = 2 * shape.panel; left <= most; left += shape.panel) {
        const auto begin = shape.columns - left;
        one_by_one += step_of(model, block, shape.columns, begin, shape.panel).seconds(model);
        const auto last = model.host.seconds(model.problem.method, model.problem.type,
                                             shape.rows - shape.columns + shape.panel, shape.panel);
        if (model.host.seconds_of_square(model.problem.method, model.problem.type, shape.rows - begin, left) <=
            one_by_one + last)
            best = left;
    }
    return best;
}

} // namespace hpart
