#include "out_of_card/factorisations/strategy.hpp"
#include "host/cores.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/factorisations/host_panels.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"

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

} // namespace hpart
