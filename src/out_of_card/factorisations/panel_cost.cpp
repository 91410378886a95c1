#include "out_of_card/factorisations/host_panels.hpp"

#include <algorithm>

namespace hpart
{

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
    return static_cast<double>(rows * columns * bytes_of(model.problem.type)) / bytes_per_second;
}

// The mean of its columns that move: of a symmetric matrix only the triangle does.
std::int64_t height_of_block(const FactorisationStep &problem, std::int64_t first, std::int64_t end)
{
    if (problem.method != StepKind::update && problem.method != StepKind::cholesky) return problem.rows;
    return problem.rows - first - (end - first) / 2;
}

// The panel of the block [first, end) that begins at `begin`.
Step step_of(const LeftLookingModel &model, std::int64_t first, std::int64_t end, std::int64_t begin,
             std::int64_t width)
{
    const auto last = begin + width;
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
        if (is_square && step.waits_send) {
            step.next += model.device.kernel_seconds(std::max<std::int64_t>(1, below), width, width);
            step.aside = link_seconds(model, below, width, link.out_bytes_per_second);
        }
    }
    step.rest = kernel_seconds(model, rows, columns, width);
    // The panel's rows of the solution are copied back.
    const auto method = model.problem.method;
    if (method == StepKind::lu || method == StepKind::qr || method == StepKind::solve)
        step.aside = link_seconds(model, width, columns, link.out_bytes_per_second);
    return step;
}

} // namespace

double predicted_seconds(const LeftLookingModel &model, const LeftLookingShape &shape)
{
    double seconds = 0;
    for (std::int64_t first = 0; first < shape.columns; first += shape.resident) {
        const auto end = std::min(first + shape.resident, shape.columns);
        const auto depth =
            is_factorisation(model.problem.method) ? std::min(end - 1, model.problem.depth) : model.problem.depth;
        // The host factors the first panel as it is.
        const auto kept = first == 0 && is_factorisation(model.problem.method) ? shape.panel : 0;
        const auto height = height_of_block(model.problem, first, end);
        const auto &link = model.device.link;
        if (model.problem.reads_old)
            seconds += link_seconds(model, height, end - first - kept, link.in_bytes_per_second);
        // The others' results leave while the device works.
        if (model.problem.method == StepKind::update)
            seconds += link_seconds(model, height, end - first, link.out_bytes_per_second);
        for (std::int64_t begin = 0; begin < depth; begin += shape.panel) {
            const auto width = std::min(shape.panel, depth - begin);
            seconds += step_of(model, first, end, begin, width).seconds(model);
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
