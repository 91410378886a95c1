#include "out_of_card/factorisations/blocking.hpp"
#include "core/checked.hpp"
#include "host/cores.hpp"
#include "out_of_card/factorisations/card_work.hpp"
#include "out_of_card/factorisations/panel_cost.hpp"
#include "out_of_card/gemm/one_card.hpp"
#include "out_of_card/in_card/padding.hpp"

namespace hpart
{

namespace
{

// What a method with this shape takes of a card.
class Room
{
  public:
    Room(const DeviceSession &card, const InCardGemm &kernel, const FactorisationStep &problem, double share)
        : card_(card), kernel_(kernel), problem_(problem),
          bytes_(static_cast<std::int64_t>(share * static_cast<double>(card.memory_limit() - card.used())))
    {
    }

    bool holds(const LeftLookingShape &shape) const
    {
        const auto resident = block(shape.rows, shape.resident);
        return resident <= card_.info().largest_buffer_bytes &&
               resident + CardWork::slots * slot(shape) + besides(shape) <= bytes_ - hidden(shape);
    }

  private:
    std::int64_t block(std::int64_t rows, std::int64_t columns) const
    {
        return bytes_of_block(card_, problem_.type, problem_.row_major, rows, columns);
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
    std::int64_t hidden(const LeftLookingShape &shape) const
    {
        const auto rows = shape.rows, columns = shape.resident, panel = shape.panel;
        const auto taken = [this](std::int64_t m, std::int64_t n, std::int64_t k) {
            return scratch_taken(card_, kernel_, m, n, k);
        };
        return std::max({taken(rows, columns, panel), taken(columns, rows, panel), taken(panel, columns, rows),
                         taken(columns, panel, rows)});
    }

    const DeviceSession &card_;
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

bool is_pinned(DeviceSession &card, const HostMatrix &matrix)
{
    const auto lines = matrix.row_major ? matrix.rows : matrix.columns,
               length = matrix.row_major ? matrix.columns : matrix.rows;
    return lines == 0 || length == 0 ||
           card.pinned_ranges().hold(matrix.data, bytes_of(matrix.type) * ((lines - 1) * matrix.ld + length));
}

// True if the host packs what moves: not all of it is pinned for the card.
bool is_packed(DeviceSession &card, const FlowOptions &flow, const FactorisationStep &problem)
{
    return Staging::of(card, flow.staging) && !(is_pinned(card, problem.matrix) && is_pinned(card, problem.factor));
}

std::optional<PredictedShape> best_of(DeviceSession &card, const std::shared_ptr<InCardGemm> &kernel,
                                      const FactorisationStep &problem, const LeftLookingWish &wish)
{
    constexpr std::int64_t usual[] = {32, 64, 96, 128, 192, 256, 384, 512};
    std::vector<std::int64_t> panels(std::begin(usual), std::end(usual));
    if (wish.width) panels.assign(1, *wish.width);
    const Room room(card, *kernel, problem, wish.share);
    std::vector<LeftLookingShape> shapes;
    for (const auto panel : panels)
        if (const auto shape = widest_shape(room, problem, panel); is_worth_it(shape)) shapes.push_back(shape);
    if (shapes.empty()) return std::nullopt;
    const LeftLookingModel model{.problem = problem,
                                 .card = model_of(card, kernel, 1, wish.flow, is_packed(card, wish.flow, problem)),
                                 .host = measured_host_panels(card, problem.method, problem.type),
                                 .competes_with_host = competes_with_host(card),
                                 .cores = static_cast<std::int64_t>(usable_cores().size())};
    std::optional<PredictedShape> best;
    for (const auto &shape : shapes)
        if (const auto seconds = predicted_seconds(model, shape); !best || seconds < best->seconds)
            best = {shape, seconds};
    if (!wish.width) best->shape.last_panel = columns_left_to_host(model, best->shape);
    return best;
}

} // namespace

LeftLookingWish LeftLookingWish::from(const Options &options, double share_of_memory)
{
    const auto width = options.get_int("panel_width");
    return {width > 0 ? std::optional(width) : std::nullopt, share_of_memory, FlowOptions::from(options)};
}

std::int64_t bytes_of_block(const DeviceSession &card, Scalar type, bool row_major, std::int64_t rows,
                            std::int64_t columns)
{
    const auto lines = row_major ? rows : columns, length = row_major ? columns : rows;
    return card.taken_by(saturating_mul(saturating_mul(lines, padded_row(length, type)), bytes_of(type)));
}

std::optional<PredictedShape> best_shape(DeviceSession &card, const std::shared_ptr<InCardGemm> &kernel,
                                         const FactorisationStep &problem, const LeftLookingWish &wish)
{
    if (problem.method == StepKind::reflectors || problem.rows == 0 || problem.columns == 0 || problem.depth == 0)
        return std::nullopt;
    try {
        return card.set_up([&] { return best_of(card, kernel, problem, wish); });
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw;
        return std::nullopt; // the recursion says what it needs
    }
}

} // namespace hpart
