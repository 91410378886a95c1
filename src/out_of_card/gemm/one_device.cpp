#include "out_of_card/gemm/one_device.hpp"

#include "core/error.hpp"
#include "out_of_card/in_card/gemm_rates.hpp"
#include "out_of_card/pipeline/device_team.hpp"

#include <algorithm>
#include <map>

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

namespace
{

constexpr int most_retries = 3;
constexpr double share_on_retry = 0.8; // of the memory, each time

// Plans, or their estimated seconds, by what they were made for.
template <typename Value> class PlanCache
{
  public:
    using Key = std::tuple<GemmShape, std::int64_t, std::string>;
    template <typename Make> Value get(const Key &key, const Make &make)
    {
        const auto known = values_.find(key);
        if (known != values_.end()) return known->second;
        constexpr std::size_t most = 1000;
        if (values_.size() >= most) values_.clear();
        return values_.emplace(key, make()).first->second;
    }

  private:
    std::map<Key, Value> values_;
};

template <typename Value, typename Make>
Value kept_for(DeviceSession &session, const char *name, const InCardGemm &kernel, const GemmShape &shape,
               const DeviceModel &model, const GemmSettings &settings, const Make &make)
{
    const auto cache = session.kept_rate<PlanCache<Value>>(name, [] { return std::make_shared<PlanCache<Value>>(); });
    auto asked = text(kernel.id(), " ", settings.plan);
    if (model.is_staged) asked += " staged";
    if (settings.tile) asked += text(" ", settings.tile->mb, "x", settings.tile->nb, "x", settings.tile->kb);
    return cache->get({shape, model.space.limit_bytes, asked}, [&] { return session.set_up(make); });
}

// "4 x 4 of 64x96x50, ..."
std::string describe(const GemmPlan &plan, const GemmShape &shape)
{
    return text(plan.tile_rows(shape), " x ", plan.tile_columns(shape), " of ", plan.mb, "x", plan.nb, "x", plan.kb,
                ", panels ", plan.a_slots, " + ", plan.b_slots, ", strips ", plan.strips(), ", C in ",
                plan.c_buffers * (plan.c_in_strips ? plan.strips() : 1));
}

// The plan for a device of this model, which the account then has.
GemmPlan plan_of(DeviceSession &session, const InCardGemm &kernel, const GemmShape &shape, const DeviceModel &model,
                 const GemmSettings &settings, Account &account)
{
    const auto planned = plan_for(session, kernel, shape, model, settings);
    account.plan = planned.method;
    account.tiles = describe(planned.plan, shape);
    account.device_bytes = planned.device_bytes;
    account.expected = {planned.traffic.total(), least_traffic(shape, model.space.limit_bytes).total(),
                        planned.predicted.seconds};
    account.bound_by = longest_part(planned.predicted);
    return planned.plan;
}

// With less of the memory each time that an allocation fails, as long as C is as it was.
GemmPlan run_with_retries(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel, const GemmCall &row_major,
                          const GemmSettings &settings, Control &control, Account &account)
{
    for (double share = 1;; share *= share_on_retry, ++account.retries) {
        const auto model =
            model_of(session, kernel, share, settings.flow, is_staged(session, settings.flow, row_major));
        const auto plan = plan_of(session, *kernel, shape_of(row_major), model, settings, account);
        try {
            run_plan(session, *kernel, row_major, plan, control, settings.flow, account.moved);
            return plan;
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory || account.moved.read_began || account.retries == most_retries)
                throw;
        }
    }
}

// A part of the product for which a trial is short: its shortest sides are the product's, since thin ones are slower.
GemmSize part_to_time(GemmSize size)
{
    constexpr double most_products = 1e9, most_elements = 1 << 23;
    const auto real = [](std::int64_t side) { return static_cast<double>(side); };
    const auto is_long = [&] {
        const auto m = real(size.m), n = real(size.n), k = real(size.k);
        return m * n * k > most_products || m * k + k * n + m * n > most_elements;
    };
    while (is_long()) {
        auto &longest = size.m >= size.n && size.m >= size.k ? size.m : size.n >= size.k ? size.n : size.k;
        longest = ceil_div(longest, 2);
    }
    return size;
}

// Without transfers, by the kernel's time for a part.
double timed_seconds(DeviceSession &session, InCardGemm &kernel, const GemmShape &shape)
{
    constexpr int runs = 4;
    constexpr double budget_seconds = 0.1;
    return session.set_up([&] {
        GemmTrial trial(session, kernel, part_to_time({shape.m, shape.n, shape.k}));
        const auto [m, n, k] = trial.largest();
        const auto part = GemmShape{.type = shape.type, .m = m, .n = n, .k = k};
        return trial.seconds(trial.largest(), runs, budget_seconds) * operations_of(shape) / operations_of(part);
    });
}

// The same as a run, up to its first command.
void predict(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel, const GemmCall &row_major,
             bool in_place, const GemmSettings &settings, Account &account)
{
    const auto shape = shape_of(row_major);
    if (in_place) {
        account.expected = {0, 0, timed_seconds(session, *kernel, shape)};
        return;
    }
    auto model = model_of(session, kernel, 1, settings.flow, is_staged(session, settings.flow, row_major));
    plan_of(session, *kernel, shape, model, settings, account);
    model.space.limit_bytes = 1;
    const auto least = sufficient_bytes(shape, model, settings.plan, settings.tile).value_or(0);
    account.least_memory = session.limit_for(least);
    // Simulations are exact and take long: formulas find where they begin.
    const auto seconds_by = [&](bool simulated) {
        return [&, simulated](std::int64_t bytes) -> std::optional<double> {
            model.space.limit_bytes = bytes;
            if (!has_plan(shape, model, settings.plan, settings.tile)) return std::nullopt;
            return simulated ? plan_for(session, *kernel, shape, model, settings).predicted.seconds
                             : estimated_least_seconds(shape, model, settings.plan, settings.tile);
        };
    };
    const auto most = session.whole_memory() - session.used();
    auto advised = advised_bytes(least, most, seconds_by(false));
    if (advised) advised = advised_bytes(*advised, most, seconds_by(true));
    if (advised) account.advised_memory = session.limit_for(*advised);
}

} // namespace

bool works_in_place(const DeviceSession &session, const std::string &zero_copy)
{
    if (zero_copy == "never") return false;
    const bool can = session.info().shares_host_memory;
    if (zero_copy == "always" && !can)
        fail(Status::unsupported, "zero_copy is always, but ", session.info().spec,
             " does not share the host's memory; it must be auto or never there");
    if (zero_copy == "always" && session.is_limited())
        fail_argument("zero_copy is always, but a memory limit is set for ", session.info().spec,
                      ", which only transfers can obey; give only one of them");
    return can && !session.is_limited();
}

bool works_in_place(const DeviceSession &session, const std::string &zero_copy, const InCardGemm &kernel,
                    const GemmCall &row_major)
{
    if (!works_in_place(session, zero_copy)) return false;
    const auto &call = row_major;
    const auto longest = std::max({call.m, call.n, call.k, call.lda, call.ldb, call.ldc});
    if (longest <= kernel.largest_side()) return true;
    if (zero_copy == "always")
        fail(Status::unsupported, "zero_copy is always, but kernel ", in_quotes(kernel.name()),
             " takes sides and leading dimensions up to ", kernel.largest_side(), ", not ", longest);
    return false;
}

void check_tile(const DeviceGroup &devices, const GemmSettings &settings,
                const std::function<TileSteps(const TileSize &)> &steps_of)
{
    const auto has_tiles = [&](const auto &session) { return !works_in_place(*session, settings.zero_copy); };
    if (settings.tile && std::ranges::any_of(devices.sessions, has_tiles)) refuse_small_tile(*settings.tile, steps_of);
}

void check_tile(const DeviceGroup &devices, const GemmSettings &settings, const GemmShape &shape)
{
    check_tile(devices, settings, [&](const TileSize &tile) {
        const auto number = [](std::int64_t length, std::int64_t block) {
            return length == 0 ? 0.0 : static_cast<double>(ceil_div(length, std::min(block, length)));
        };
        TileSteps steps;
        steps.number = number(shape.m, tile.mb) * number(shape.n, tile.nb) * number(shape.k, tile.kb);
        steps.flops = operations_of(shape) / steps.number;
        return steps;
    });
}

GemmSettings GemmSettings::from(const Options &options)
{
    GemmSettings settings;
    settings.plan = options.get_text("plan");
    if (const auto tile = options.get_text("tile"); !tile.empty()) settings.tile = parse_tile(tile);
    settings.zero_copy = options.get_text("zero_copy");
    settings.kernel = options.get_text("kernel");
    settings.wants_in_card_rate = options.get_int("in_card_rate") != 0;
    settings.dry_run = options.get_int("dry_run") != 0;
    settings.flow = FlowOptions::from(options);
    return settings;
}

DeviceModel unmeasured_model(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel, double share_of_memory)
{
    const auto &info = session.info();
    DeviceModel model;
    model.device = info.spec;
    const auto free = static_cast<double>(session.memory_limit() - session.used());
    model.space = {static_cast<std::int64_t>(share_of_memory * free), info.granule_bytes, info.largest_buffer_bytes,
                   kernel->largest_side()};
    model.on_cores = session.info().on_host_cores;
    model.row_multiple = kernel->row_multiple();
    model.column_multiple = kernel->column_multiple();
    model.compute_units = info.compute_units;
    if (!info.on_host_cores) model.queue_latency = queue_latency_of_gpus;
    model.scratch_bytes = [&session, kernel](std::int64_t rows, std::int64_t columns, std::int64_t depth) {
        return scratch_taken(session, *kernel, rows, columns, depth);
    };
    return model;
}

DeviceModel model_of(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel, double share_of_memory,
                     const FlowOptions &flow, bool is_staged)
{
    auto model = unmeasured_model(session, kernel, share_of_memory);
    model.link = measured_link(session);
    model.is_staged = is_staged;
    if (is_staged) model.link = model.link.staged_at(Staging::of(session, flow.staging)->measured_rate(session));
    model.lookahead = flow.lookahead;
    const auto rates = measured_gemm_rates(session, *kernel);
    model.kernel_seconds = [rates](std::int64_t rows, std::int64_t columns, std::int64_t depth) {
        return rates->seconds(rows, columns, depth);
    };
    return model;
}

bool is_staged(DeviceSession &session, const FlowOptions &flow, const GemmCall &row_major)
{
    if (!Staging::of(session, flow.staging)) return false;
    const auto &call = row_major;
    const auto is_pinned = [&](const void *first, Transpose transpose, std::int64_t m, std::int64_t n,
                               std::int64_t ld) {
        const auto stored_rows = transpose == Transpose::none ? m : n, row = m + n - stored_rows;
        return session.pinned_ranges().hold(first, bytes_of(call.type) * ((stored_rows - 1) * ld + row));
    };
    return !(is_pinned(call.a, call.transpose_a, call.m, call.k, call.lda) &&
             is_pinned(call.b, call.transpose_b, call.k, call.n, call.ldb) &&
             is_pinned(call.c, Transpose::none, call.m, call.n, call.ldc));
}

std::vector<GemmShape> stored_in_all_ways(const GemmShape &shape)
{
    std::vector<GemmShape> all;
    for (const bool a : {false, true})
        for (const bool b : {false, true}) {
            auto stored = shape;
            stored.a_transposed = a, stored.b_transposed = b;
            all.push_back(stored);
            std::swap(stored.m, stored.n); // C^T = B^T A^T
            all.push_back(stored);
        }
    return all;
}

std::string sufficient_memory(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel, const GemmShape &shape,
                              const GemmSettings &settings)
{
    const auto model = unmeasured_model(session, kernel, 1);
    std::optional<std::int64_t> bytes;
    if (settings.is_part && settings.plan != "hclooc") {
        auto largest = shape;
        constexpr std::int64_t large = 1024; // from there on the smallest tiles of all products are the same
        for (auto *const length : {&largest.m, &largest.n, &largest.k}) *length = std::max(*length, large);
        for (const auto &stored : stored_in_all_ways(largest))
            bytes = std::max(bytes, sufficient_bytes(stored, model, settings.plan, settings.tile));
    } else {
        bytes = sufficient_bytes(shape, model, settings.plan, settings.tile);
    }
    return bytes ? text("; ", session.limit_for(*bytes), " bytes would do") : std::string();
}

PlannedGemm plan_for(DeviceSession &session, const InCardGemm &kernel, const GemmShape &shape, const DeviceModel &model,
                     const GemmSettings &settings)
{
    return kept_for<PlannedGemm>(session, "gemm plans", kernel, shape, model, settings, [&] {
        if (settings.tile) return plan_with_tile(shape, model, *settings.tile);
        return settings.plan == "hclooc" ? plan_of_hclooc(shape, model) : plan_by_model(shape, model);
    });
}

double estimate_for(DeviceSession &session, const InCardGemm &kernel, const GemmShape &shape, const DeviceModel &model,
                    const GemmSettings &settings)
{
    return kept_for<double>(session, "gemm estimates", kernel, shape, model, settings,
                            [&] { return estimated_least_seconds(shape, model, settings.plan, settings.tile); });
}

void check_fits(DeviceSession &session, const GemmShape &shape, const GemmSettings &settings)
{
    if (works_in_place(session, settings.zero_copy)) return;
    const auto kernel = in_card_gemm(session, shape.type, settings.kernel);
    naming_sufficient_memory(session, kernel, shape, settings, [&] {
        check_plan(shape, unmeasured_model(session, kernel, 1), settings.plan, settings.tile);
    });
}

void gemm_on_device(DeviceSession &session, const GemmCall &row_major, const GemmSettings &settings, Control &control,
                    Account &account)
{
    const auto shape = shape_of(row_major);
    const auto setup_before = session.setup_seconds();
    const auto kernel = in_card_gemm(session, row_major.type, settings.kernel); // an unknown name fails
    const bool in_place = works_in_place(session, settings.zero_copy, *kernel, row_major);
    // The BLAS itself, which takes all threads, unless the caller has a product of its own.
    const bool is_host = in_place && session.info().backend == Backend::host && kernel->name() != "user";
    account.method = account.plan = is_host ? "host" : in_place ? "zero-copy" : "out-of-card";
    account.kernel = is_host ? host_gemm_kernel : std::string(kernel->name());
    std::optional<GemmPlan> plan;
    if (settings.dry_run) {
        naming_sufficient_memory(session, kernel, shape, settings,
                                 [&] { predict(session, kernel, row_major, in_place, settings, account); });
    } else if (is_host) {
        check_host_sizes(row_major);
        const auto begin = Clock::now();
        account.moved.read_began = true;
        gemm_on_host(row_major, settings.host_threads, control);
        account.moved.seconds = seconds_since(begin);
    } else if (in_place) {
        run_in_place(session, *kernel, row_major, control, settings.flow, account.moved);
    } else {
        plan = naming_sufficient_memory(session, kernel, shape, settings, [&] {
            return run_with_retries(session, kernel, row_major, settings, control, account);
        });
    }
    account.seconds = account.moved.seconds;
    account.setup_seconds = session.setup_seconds() - setup_before;
    if (plan && account.expected && !settings.is_part) session.learn(account.expected->seconds, account.seconds);
    if (!plan || !settings.wants_in_card_rate) return;
    auto without = settings.flow;
    without.without_transfers = true;
    FlowRecord record;
    run_plan(session, *kernel, row_major, *plan, control, without, record);
    account.in_card_seconds = record.seconds;
}

double operations_of(const GemmShape &shape)
{
    return flops_per_product(shape.type) * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
           static_cast<double>(shape.k);
}

} // namespace hpart
