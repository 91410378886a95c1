// hpart_mpi_redistribution_compute: which rows go from which rank to which, as MPI_Alltoallv takes them.
// In order: the sums of rows over the ranks, before and after, say which rank has row k. The moves follow.
// Fewest: a rank keeps as many rows as it can. Ranks that lose rows and ranks that gain rows are in rank order. So the leaving and
// the arriving units are two cuts of one interval. No plan moves less: a rank that gains k rows must receive k.
#include "c_api/handles.hpp"
#include "mpi/communicator.hpp"
#include "mpi/handles.hpp"

#include <algorithm>
#include <limits>

using namespace hpart;
using namespace hpart::mpi;

namespace
{

// Counts and displacements of one direction, one entry per rank.
struct Side {
    std::vector<int> counts, displacements;

    // The common parts of [begin, end) with consecutive intervals; the first row of [begin, end) is at `place` of the array.
    void cut(std::int64_t begin, std::int64_t end, const std::vector<std::int64_t> &lengths, std::int64_t place)
    {
        std::int64_t start = 0;
        for (const auto length : lengths) {
            const auto low = std::clamp(start, begin, end), high = std::clamp(start + length, begin, end);
            counts.push_back(static_cast<int>(high - low));
            displacements.push_back(static_cast<int>(place + low - begin));
            start += length;
        }
    }
};

std::int64_t sum_before(const std::vector<std::int64_t> &lengths, std::size_t rank)
{
    std::int64_t sum = 0;
    for (std::size_t r = 0; r < rank; ++r) sum += lengths[r];
    return sum;
}

void plan_in_order(const std::vector<std::int64_t> &before, const std::vector<std::int64_t> &after, std::size_t rank,
                   Side &sent, Side &received)
{
    const auto old_begin = sum_before(before, rank), new_begin = sum_before(after, rank);
    sent.cut(old_begin, old_begin + before[rank], after, 0);
    received.cut(new_begin, new_begin + after[rank], before, 0);
}

void plan_fewest(const std::vector<std::int64_t> &before, const std::vector<std::int64_t> &after, std::size_t rank,
                 Side &sent, Side &received)
{
    std::vector<std::int64_t> losses, gains;
    for (std::size_t r = 0; r < before.size(); ++r) {
        losses.push_back(std::max<std::int64_t>(before[r] - after[r], 0));
        gains.push_back(std::max<std::int64_t>(after[r] - before[r], 0));
    }
    const auto kept = std::min(before[rank], after[rank]);
    const auto lost = sum_before(losses, rank), gained = sum_before(gains, rank);
    sent.cut(lost, lost + losses[rank], gains, kept);
    received.cut(gained, gained + gains[rank], losses, kept);
    for (auto *side : {&sent, &received}) {
        side->counts[rank] = static_cast<int>(kept);
        side->displacements[rank] = 0;
    }
}

void check_rows(std::int64_t rows, const char *name)
{
    constexpr auto most = std::numeric_limits<int>::max();
    if (rows < 0) fail_argument(name, " is ", rows, "; it must not be negative");
    if (rows > most) fail_argument(name, " is ", rows, "; it must be at most ", most, ", as MPI counts in int");
}

std::int64_t total(const std::vector<std::int64_t> &rows) { return sum_before(rows, rows.size()); }

} // namespace

extern "C" {

hpart_status hpart_mpi_redistribution_compute(MPI_Comm comm, int32_t order, int64_t old_rows, int64_t new_rows,
                                              int *send_counts, int *send_displacements, int *receive_counts,
                                              int *receive_displacements)
{
    return c_api::guarded([&] {
        const Communicator all(comm);
        std::vector<std::int64_t> before, after;
        all.together([&] {
            require_same_version();
            if (order != HPART_MPI_IN_ORDER && order != HPART_MPI_FEWEST)
                fail_argument("order is ", order, "; it must be 0 (in order) or 1 (fewest)");
            check_rows(old_rows, "old_rows");
            check_rows(new_rows, "new_rows");
            c_api::require(send_counts, "send_counts");
            c_api::require(send_displacements, "send_displacements");
            c_api::require(receive_counts, "receive_counts");
            c_api::require(receive_displacements, "receive_displacements");
            before.resize(static_cast<std::size_t>(all.size()));
            after.resize(before.size());
        });
        all.require_equal("order", order);
        check(MPI_Allgather(&old_rows, 1, MPI_INT64_T, before.data(), 1, MPI_INT64_T, all.get()), "MPI_Allgather");
        check(MPI_Allgather(&new_rows, 1, MPI_INT64_T, after.data(), 1, MPI_INT64_T, all.get()), "MPI_Allgather");
        if (total(before) != total(after))
            fail_argument("old_rows sum to ", total(before), " over the ranks, new_rows to ", total(after),
                          "; the sums must be equal");
        Side sent, received;
        all.together([&] {
            const auto rank = static_cast<std::size_t>(all.rank());
            (order == HPART_MPI_FEWEST ? plan_fewest : plan_in_order)(before, after, rank, sent, received);
        });
        std::copy(sent.counts.begin(), sent.counts.end(), send_counts);
        std::copy(sent.displacements.begin(), sent.displacements.end(), send_displacements);
        std::copy(received.counts.begin(), received.counts.end(), receive_counts);
        std::copy(received.displacements.begin(), received.displacements.end(), receive_displacements);
    });
}

} // extern "C"
