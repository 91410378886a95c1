#include "out_of_card/factorisations/strategy.hpp"
#include "host/cores.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/factorisations/blocking.hpp"
#include "out_of_card/factorisations/flops.hpp"
#include "out_of_card/factorisations/host_panels.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"

#include <cmath>

namespace hpart
{

namespace
{

// Time of the host for a product that several devices share: its plans on each, their threads and queues. Two compute units of
// PoCL took 1 to 3 ms.
constexpr double seconds_to_share = 2e-3;

GemmShape shape_of(Scalar type, const std::array<std::int64_t, 3> &sizes)
{
    GemmShape shape;
    shape.type = type;
    shape.reads_c = true;
    shape.m = sizes[0], shape.n = sizes[1], shape.k = sizes[2];
    return shape;
}

// Solved from below, it is the larger half that is updated.
std::vector<GemmShape> shapes_of(const FactorisationStep &step, const std::array<std::int64_t, 3> &sizes)
{
    std::vector<GemmShape> shapes{shape_of(step.type, sizes)};
    const auto kinds = {StepKind::solve, StepKind::multiples, StepKind::lu_inverse, StepKind::cholesky_inverse};
    if (std::ranges::find(kinds, step.method) != kinds.end())
        shapes.push_back(shape_of(step.type, {sizes[2], sizes[1], sizes[0]}));
    return shapes;
}

// That the recursion multiplies on devices.
std::vector<GemmShape> products_of(const Steps &steps, const RecursionRules &rules)
{
    std::vector<GemmShape> products;
    for (const auto &step : steps)
        for (const auto &[sizes, count] : recursion_cost(step, rules).products)
            for (const auto &shape : shapes_of(step, sizes)) products.push_back(shape);
    return products;
}

// Nearly the fewest bytes, these or more, for products however their matrices are stored.
std::int64_t sufficient_memory(DeviceModel model, const std::vector<GemmShape> &products, const GemmSettings &settings)
{
    for (const auto &product : products)
        for (const auto &stored : stored_in_all_ways(product))
            if (const auto more = sufficient_bytes(stored, model, settings.plan, settings.tile))
                model.space.limit_bytes = *more;
    return model.space.limit_bytes;
}

// Why the device's memory is too little for the products; empty where it is enough. The device's in_use is held.
std::string lack_of_memory(DeviceSession &session, const std::vector<GemmShape> &products, const GemmSettings &settings)
{
    if (products.empty()) return {};
    const auto kernel = in_card_gemm(session, products.front().type, settings.kernel);
    const auto model = unmeasured_model(session, kernel, 1);
    try {
        for (const auto &product : products)
            for (const auto &stored : stored_in_all_ways(product))
                check_plan(stored, model, settings.plan, settings.tile);
        model_of(session, kernel, 1, settings.flow);
        return {};
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw;
        const auto enough = sufficient_memory(model, products, settings);
        return enough == model.space.limit_bytes ? error.what()
                                                 : text(error.what(), "; ", enough + session.used(), " bytes would do");
    }
}

// The measured rates of a device.
struct Known {
    DeviceSession *session = nullptr;
    bool is_in_place = false;
    bool can_multiply = true; // has memory for the recursion's products
    DeviceModel model;
    std::vector<HostPanels> panels;                  // for each step
    std::vector<std::optional<double>> left_looking; // seconds of each step

    bool is_host() const { return session->info().backend == Backend::host; }
    bool can_do_it_alone() const
    {
        return can_multiply ||
               std::ranges::all_of(left_looking, [](const auto &seconds) { return seconds.has_value(); });
    }
    double seconds(const GemmShape &shape) const
    {
        return is_in_place ? kernel_seconds(shape, model) : simulated_least_seconds(shape, model);
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

Known known_of(DeviceSession &session, const Steps &steps, const RecursionRules &rules, const GemmSettings &settings,
               const LeftLookingWish &wish)
{
    const std::lock_guard lock(session.in_use());
    Known known;
    known.session = &session;
    auto &measured = measured_instead_of(session, steps.front().type);
    const auto kernel = in_card_gemm(measured, steps.front().type, settings.kernel);
    known.is_in_place = known.is_host() || works_in_place(session, settings.zero_copy);
    known.can_multiply = known.is_in_place || lack_of_memory(session, products_of(steps, rules), settings).empty();
    known.model = model_of(measured, kernel, 1, settings.flow);
    for (const auto &step : steps) {
        known.panels.push_back(measured_host_panels(measured, step.method, step.type));
        const auto best = known.is_in_place ? std::nullopt : best_shape(session, kernel, step, wish);
        known.left_looking.push_back(best ? std::optional(best->seconds) : std::nullopt);
    }
    return known;
}

// Those on the cores of this machine take them from each other.
double share_of_cores(const std::vector<const Known *> &devices)
{
    double units = 0;
    for (const auto *const device : devices)
        if (device->session->info().on_host_cores) units += static_cast<double>(device->session->info().compute_units);
    return std::min(1.0, static_cast<double>(usable_cores().size()) / std::max(units, 1.0));
}

double product_seconds(const std::vector<const Known *> &devices, const GemmShape &shape)
{
    if (devices.size() == 1) return devices.front()->seconds(shape);
    double per_second = 0;
    const auto of_cores = share_of_cores(devices);
    for (const auto *const device : devices)
        per_second += (device->session->info().on_host_cores ? of_cores : 1) / device->seconds(shape);
    return 1 / per_second + seconds_to_share;
}

// Panels, of factorisations, and the rest at a product's rate.
double seconds_of_one_call(const Known &host, const FactorisationStep &problem, const HostPanels &panels)
{
    constexpr std::int64_t panel = 32; // LAPACK's
    const auto width = is_factorisation(problem.method) ? std::min(panel, problem.depth) : problem.depth;
    const auto product = shape_of(problem.type, {problem.rows, problem.columns, width});
    const auto rest = flops_of(problem) / operations_of(product) * kernel_seconds(product, host.model);
    if (panels.narrow <= 0) return rest;
    const auto mean_rows = std::max(problem.rows - problem.depth / 2, width);
    return rest + static_cast<double>(problem.depth) / static_cast<double>(width) *
                      panel_flops(problem.method, problem.type, mean_rows, width) / panels.narrow;
}

double recursion_seconds(const std::vector<const Known *> &devices, const Steps &steps, std::size_t step,
                         const RecursionRules &rules)
{
    const auto &problem = steps[step];
    const auto cost = recursion_cost(problem, rules);
    if (cost.flops == 0) return 0;
    const auto &first = *devices.front();
    double seconds = 0;
    for (const auto &[sizes, count] : cost.products)
        seconds += static_cast<double>(count) * product_seconds(devices, shape_of(problem.type, sizes));
    const auto &panels = first.panels[step];
    if (cost.products.empty()) return seconds_of_one_call(first, problem, panels);
    if (panels.wide > 0) seconds += cost.panel_flops / panels.wide;
    // Blocks of solutions and updates, at a product's rate.
    const auto width = rules.host_width;
    const auto block = shape_of(problem.type, {width, std::min(problem.columns, problem.rows), width});
    return seconds + cost.host_flops / operations_of(block) * kernel_seconds(block, first.model);
}

double seconds_of(const std::vector<const Known *> &devices, const Steps &steps, const RecursionRules &rules)
{
    double seconds = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const auto &left_looking = devices.front()->left_looking[k];
        seconds += devices.size() == 1 && left_looking ? *left_looking : recursion_seconds(devices, steps, k, rules);
    }
    return seconds;
}

bool all_fits(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel, const Steps &steps,
              const LeftLookingWish &wish)
{
    return std::ranges::all_of(steps,
                               [&](const auto &step) { return best_shape(session, kernel, step, wish).has_value(); });
}

} // namespace

RecursionRules rules_for(const DeviceGroup &devices, const Options &options)
{
    RecursionRules rules;
    const auto width = options.get_int("panel_width");
    if (width > 0) rules.host_width = width;
    rules.is_on_host = width == 0 && (devices.sessions.empty() ||
                                      (devices.sessions.size() == 1 && !devices.sessions[0]->is_limited() &&
                                       devices.sessions[0]->info().backend == Backend::host));
    return rules;
}

Choice choose(const DeviceGroup &asked, const Steps &steps, const Options &options)
{
    const auto settings = GemmSettings::from(options);
    const bool is_nothing = std::ranges::all_of(steps, [](const auto &step) { return flops_of(step) == 0; });
    if (asked.sessions.size() < 2 || is_nothing || settings.tile || options.is_set("plan")) return {asked, 0, nullptr};
    std::vector<Known> all;
    for (const auto &session : asked.sessions) {
        try {
            const auto rules = rules_for({{session}}, options);
            all.push_back(known_of(*session, steps, rules, settings, LeftLookingWish::from(options)));
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory) throw; // too little even to measure it
        }
    }
    Choice best{asked, HUGE_VAL, nullptr};
    auto &keeper = *asked.sessions.front();
    const auto consider = [&](const std::vector<const Known *> &devices, const DeviceGroup &group) {
        const std::lock_guard lock(keeper.in_use());
        const auto &step = steps.front();
        const auto correction = correction_of(
            keeper, text("factorisations ", static_cast<int>(step.method), " ", static_cast<int>(step.type), " on ",
                         devices.size() == 1 ? devices.front()->session->info().spec : "all"));
        const auto seconds = correction->factor() * seconds_of(devices, steps, rules_for(group, options));
        if (seconds < best.seconds) best = {group, seconds, correction};
    };
    std::vector<const Known *> together;
    const bool has_host = std::ranges::any_of(all, [](const Known &one) { return one.is_host(); });
    for (const auto &one : all) {
        together.push_back(&one);
        // The same cores and memory as the host's, at a device's cost for each product.
        if (has_host && one.is_in_place && one.session->info().on_host_cores && !one.is_host()) continue;
        const auto session =
            std::ranges::find_if(asked.sessions, [&](const auto &of) { return of.get() == one.session; });
        if (one.can_do_it_alone()) consider({&one}, one.is_host() ? DeviceGroup{} : DeviceGroup{{*session}});
    }
    if (all.size() == asked.sessions.size() && std::ranges::all_of(all, &Known::can_multiply))
        consider(together, asked);
    if (best.seconds == HUGE_VAL) best.seconds = 0; // too little memory to measure any
    return best;
}

double predicted_seconds(const DeviceGroup &chosen, const Steps &steps, const Options &options)
{
    if (chosen.sessions.empty() || std::ranges::all_of(steps, [](const auto &step) { return flops_of(step) == 0; }))
        return 0;
    const auto rules = rules_for(chosen, options);
    std::vector<Known> all;
    try {
        for (const auto &session : chosen.sessions)
            all.push_back(
                known_of(*session, steps, rules, GemmSettings::from(options), LeftLookingWish::from(options)));
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw;
        return 0; // too little even to measure it: the host does it all, block by block
    }
    std::vector<const Known *> together;
    for (const auto &one : all) together.push_back(&one);
    return seconds_of(together, steps, rules);
}

std::int64_t least_memory(const DeviceGroup &chosen, const Steps &steps, const Options &options)
{
    auto &session = *chosen.sessions.front();
    const auto settings = GemmSettings::from(options);
    const auto kernel = in_card_gemm(session, steps.front().type, settings.kernel);
    auto model = unmeasured_model(session, kernel, 1);
    model.space.limit_bytes = 1;
    return sufficient_memory(model, products_of(steps, rules_for(chosen, options)), settings) + session.used();
}

void check_memory(const DeviceGroup &chosen, const Steps &steps, const Options &options)
{
    auto settings = GemmSettings::from(options);
    settings.is_part = true;
    const auto products = products_of(steps, rules_for(chosen, options));
    std::string lacks;
    for (const auto &session : chosen.sessions) {
        if (session->info().shares_host_memory && !session->is_limited()) continue;
        const std::lock_guard lock(session->in_use());
        const auto kernel = in_card_gemm(*session, steps.front().type, settings.kernel);
        if (chosen.sessions.size() == 1 && all_fits(*session, kernel, steps, LeftLookingWish::from(options))) continue;
        const auto lack = lack_of_memory(*session, products, settings);
        lacks += text(lacks.empty() || lack.empty() ? "" : "; ", lack);
    }
    if (!lacks.empty()) fail(Status::out_of_memory, lacks);
}

} // namespace hpart
