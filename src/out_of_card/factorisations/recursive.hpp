// The operations by recursion into halves: all but the blocks of host_width at its end are products, as large as the operation
// allows, so that the traffic is as low as with large products, whatever fits on the device.
#pragma once

#include "out_of_card/factorisations/blocking.hpp"
#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/factorisation_context.hpp"
#include "out_of_card/factorisations/left_looking.hpp"
#include "out_of_card/factorisations/on_host.hpp"

#include <optional>

namespace hpart::recursive
{

// As the functions of on_host.
void update_triangle(FactorisationContext &context, const SyrkShape &shape, Coefficient alpha, const HostMatrix &a,
                     Coefficient beta, const HostMatrix &c);
void solve_triangle(FactorisationContext &context, const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b);
// C = alpha A B + beta C, A symmetric or Hermitian.
void multiply_symmetric(FactorisationContext &context, const SymmShape &shape, Coefficient alpha, const HostMatrix &a,
                        const HostMatrix &b, Coefficient beta, const HostMatrix &c);
// C = alpha op(A) op(B) + beta C, of the lower triangle.
void multiply_to_triangle(FactorisationContext &context, Coefficient alpha, const Factor &a, const Factor &b,
                          Coefficient beta, const HostMatrix &c);
// B = op(A) B.
void multiply_triangle(FactorisationContext &context, const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b);
std::int64_t factor_lu(FactorisationContext &context, const HostMatrix &a, std::span<std::int64_t> pivots);
std::int64_t factor_cholesky(FactorisationContext &context, const HostMatrix &a);
// Any shape; LAPACK's tau.
void factor_qr(FactorisationContext &context, const HostMatrix &a, void *tau);
// B = Q^H B, or Q B, Q from the factors and tau of a QR factorisation.
void apply_q(FactorisationContext &context, bool conjugate, const HostMatrix &a, const void *tau, const HostMatrix &b);
// Operations of the caller's, not parts of others:
// the first columns of Q, as many as A has, from LAPACK's first `reflectors` columns of factors, which they replace.
void form_q(FactorisationContext &context, std::int64_t reflectors, const HostMatrix &a, const void *tau);

// A^-1 by its factors, which it replaces: L U; or L L^H, of the lower triangle.
void invert_by_lu(FactorisationContext &context, const HostMatrix &a, std::span<const std::int64_t> pivots);
void invert_by_cholesky(FactorisationContext &context, const HostMatrix &a);

} // namespace hpart::recursive

// The operations on one device, by blocks that stay there while panels stream past. Each gives nothing where the recursion
// does better: with several devices, none of its own memory, or too little for blocks that are worth it.

namespace hpart::on_device
{

// True: done.
bool update_triangle(FactorisationContext &context, const SyrkShape &shape, Coefficient alpha, const HostMatrix &a,
                     Coefficient beta, const HostMatrix &c);
bool solve_triangle(FactorisationContext &context, const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b);
// LAPACK's info.
std::optional<std::int64_t> factor_lu(FactorisationContext &context, const HostMatrix &a,
                                      std::span<std::int64_t> pivots);
std::optional<std::int64_t> factor_cholesky(FactorisationContext &context, const HostMatrix &a);
std::optional<std::int64_t> factor_qr(FactorisationContext &context, const HostMatrix &a, void *tau);
// If is_by_rows.
std::optional<std::int64_t> factor_cholesky_by_rows(FactorisationContext &context, const HostMatrix &a);

// Shares of the free memory to try, should the device have less than it tells.
constexpr double memory_shares[] = {1.0, 0.8, 0.64, 0.5};

// The method on `a`, with what else it takes.
template <typename Method, typename... Results>
std::optional<std::int64_t> run_on_device(FactorisationContext &context, const FactorisationStep &problem,
                                          const HostMatrix &a, const Results &...results)
{
    if (context.only_device() == nullptr) return std::nullopt;
    if (context.is_counting())
        return context.count_left_looking(problem) ? std::optional<std::int64_t>(0) : std::nullopt;
    auto &session = *context.only_device();
    const auto flops = flops_of(problem);
    const std::lock_guard lock(session.in_use());
    for (const auto share : memory_shares) {
        std::optional<Method> method; // its memory on the host stays until the device's commands are over
        DeviceWork work(session, a.type, a.row_major, context.control(), context.options(),
                        [&](double part) { return context.fraction_after(part, flops); });
        const auto best = best_shape(session, work.kernel(), problem, LeftLookingWish::from(context.options(), share));
        if (!best) return std::nullopt;
        try {
            method.emplace(work, best->shape, a, results...);
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory) throw;
            context.count_retry();
            continue;
        }
        context.results_change();
        const auto begin = Clock::now();
        const auto info = method->run();
        work.flow().finish();
        const auto seconds = seconds_since(begin);
        session.learn(best->seconds, seconds);
        if (const auto correction = correction_of_panels(session, problem, best->shape);
            is_factorisation(problem.method) && !work.is_simulated())
            correction->learn(best->seconds * correction->factor(), seconds);
        context.add(work.flow().record(),
                    {best->shape, method->panel_seconds(), flops,
                     least_bytes(problem, best->shape, session.memory_limit()), std::string(work.kernel()->name())});
        return info;
    }
    return std::nullopt;
}

} // namespace hpart::on_device
