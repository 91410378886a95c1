// The operations on one card, by blocks that stay there while panels stream past. Each gives nothing where the recursion
// does better: with several cards, none of its own memory, or too little for blocks that are worth it.
#pragma once

#include "host/cores.hpp"
#include "out_of_card/factorisations/card_work.hpp"
#include "out_of_card/factorisations/flops.hpp"
#include "out_of_card/factorisations/left_looking.hpp"
#include "out_of_card/factorisations/lower_bound.hpp"
#include "out_of_card/factorisations/recursive.hpp"
#include "out_of_card/factorisations/widths.hpp"
#include "out_of_card/gemm/one_card.hpp"

#include <optional>

namespace hpart::on_card
{

// True: done.
template <typename Value>
bool update_triangle(Products &products, const SyrkShape &shape, Value alpha, const Part<Value> &a, Value beta,
                     const Part<Value> &c);
template <typename Value>
bool solve_triangle(Products &products, const TrsmShape &shape, const Part<Value> &a, const Part<Value> &b);
// LAPACK's info.
template <typename Value>
std::optional<std::int64_t> factor_lu(Products &products, const Part<Value> &a, std::span<std::int64_t> pivots);
template <typename Value> std::optional<std::int64_t> factor_cholesky(Products &products, const Part<Value> &a);
template <typename Value> std::optional<std::int64_t> factor_qr(Products &products, const Part<Value> &a, Value *tau);

// The widest block of whole panels for which fits(width) is true; 0 where there is none.
template <typename Fits> std::int64_t widest_block(std::int64_t columns, std::int64_t panel, const Fits &fits)
{
    std::int64_t least = 0, most = (columns + panel - 1) / panel; // in panels
    while (least < most) {
        const auto middle = (least + most + 1) / 2;
        if (fits(middle * panel))
            least = middle;
        else
            most = middle - 1;
    }
    return least * panel;
}

// Shares of the free memory to try, should the device have less than it tells.
constexpr double memory_shares[] = {1.0, 0.8, 0.64, 0.5};

// What a method is asked for.
struct LeftLookingTask {
    LeftLookingProblem problem;
    double flops = 0;
};

// The shape of least time, or with panels of the width that was asked for; null where too little fits.
template <typename Fits>
std::optional<LeftLookingShape> shape_for(Products &products, const LeftLookingProblem &problem, CardWork &work,
                                          const Fits &fits)
{
    const auto shape_of = [&](std::int64_t panel) {
        LeftLookingShape shape{.rows = problem.rows, .columns = problem.columns, .panel = panel, .last_panel = panel};
        shape.resident = widest_block(shape.columns, panel, [&](std::int64_t width) {
            shape.resident = width;
            return fits(shape);
        });
        return shape;
    };
    if (const auto width = products.wanted_width()) {
        const auto shape = shape_of(*width);
        const bool does =
            shape.panel < std::min(shape.rows, shape.columns) && shape.resident * most_blocks >= shape.columns;
        return does ? std::optional(shape) : std::nullopt;
    }
    auto &card = work.flow().card();
    const LeftLookingModel model{.problem = problem,
                                 .card = model_of(card, work.kernel(), 1, FlowOptions::from(products.options())),
                                 .host = measured_host_panels(card, problem.method, problem.type),
                                 .competes_with_host = competes_with_host(card),
                                 .cores = static_cast<std::int64_t>(usable_cores().size())};
    return best_widths(model, shape_of);
}

// Nothing either where there is no room to measure in: the recursion says what it needs.
template <typename Fits>
std::optional<LeftLookingShape> shape_or_none(Products &products, const LeftLookingProblem &problem, CardWork &work,
                                              const Fits &fits)
{
    try {
        return shape_for(products, problem, work, fits);
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw;
        return std::nullopt;
    }
}

template <typename Method, typename... Results>
std::optional<std::int64_t> run_on_card(Products &products, const HostMatrix &a, const LeftLookingTask &task,
                                        const Results &...results)
{
    if (a.rows == 0 || a.columns == 0) return std::nullopt;
    auto &card = *products.only_card();
    const std::lock_guard lock(card.in_use());
    for (const auto share : memory_shares) {
        std::optional<Method> method; // its memory on the host stays until the card's commands are over
        CardWork work(card, a.type, a.row_major, products.control(), products.options(),
                      [&](double part) { return products.fraction_after(part, task.flops); });
        const auto bytes = static_cast<std::int64_t>(share * static_cast<double>(card.memory_limit() - card.used()));
        const auto shape = shape_or_none(products, task.problem, work, [&](const LeftLookingShape &one) {
            return work.bytes_of_block(one.rows, one.resident) <= card.info().largest_buffer_bytes &&
                   Method::fits(work, one, bytes - work.hidden_bytes(one.rows, one.resident, one.panel));
        });
        if (!shape) return std::nullopt;
        try {
            method.emplace(work, *shape, a, results...);
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory) throw;
            continue;
        }
        const auto info = method->run();
        work.flow().finish();
        products.add(work.flow().record(), {*shape, method->panel_seconds(), task.flops,
                                            least_bytes(task.problem, *shape, card.memory_limit())});
        return info;
    }
    return std::nullopt;
}

} // namespace hpart::on_card
