#include "out_of_card/factorisations/blocking.hpp"
#include "core/numbers.hpp"
#include "host/cores.hpp"
#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/host_panels.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/in_card/gemm_trial.hpp"
#include "out_of_card/in_card/padding.hpp"

namespace hpart
{

namespace
{

// The memory of a device that a method with this shape takes.
class Room
{
  public:
    Room(const DeviceSession &session, const InCardGemm &kernel, const FactorisationStep &problem, double share)
        : session_(session), kernel_(kernel), problem_(problem),
          bytes_(static_cast<std::int64_t>(share * static_cast<double>(session.memory_limit() - session.used())))
    {
    }

    bool holds(const LeftLookingShape &shape) const
    {
        const auto resident = block(shape.rows, shape.resident);
        return resident <= session_.info().largest_buffer_bytes &&
               resident + DeviceWork::slots * slot(shape) + besides(shape) <= bytes_ - scratch(shape);
    }

  private:
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
        default: return block(shape.rows, shape.panel);
        }
    }
    std::int64_t besides(const LeftLookingShape &shape) const
    {
        switch (problem_.method) {
        case StepKind::update: return 0;
        case StepKind::cholesky: return block(shape.panel, shape.panel);
        default: return 2 * block(shape.panel, shape.resident);
        }
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

    const DeviceSession &session_;
    const InCardGemm &kernel_;
    const FactorisationStep &problem_;
    const std::int64_t bytes_;
};

// With the widest block of whole panels that fits; none where that is 0.
LeftLookingShape widest_shape(const Room &room, const FactorisationStep &problem, std::int64_t panel)
{
    LeftLookingShape shape{.rows = problem.rows, .columns = problem.columns, .panel = panel, .last_panel = panel};
    std::int64_t least = 0, most = ceil_div(problem.columns, panel); // in panels
    while (least < most) {
        const auto middle = (least + most + 1) / 2;
        shape.resident = middle * panel;
        if (room.holds(shape))
            least = middle;
        else
            most = middle - 1;
    }
    shape.resident = least * panel;
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
    const Room room(session, *kernel, problem, wish.share);
    std::vector<LeftLookingShape> shapes;
    for (const auto panel : panels)
        if (const auto shape = widest_shape(room, problem, panel); is_worth_it(shape)) shapes.push_back(shape);
    if (shapes.empty()) return std::nullopt;
    const LeftLookingModel model{.problem = problem,
                                 .device =
                                     model_of(session, kernel, 1, wish.flow, is_staged(session, wish.flow, problem)),
                                 .host = measured_host_panels(session, problem.method, problem.type),
                                 .competes_with_host = competes_with_host(session),
                                 .cores = static_cast<std::int64_t>(usable_cores().size())};
    std::optional<PredictedShape> best;
    for (const auto &shape : shapes)
        if (const auto seconds = predicted_seconds(model, shape); !best || seconds < best->seconds)
            best = {shape, seconds};
    if (!wish.width) best->shape.last_panel = columns_left_to_host(model, best->shape);
    if (wish.times_kernels) best->seconds = predicted_seconds(timed(model, session, *kernel, best->shape), best->shape);
    return best;
}

} // namespace

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

} // namespace hpart
