// A product that several devices share: each computes a part of C.
#include "core/text.hpp"
#include "host/cores.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/gemm/plan.hpp"
#include "out_of_card/pipeline/device_team.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace hpart
{

namespace
{

// The devices share C's rows, or its columns: each device reads all of the smaller operand.
struct GemmSplit {
    bool by_rows = true;
    std::int64_t length = 0; // of C that way
    std::int64_t unit = 1;   // every share is a multiple of it, but the last

    std::int64_t units() const { return ceil_div(length, unit); }
    GemmShape part_of(GemmShape shape, std::int64_t part_length) const;
    GemmCall part_of(const GemmCall &row_major, std::int64_t first, std::int64_t part_length) const;
};

GemmSplit split_of(const GemmShape &shape, std::int64_t row_multiple, std::int64_t column_multiple);

class DeviceWorker
{
  public:
    // The device's in_use is held.
    DeviceWorker(DeviceSession &session, const GemmCall &row_major, const GemmSettings &settings, std::size_t workers);

    DeviceSession &session() const { return session_; }
    const GemmSettings &settings() const { return settings_; }
    std::int64_t row_multiple() const { return model_.row_multiple; }
    std::int64_t column_multiple() const { return model_.column_multiple; }

    // Times of 1, 2 ... units: modelled at a few sizes, on lines between.
    std::vector<double> seconds(const GemmShape &shape, const GemmSplit &split) const;
    // Corrects the models of later calls by the time that a part took.
    void learn(double modelled_seconds, double seconds) { correction_->learn(modelled_seconds, seconds); }

  private:
    double modelled_seconds(const GemmShape &shape) const;

    DeviceSession &session_;
    GemmSettings settings_;
    std::shared_ptr<InCardGemm> kernel_;
    bool in_place_;
    DeviceModel model_;
    std::shared_ptr<Correction> correction_;
    double core_share_ = 1; // of the cores that the model's rates were measured with
};

GemmShape GemmSplit::part_of(GemmShape shape, std::int64_t part_length) const
{
    (by_rows ? shape.m : shape.n) = part_length;
    return shape;
}

GemmCall GemmSplit::part_of(const GemmCall &row_major, std::int64_t first, std::int64_t part_length) const
{
    auto part = row_major;
    const auto s = bytes_of(part.type);
    const auto step = [&](Transpose transpose, bool of_rows, std::int64_t ld) {
        return first * ((transpose == Transpose::none) == of_rows ? ld : 1) * s;
    };
    auto *const c = static_cast<char *>(part.c);
    if (by_rows) {
        part.m = part_length;
        part.a = static_cast<const char *>(part.a) + step(part.transpose_a, true, part.lda);
        part.c = c + first * part.ldc * s;
    } else {
        part.n = part_length;
        part.b = static_cast<const char *>(part.b) + step(part.transpose_b, false, part.ldb);
        part.c = c + first * s;
    }
    return part;
}

GemmSplit split_of(const GemmShape &shape, std::int64_t row_multiple, std::int64_t column_multiple)
{
    const bool by_rows = shape.m >= shape.n;
    const auto length = by_rows ? shape.m : shape.n, multiple = by_rows ? row_multiple : column_multiple;
    return {by_rows, length, std::min(length, round_up(ceil_div(length, most_units), multiple))};
}

DeviceWorker::DeviceWorker(DeviceSession &session, const GemmCall &row_major, const GemmSettings &settings,
                           std::size_t workers)
    : session_(session), settings_(settings), kernel_(in_card_gemm(session, row_major.type, settings.kernel)),
      in_place_(works_in_place(session, settings.zero_copy, *kernel_, row_major)),
      model_(naming_sufficient_memory(
          session, kernel_, shape_of(row_major), settings,
          [&] {
              // Before a device writes anything: all of C is no less than a part.
              if (!in_place_)
                  check_plan(shape_of(row_major), unmeasured_model(session, kernel_, 1), settings.plan, settings.tile);
              return model_of(session, kernel_, 1, settings.flow, is_staged(session, settings.flow, row_major));
          })),
      correction_(correction_of(session, text("gemm ", kernel_->id(), " of ", workers)))
{
    settings_.wants_in_card_rate = false; // the account has one for a device alone
    if (session.info().backend != Backend::host) return;
    // The others' threads want a core each.
    const auto cores = static_cast<int>(usable_cores().size());
    settings_.host_threads = std::max(1, cores - static_cast<int>(workers) + 1);
    core_share_ = static_cast<double>(settings_.host_threads) / cores;
}

std::vector<double> DeviceWorker::seconds(const GemmShape &shape, const GemmSplit &split) const
{
    return seconds_of_units(split.units(), [&](std::int64_t size) {
        const auto length = std::min(split.length, size * split.unit);
        return correction_->factor() * modelled_seconds(split.part_of(shape, length));
    });
}

double DeviceWorker::modelled_seconds(const GemmShape &shape) const
{
    if (in_place_) return kernel_seconds(shape, model_) / core_share_;
    // An operation has so many products that to look for each one's tiles would take longer than they do.
    if (settings_.is_part) return least_seconds(shape, model_);
    return estimate_for(session_, *kernel_, shape, model_, settings_);
}

struct GemmShare {
    std::int64_t first = 0, length = 0;
    double modelled_seconds = 0;
    Account account;
};

void run_parts(std::vector<DeviceWorker> &workers, std::vector<GemmShare> &parts, const GemmSplit &split,
               const GemmCall &row_major, Control &control)
{
    std::vector<double> shares;
    shares.reserve(parts.size());
    for (const auto &part : parts)
        shares.push_back(static_cast<double>(part.length) / static_cast<double>(split.length));
    DeviceTeam(std::move(shares), control).run([&](std::size_t i, Control &own) {
        gemm_on_device(workers[i].session(), split.part_of(row_major, parts[i].first, parts[i].length),
                       workers[i].settings(), own, parts[i].account);
    });
}

std::vector<GemmShare> assign_shares(const std::vector<DeviceWorker> &workers, const GemmShape &shape,
                                     const GemmSplit &split)
{
    std::vector<std::vector<double>> seconds;
    seconds.reserve(workers.size());
    for (const auto &worker : workers) seconds.push_back(worker.seconds(shape, split));
    const auto shares = shares_of_least_time(seconds, split.units());
    std::vector<GemmShare> parts(workers.size());
    std::int64_t first = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].first = first;
        parts[i].length = std::min(shares[i] * split.unit, split.length - first);
        if (shares[i] > 0) parts[i].modelled_seconds = seconds[i][static_cast<std::size_t>(shares[i] - 1)];
        first += parts[i].length;
    }
    return parts;
}

Account account_of(const std::vector<DeviceWorker> &workers, const std::vector<GemmShare> &parts,
                   const GemmSplit &split, const GemmShape &shape)
{
    Account account;
    account.method = "devices";
    account.plan = "shares";
    account.kernel = "";
    account.flops = operations_of(shape);
    account.expected.emplace();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto &part = parts[i];
        const auto &own = part.account;
        const auto device = workers[i].session().info().spec;
        account.parts.push_back({text(device, " ", part.length, split.by_rows ? " rows" : " columns"),
                                 static_cast<double>(part.length) / static_cast<double>(split.length), own.seconds});
        account.moved.add(own.moved);
        account.retries += own.retries;
        account.expected->seconds = std::max(account.expected->seconds, part.modelled_seconds);
        if (part.length > 0) *account.kernel += text(account.kernel->empty() ? "" : ", ", *own.kernel);
        if (own.tiles.empty()) continue;
        account.tiles += text(account.tiles.empty() ? "" : "; ", device, ": ", own.tiles);
        account.device_bytes += own.device_bytes;
        account.expected->bytes += own.expected->bytes;
        account.expected->lower_bound_bytes += own.expected->lower_bound_bytes;
    }
    return account;
}

} // namespace

Account gemm_on_devices(DeviceGroup &devices, const GemmCall &row_major, const GemmSettings &settings, Control &control)
{
    const auto locks = devices.lock_all();
    const auto start = Clock::now();
    const auto shape = shape_of(row_major);
    std::vector<DeviceWorker> workers;
    std::vector<GemmShare> parts;
    GemmSplit split;
    double setup_seconds = 0;
    try {
        std::int64_t row_multiple = 1, column_multiple = 1;
        for (const auto &session : devices.sessions) {
            const auto &worker = workers.emplace_back(*session, row_major, settings, devices.sessions.size());
            row_multiple = std::max(row_multiple, worker.row_multiple());
            column_multiple = std::max(column_multiple, worker.column_multiple());
        }
        split = split_of(shape, row_multiple, column_multiple);
        parts = assign_shares(workers, shape, split);
        setup_seconds = seconds_since(start);
        run_parts(workers, parts, split, row_major, control);
    } catch (const Error &error) {
        const bool changed = std::any_of(parts.begin(), parts.end(),
                                         [](const GemmShare &part) { return part.account.moved.read_began; });
        throw FailedProduct(error, changed);
    }
    // The devices make themselves ready at the same time.
    double longest_setup = 0;
    for (std::size_t i = 0; i < workers.size(); ++i) {
        const auto setup = parts[i].account.setup_seconds;
        devices.shared_setup_seconds += std::min(setup, longest_setup);
        longest_setup = std::max(longest_setup, setup);
        if (parts[i].length > 0 && !settings.dry_run)
            workers[i].learn(parts[i].modelled_seconds, parts[i].account.seconds);
    }
    auto account = account_of(workers, parts, split, shape);
    account.setup_seconds = setup_seconds + longest_setup;
    account.seconds = settings.dry_run ? 0 : std::max(0.0, seconds_since(start) - account.setup_seconds);
    return account;
}

} // namespace hpart
