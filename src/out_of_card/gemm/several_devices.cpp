#include "core/error.hpp"
#include "out_of_card/gemm/device_worker.hpp"
#include "out_of_card/pipeline/device_team.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

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
