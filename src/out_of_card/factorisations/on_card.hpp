// The operations on one card, by blocks that stay there while panels stream past. Each gives nothing where the recursion
// does better: with several cards, none of its own memory, or too little for blocks that are worth it.
#pragma once

#include "out_of_card/factorisations/card_work.hpp"
#include "out_of_card/factorisations/flops.hpp"
#include "out_of_card/factorisations/left_looking.hpp"
#include "out_of_card/factorisations/recursive.hpp"

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

// Blocks narrower than this part of the columns move more than the recursion does.
constexpr std::int64_t most_blocks = 12;
// Shares of the free memory to try, should the device have less than it tells.
constexpr double memory_shares[] = {1.0, 0.8, 0.64, 0.5};

template <typename Method, typename... Results>
std::optional<std::int64_t> run_on_card(Products &products, const HostMatrix &a, LeftLookingShape shape, double flops,
                                        const Results &...results)
{
    if (std::min(shape.rows, shape.columns) <= shape.panel) return std::nullopt;
    auto &card = *products.only_card();
    const std::lock_guard lock(card.in_use());
    for (const auto share : memory_shares) {
        std::optional<Method> method; // its memory on the host stays until the card's commands are over
        CardWork work(card, a.type, a.row_major, products.control(), products.options(),
                      [&](double part) { return products.fraction_after(part, flops); });
        const auto bytes = static_cast<std::int64_t>(share * static_cast<double>(card.memory_limit() - card.used()));
        shape.resident = widest_block(shape.columns, shape.panel, [&](std::int64_t width) {
            shape.resident = width;
            return work.bytes_of_block(shape.rows, width) <= card.info().largest_buffer_bytes &&
                   Method::fits(work, shape, bytes - work.hidden_bytes(shape.rows, width, shape.panel));
        });
        if (shape.resident * most_blocks < shape.columns) return std::nullopt;
        try {
            method.emplace(work, shape, a, results...);
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory) throw;
            continue;
        }
        const auto info = method->run();
        work.flow().finish();
        products.add(work.flow().record(), {shape.panel, shape.resident, method->panel_seconds(), flops});
        return info;
    }
    return std::nullopt;
}

} // namespace hpart::on_card
