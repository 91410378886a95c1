#include "out_of_card/factorisations/blocking.hpp"

#include "core/numbers.hpp"
#include "host/cores.hpp"
#include "out_of_card/factorisations/device_panels.hpp"
#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/on_host.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/in_card/gemm_rates.hpp"
#include "out_of_card/in_card/spans.hpp"

#include <cmath>

namespace hpart
{

namespace
{

// The memory of a device that a method with this shape takes.
class Room
{
  public:
    Room(DeviceSession &session, const InCardGemm &kernel, const FactorisationStep &problem, double share)
        : session_(session), kernel_(kernel), problem_(problem),
          bytes_(static_cast<std::int64_t>(share * static_cast<double>(session.memory_limit() - session.used())))
    {
    }

    bool holds(const LeftLookingShape &shape) const
    {
        if (is_by_rows(session_, problem_)) return holds_rows(shape);
        const auto resident = block(shape.rows, shape.resident);
        const auto of_panels =
            shape.panels_on_device ? DevicePanels::bytes(session_, problem_, shape) : std::optional<std::int64_t>(0);
        return of_panels && resident <= session_.info().largest_buffer_bytes &&
               resident + DeviceWork::slots * slot(shape) + besides(shape) + *of_panels <= bytes_ - scratch(shape);
    }

  private:
    bool holds_rows(const LeftLookingShape &shape) const
    {
        const auto rows = block(shape.resident, shape.rows);
        return rows <= session_.info().largest_buffer_bytes &&
               rows + DeviceWork::slots * block(shape.panel, shape.rows) + block(shape.rows, shape.panel) +
                       2 * block(shape.resident, std::max(shape.panel, shape.streamed)) <=
                   bytes_ - scratch(shape);
    }
    std::int64_t block(std::int64_t rows, std::int64_t columns) const
    {
        return bytes_of_block(session_, problem_.type, problem_.row_major, rows, columns);
    }
    // That panels stream through.
    std::int64_t slot(const LeftLookingShape &shape) const
    {
        switch (problem_.method) {
        case StepKind::qr: return block(shape.rows + shape.panel, shape.panel);
        case StepKind::update:
        case StepKind::solve: return std::max(block(shape.rows, shape.panel), block(shape.panel, shape.rows));
        default: return block(shape.rows, std::max(shape.panel, shape.streamed));
        }
    }
    std::int64_t besides(const LeftLookingShape &shape) const
    {
        const auto squares = block(shape.panel, shape.panel), rows = block(shape.panel, shape.resident);
        switch (problem_.method) {
        case StepKind::update: return 0;
        case StepKind::cholesky: return squares;
        case StepKind::lu: return shape.panels_on_device ? 0 : 2 * rows + list_of_rows(shape);
        case StepKind::qr: return 2 * rows + (shape.panels_on_device ? 2 * squares : 0);
        default: return 2 * rows;
        }
    }
    // That a device's exchanges of rows read, where it has no other.
    std::int64_t list_of_rows(const LeftLookingShape &shape) const
    {
        if (session_.info().backend != Backend::cuda) return 0;
        return session_.taken_by(PanelResults::bytes(ceil_div(problem_.depth, shape.panel),
                                                     DevicePanels::bytes_found(problem_, shape.panel)));
    }
    // That the kernel takes besides, for its products in any order.
    std::int64_t scratch(const LeftLookingShape &shape) const
    {
        const auto rows = shape.rows, columns = shape.resident, panel = shape.panel;
        const auto taken = [this](std::int64_t m, std::int64_t n, std::int64_t k) {
            return scratch_taken(session_, kernel_, m, n, k);
        };
        return std::max({taken(rows, columns, panel), taken(columns, rows, panel), taken(panel, columns, rows),
                         taken(columns, panel, rows)});
    }

    DeviceSession &session_;
    const InCardGemm &kernel_;
    const FactorisationStep &problem_;
    const std::int64_t bytes_;
};

// With the widest block of whole panels that fits; none where that is 0.
LeftLookingShape widest_shape(const Room &room, const FactorisationStep &problem, std::int64_t panel, bool on_device,
                              bool by_rows)
{
    LeftLookingShape shape{.rows = problem.rows,
                           .columns = problem.columns,
                           .panel = panel,
                           .last_panel = panel,
                           .panels_on_device = on_device};
    std::int64_t least = 0, most = ceil_div(problem.columns, panel); // in panels
    while (least < most) {
        const auto middle = (least + most + 1) / 2;
        shape.resident = middle * panel;
        if (room.holds(shape))
            least = middle;
        else
            most = middle - 1;
    }
    shape.resident = 0;
    if (least == 0) return shape;
    // Blocks of equal widths move the fewest panels.
    const auto blocks = ceil_div(problem.columns, least * panel);
    shape.resident = round_up(ceil_div(problem.columns, blocks), panel);
    shape.streamed = panel;
    const bool is_lu = problem.method == StepKind::lu && on_device;
    if (!(is_lu || problem.method == StepKind::cholesky) || (blocks == 1 && !by_rows)) return shape;
    const std::int64_t most_streamed = by_rows ? 2048 : 1024; // deeper products are hardly faster, nor longer rows
    const auto whole = shape.resident / panel;
    for (auto together = std::min(whole, most_streamed / panel); together > 1; --together) {
        auto wider = shape;
        wider.streamed = together * panel;
        if (whole % together == 0 && room.holds(wider)) return wider;
    }
    return shape;
}

bool is_worth_it(const LeftLookingShape &shape)
{
    // Blocks narrower than this part of the columns move more than the recursion does.
    constexpr std::int64_t most_blocks = 12;
    return shape.panel < std::min(shape.rows, shape.columns) && shape.resident * most_blocks >= shape.columns;
}

bool is_pinned(DeviceSession &session, const HostMatrix &matrix)
{
    const auto lines = matrix.row_major ? matrix.rows : matrix.columns,
               length = matrix.row_major ? matrix.columns : matrix.rows;
    return lines == 0 || length == 0 ||
           session.pinned_ranges().hold(matrix.data, bytes_of(matrix.type) * ((lines - 1) * matrix.ld + length));
}

// True if the host packs what moves: not all of it is pinned for the device.
bool is_staged(DeviceSession &session, const FlowOptions &flow, const FactorisationStep &problem)
{
    return Staging::of(session, flow.staging) &&
           !(is_pinned(session, problem.matrix) && is_pinned(session, problem.factor));
}

// The model with the rate of a typical update of this shape, which caches may not hold as they hold the usual tiles.
LeftLookingModel timed(LeftLookingModel model, DeviceSession &session, InCardGemm &kernel,
                       const LeftLookingShape &shape)
{
    constexpr int runs = 4;
    constexpr double budget_seconds = 0.1;
    GemmTrial trial(session, kernel, {ceil_div(shape.rows, 2), std::min(shape.resident, shape.columns), shape.panel});
    const auto size = trial.largest();
    const auto seconds = model.device.kernel_seconds;
    const auto factor = trial.seconds(size, runs, budget_seconds) / seconds(size.m, size.n, size.k);
    model.device.kernel_seconds = [=](std::int64_t rows, std::int64_t columns, std::int64_t depth) {
        return factor * seconds(rows, columns, depth);
    };
    return model;
}

std::optional<PredictedShape> best_of(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel,
                                      const FactorisationStep &problem, const LeftLookingWish &wish)
{
    constexpr std::int64_t usual[] = {32, 64, 96, 128, 192, 256, 384, 512};
    std::vector<std::int64_t> panels(std::begin(usual), std::end(usual));
    if (wish.width) panels.assign(1, *wish.width);
    const auto device_panels =
        is_factorisation(problem.method) ? measured_device_panels(session, problem.method, problem.type) : std::nullopt;
    const Room room(session, *kernel, problem, wish.share);
    std::vector<LeftLookingShape> shapes;
    const bool by_rows = is_by_rows(session, problem);
    for (const auto panel : panels)
        for (const bool on_device : {false, true})
            if (!on_device || (device_panels && !by_rows))
                if (const auto shape = widest_shape(room, problem, panel, on_device, by_rows); is_worth_it(shape))
                    shapes.push_back(shape);
    if (shapes.empty()) return std::nullopt;
    const LeftLookingModel model{.problem = problem,
                                 .device =
                                     model_of(session, kernel, 1, wish.flow, is_staged(session, wish.flow, problem)),
                                 .host = measured_host_panels(session, problem.method, problem.type),
                                 .device_panels = device_panels,
                                 .competes_with_host = competes_with_host(session),
                                 .by_rows = by_rows,
                                 .cores = static_cast<std::int64_t>(usable_cores().size())};
    std::optional<PredictedShape> best;
    double least = 0;
    for (const auto &shape : shapes) {
        const auto seconds = predicted_seconds(model, shape);
        const auto corrected = seconds * correction_of_panels(session, problem, shape)->factor();
        if (!best || corrected < least) {
            best = {shape, seconds};
            least = corrected;
        }
    }
    if (!wish.width && !best->shape.panels_on_device && !by_rows)
        best->shape.last_panel = columns_left_to_host(model, best->shape);
    if (wish.times_kernels) best->seconds = predicted_seconds(timed(model, session, *kernel, best->shape), best->shape);
    return best;
}

} // namespace

std::shared_ptr<Correction> correction_of_panels(DeviceSession &session, const FactorisationStep &problem,
                                                 const LeftLookingShape &shape)
{
    return correction_of(session, text("panels ", static_cast<int>(problem.method), ' ', static_cast<int>(problem.type),
                                       shape.panels_on_device ? " on the device" : " on the host"));
}

LeftLookingWish LeftLookingWish::from(const Options &options, double share_of_memory)
{
    const auto width = options.get_int("panel_width");
    return {width > 0 ? std::optional(width) : std::nullopt, share_of_memory, FlowOptions::from(options)};
}

std::int64_t bytes_of_block(const DeviceSession &session, Scalar type, bool row_major, std::int64_t rows,
                            std::int64_t columns)
{
    const auto lines = row_major ? rows : columns, length = row_major ? columns : rows;
    return session.taken_by(saturating_mul(saturating_mul(lines, padded_row(length, type)), bytes_of(type)));
}

std::optional<PredictedShape> best_shape(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel,
                                         const FactorisationStep &problem, const LeftLookingWish &wish)
{
    if (problem.rows == 0 || problem.columns == 0 || problem.depth == 0) return std::nullopt;
    try {
        return session.set_up([&] { return best_of(session, kernel, problem, wish); });
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw;
        return std::nullopt; // the recursion reports the memory that it needs
    }
}

RecursionRules RecursionRules::of(const DeviceGroup &devices, const Options &options)
{
    RecursionRules rules;
    const auto width = options.get_int("panel_width");
    if (width > 0) rules.host_width = width;
    const auto is_host_in_place = [&](const DeviceSession &session) {
        return session.info().backend == Backend::host && works_in_place(session, options.get_text("zero_copy"));
    };
    rules.is_on_host = width == 0 && (devices.sessions.empty() ||
                                      (devices.sessions.size() == 1 && is_host_in_place(*devices.sessions.front())));
    return rules;
}

bool RecursionRules::is_small(std::int64_t m, std::int64_t n, std::int64_t k) const
{
    const auto width = static_cast<double>(host_width);
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) < width * width * width / 8;
}

bool RecursionRules::is_one_call(double flops) const
{
    constexpr double most = 2e10;
    return is_on_host && flops <= most;
}

double OperationCount::flops_of(Scalar type, const Sizes &sizes)
{
    return flops_per_product(type) * static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]) *
           static_cast<double>(sizes[2]);
}

void OperationCount::add(const LeftLookingRecord &record)
{
    auto sum = record;
    if (left_looking) {
        sum.seconds += left_looking->seconds;
        sum.flops += left_looking->flops;
        sum.least_bytes += left_looking->least_bytes;
    }
    left_looking = sum;
    flops += record.flops;
}

void OperationCount::add(const OperationCount &other, std::int64_t times)
{
    for (const auto &[sizes, count] : other.products) products[sizes] += times * count;
    for (const auto &[sizes, parts] : other.on_host) on_host[sizes] += static_cast<double>(times) * parts;
    for (const auto &[panel, count] : other.panels) panels[panel] += times * count;
    flops += static_cast<double>(times) * other.flops;
    least_bytes = saturating_add(least_bytes, saturating_mul(times, other.least_bytes));
}

// After D. Irony, S. Toledo and A. Tiskin (2004) and G. Ballard, J. Demmel, O. Holtz and O. Schwartz, "Minimizing communication
// in numerical linear algebra", SIAM J. Matrix Anal. Appl. 32 (2011). The products c(i, j) += a(i, k) b(k, j) are points
// (i, j, k). While a device with room for S elements reads T more, it can use X = S + T different ones, and sets of A, B and C
// elements have no more than sqrt(|A| |B| |C|) points among them (Loomis and Whitney). With T = 2S, G points need
// 2S (G / most - 1) reads, where `most` is the number of points that 3S elements can have:
// - a symmetric update, where a(i, k) and a(j, k) are of one matrix: of r rows of column k, at most min(r^2 / 2, |C|) <=
//   r sqrt(|C| / 2) points, so |A| sqrt(|C| / 2), at most sqrt(2) S^(3/2);
// - a triangular solution, where b(k, j) and b(i, j) are: the same;
// - Cholesky, where all three are: at most X elements each, X^(3/2) / sqrt(2);
// - LU, where L and U share X elements, and the updated elements are among these: X^(3/2) / 2.
// For QR only the move of each element is counted. Elements in their one place are read before they are updated.

namespace
{

double real(std::int64_t value) { return static_cast<double>(value); }
double pairs(std::int64_t n) { return real(n) * real(n - 1) / 2; }
double triangle(std::int64_t n) { return real(n) * real(n + 1) / 2; }

// sum of (rows - 1 - k)(columns - 1 - k)
double lu_products(std::int64_t rows, std::int64_t columns)
{
    double sum = 0;
    for (std::int64_t k = 0; k < std::min(rows, columns); ++k) sum += real(rows - 1 - k) * real(columns - 1 - k);
    return sum;
}

// Off the diagonal.
double cholesky_products(std::int64_t rows, std::int64_t columns)
{
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) sum += real(j) * real(rows - 1 - j);
    return sum;
}

// The device's, of all but those within panels.
double on_device(const FactorisationStep &problem, const LeftLookingShape &shape,
                 double (*products)(std::int64_t rows, std::int64_t columns))
{
    auto sum = products(problem.rows, problem.columns);
    for (std::int64_t begin = 0, width = 0; begin < problem.depth; begin += width) {
        const auto left = problem.depth - begin;
        width = std::min(left, left <= shape.last_panel ? left : shape.panel);
        sum -= products(problem.rows - begin, width);
    }
    return sum;
}

struct Least {
    double in = 0, out = 0;        // each element once
    double products = 0, most = 1; // points, and of those 3S elements' most over S^(3/2)
};

Least least_of(const FactorisationStep &problem, const LeftLookingShape &shape)
{
    const auto m = problem.rows, n = problem.columns, w = shape.panel;
    const auto three = std::pow(3.0, 1.5);
    switch (problem.method) {
    case StepKind::lu:
        return {real(m) * real(n) - real(w) * real(w), real(m - 1) * real(n - w),
                on_device(problem, shape, lu_products), three / 2};
    case StepKind::cholesky:
        return {triangle(n) - triangle(w), triangle(n - w), on_device(problem, shape, cholesky_products),
                three / std::sqrt(2.0)};
    case StepKind::qr: return {real(m) * real(n) - real(w) * real(w), real(m) * real(n - w)};
    case StepKind::update:
        return {real(n) * real(problem.depth) + (problem.reads_old ? triangle(n) : 0), triangle(n),
                pairs(n) * real(problem.depth), std::sqrt(2.0)};
    default: break;
    }
    const auto whole = m / w, rest = m % w; // diagonal blocks
    const auto in_a = pairs(m) - real(whole) * pairs(w) - pairs(rest);
    return {in_a + real(m) * real(n), real(m - w) * real(n), in_a * real(n), std::sqrt(2.0)};
}

} // namespace

std::int64_t least_bytes(const FactorisationStep &problem, const LeftLookingShape &shape, std::int64_t device_bytes)
{
    const auto s = real(bytes_of(problem.type)), room = real(device_bytes) / s;
    const auto least = least_of(problem, shape);
    const auto for_products = 2 * room * (least.products / (least.most * std::pow(room, 1.5)) - 1) -
                              (problem.reads_old ? 0 : triangle(problem.columns));
    return static_cast<std::int64_t>(s * (std::max(least.in, for_products) + least.out));
}

} // namespace hpart
