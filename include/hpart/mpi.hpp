// hpart over the ranks of an MPI communicator. Not a part of hpart.hpp: link hpart_mpi too (pkg-config hpart-mpi). docs/reference/mpi.md
// SPDX-License-Identifier: BSD-3-Clause
//
// The functions have the names of hpart_mpi.h without their prefix. Every rank makes the same calls, and if one rank fails, each throws the
// same error. A rank without processors passes an empty platform, `hpart::platform()`, or a null team.
#ifndef HPART_MPI_HPP
#define HPART_MPI_HPP

#include "../hpart_mpi.h"
#include "team.hpp"

namespace hpart
{
inline namespace v0_1
{
namespace detail
{

// A rank without processors has no team.
template <class Call> hpart_status attempt(team *mine, Call &&call)
{
    return mine != nullptr ? mine->attempt(call) : call(nullptr);
}

} // namespace detail

namespace mpi
{

/// Order of the rows that move: hpart_mpi_redistribution_compute.
enum class row_order : int32_t { in_order = HPART_MPI_IN_ORDER, fewest = HPART_MPI_FEWEST };

/// Counts and displacements of rows, one entry per rank, as MPI_Alltoallv takes them.
struct moves {
    std::vector<int> send_counts, send_displacements, receive_counts, receive_displacements;
};

/// This rank's part of the optimum; its seconds and the report are those of the whole. measured: on rank 0, else empty.
struct part_of_optimum {
    std::vector<int64_t> x;
    double seconds;
    platform measured;
    hpart::report report;
};

/// Finds the best distribution of `size` over the processors of all ranks; x is this rank's part. Throws as hpart::partition does.
inline distribution partition(MPI_Comm comm, const platform &mine, objective goal, int64_t size, const options &settings = {})
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto n = static_cast<std::size_t>(mine ? mine.processors() : 0);
    const auto found = std::make_shared<distribution>(distribution{std::vector<int64_t>(n), nan, nan, {}});
    hpart_report *written = nullptr;
    const hpart_status status = detail::invoke(hpart_mpi_partition, comm, mine.native(), goal, size, settings, found->x.data(),
                                               &found->seconds, &found->joules, &written);
    found->report = report(adopt, written);
    if (status == HPART_ERR_LIMIT && written != nullptr) {
        const std::shared_ptr<const report> shared(found, &found->report);
        throw limit(hpart_last_error(), shared, shared->get<bool>("feasible") ? found : nullptr, nullptr);
    }
    detail::check(status);
    return std::move(*found);
}

/// Computes the Pareto front over the processors of all ranks; x of its points is this rank's part.
inline front compute_front(MPI_Comm comm, const platform &mine, int64_t size, energy_kind energy = energy_kind::dynamic,
                           const options &settings = {})
{
    return detail::make<front>(hpart_mpi_front_compute, comm, mine.native(), size, energy, settings);
}

/// Measures the links between ranks and sets them. all: on rank 0 the platform of all ranks; ignored elsewhere.
inline void measure_links(MPI_Comm comm, platform &all, const options &settings = {})
{
    detail::check(detail::invoke(hpart_mpi_measure_links, comm, settings, all.native()));
}

/// Computes which rows go from rank to rank when this rank's number of rows changes.
inline moves redistribution(MPI_Comm comm, row_order order, int64_t old_rows, int64_t new_rows)
{
    int ranks = 0;
    if (comm != MPI_COMM_NULL) MPI_Comm_size(comm, &ranks);
    const std::vector<int> none(static_cast<std::size_t>(ranks));
    moves found{none, none, none, none};
    detail::check(detail::invoke(hpart_mpi_redistribution_compute, comm, order, old_rows, new_rows, found.send_counts.data(),
                                 found.send_displacements.data(), found.receive_counts.data(), found.receive_displacements.data()));
    return found;
}

/// Measures the teams of all ranks. Returns on rank 0 the platform of all, elsewhere an empty one. limit: it has the points measured.
inline platform profile(MPI_Comm comm, team *mine, view<int64_t> sizes, const options &settings = {})
{
    hpart_platform *measured = nullptr;
    const hpart_status status = detail::attempt(mine, [&](hpart_team *own) {
        return detail::invoke(hpart_mpi_profile, comm, own, sizes.size(), sizes, settings, &measured);
    });
    platform result(adopt, measured);
    if (status == HPART_ERR_LIMIT && result)
        throw limit(hpart_last_error(), nullptr, nullptr, std::make_shared<platform>(std::move(result)));
    detail::check(status);
    return result;
}

/// Finds the distribution of `size` of least time over the teams of all ranks, with a certificate: docs/background/optimum.md.
inline part_of_optimum optimize(MPI_Comm comm, team *mine, int64_t size, view<int64_t> sizes, const options &settings = {})
{
    part_of_optimum result{std::vector<int64_t>(static_cast<std::size_t>(mine != nullptr ? mine->processors() : 0)), 0, {}, {}};
    detail::written<platform> measured;
    detail::written<report> written;
    const hpart_status status = detail::attempt(mine, [&](hpart_team *own) {
        return detail::invoke(hpart_mpi_optimize, comm, own, size, sizes.size(), sizes, settings, result.x.data(), &result.seconds,
                              &measured.raw, &written.raw);
    });
    result.measured = measured.take();
    result.report = written.take();
    detail::check(status);
    return result;
}

} // namespace mpi
} // namespace v0_1
} // namespace hpart

#endif
