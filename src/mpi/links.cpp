// hpart_mpi_measure_links: Hockney's model of each pair of ranks, by ping-pong, one pair at a time. Bandwidths by rings, if asked for:
// every rank sends to the one so many ranks on and receives from the one so many ranks back, all at once.
// Source of both: Al-Hashimi and Basuhail (2021), section V.B.

#include "c_api/handles.hpp"
#include "core/option_keys.hpp"
#include "measurement/additivity.hpp"
#include "mpi/communicator.hpp"
#include "mpi/platform.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

using namespace hpart;
using namespace hpart::mpi;

namespace
{

constexpr int link_tag = 2;
// They have half a million pairs, which are measured one after another.
constexpr int most_ranks = 1024;

// This rank's side of the measurements. It takes its memory at once: a rank that failed later would leave the other waiting.
class Partner
{
  public:
    Partner(const Communicator &all, bool goes_round)
        : all_(all), buffer_(message_bytes.back()), received_(goes_round ? message_bytes.back() : 0)
    {
        halves_.reserve(first_message_trips + empty_message_trips);
    }

    // Bytes a second to the rank so many on, while all ranks send.
    double bandwidth_around(int stride)
    {
        const int to = (all_.rank() + stride) % all_.size();
        const int from = (all_.rank() + all_.size() - stride) % all_.size();
        MessageSeconds seconds{};
        for (std::size_t k = 0; k < seconds.size(); ++k) {
            halves_.clear();
            for (int trip = 0; trip < first_message_trips + message_trips; ++trip) {
                const double start = MPI_Wtime();
                check(MPI_Sendrecv(buffer_.data(), message_bytes[k], MPI_BYTE, to, link_tag, received_.data(),
                                   message_bytes[k], MPI_BYTE, from, link_tag, all_.get(), MPI_STATUS_IGNORE),
                      "MPI_Sendrecv");
                if (trip >= first_message_trips) halves_.push_back(MPI_Wtime() - start);
            }
            seconds[k] = median_of_trips(halves_);
        }
        return bandwidth_of(seconds);
    }

    Link measure(int other, bool is_first)
    {
        Link link;
        link.latency_seconds = message_seconds(other, is_first, 0, empty_message_trips);
        MessageSeconds seconds{};
        for (std::size_t k = 0; k < seconds.size(); ++k)
            seconds[k] = message_seconds(other, is_first, message_bytes[k], message_trips);
        link.bytes_per_second = bandwidth_of(seconds);
        return link;
    }

  private:
    // The median time of a message: half of a round trip.
    double message_seconds(int other, bool is_first, int bytes, int count)
    {
        halves_.clear();
        for (int k = 0; k < first_message_trips + count; ++k) {
            const double start = MPI_Wtime();
            for (const bool sends : {is_first, !is_first})
                if (sends)
                    check(MPI_Send(buffer_.data(), bytes, MPI_BYTE, other, link_tag, all_.get()), "MPI_Send");
                else
                    check(MPI_Recv(buffer_.data(), bytes, MPI_BYTE, other, link_tag, all_.get(), MPI_STATUS_IGNORE),
                          "MPI_Recv");
            if (k >= first_message_trips) halves_.push_back((MPI_Wtime() - start) / 2);
        }
        return median_of_trips(halves_);
    }

    const Communicator &all_;
    Bytes buffer_;
    Bytes received_;
    std::vector<double> halves_;
};

// The rank of each processor: one each, or as the names r/NAME say.
std::vector<int> ranks_of(const hpart_platform *platform, int ranks)
{
    std::vector<int> owners;
    const auto part = part_of(platform);
    if (ranks == 1) {
        owners.resize(part.processors.size());
        return owners;
    }
    for (const auto &processor : part.processors) {
        char *end = nullptr;
        const auto rank = std::strtol(processor.name.c_str(), &end, 10);
        const bool is_named = end != processor.name.c_str() && *end == '/' && rank >= 0 && rank < ranks;
        if (is_named) owners.push_back(static_cast<int>(rank));
    }
    if (owners.size() == part.processors.size()) return owners;
    if (part.processors.size() != static_cast<std::size_t>(ranks))
        fail_argument("the platform has ", part.processors.size(), " processors for ", ranks,
                      " ranks; their names must be \"r/NAME\", r the rank of each, as hpart_mpi_profile sets them");
    owners.clear();
    for (int r = 0; r < ranks; ++r) owners.push_back(r);
    return owners;
}

// Rank 0 gets the values of each rank, one row after another.
void gather_rows(const Communicator &ranks, const std::vector<double> &row, std::vector<double> &rows)
{
    const auto length = static_cast<int>(row.size());
    check(MPI_Gather(row.data(), length, MPI_DOUBLE, rows.data(), length, MPI_DOUBLE, 0, ranks.get()), "MPI_Gather");
}

} // namespace

extern "C" {

hpart_status hpart_mpi_measure_links(MPI_Comm comm, const hpart_options *options, hpart_platform *all)
{
    return c_api::guarded([&] {
        const Communicator ranks(comm);
        if (ranks.size() > most_ranks)
            fail(Status::unsupported, "the communicator has ", ranks.size(), " ranks; the links of at most ",
                 most_ranks, " are measured, pair by pair: give a communicator of one rank per node, or of some nodes");
        const auto count = static_cast<std::size_t>(ranks.size());
        std::vector<int> owners;
        std::vector<double> latencies, bandwidths;         // of this rank to each
        std::vector<double> all_latencies, all_bandwidths; // of pairs, on rank 0
        std::unique_ptr<Partner> partner;
        bool goes_round = false;
        ranks.together([&] {
            goes_round = c_api::options_for(options, call_links).get_text("bandwidth") == "ring";
            if (ranks.is_root()) c_api::require(all, "all");
            if (ranks.is_root()) owners = ranks_of(all, ranks.size());
            latencies.assign(count, 0);
            bandwidths = latencies;
            if (ranks.is_root()) all_latencies.assign(count * count, 0);
            all_bandwidths = all_latencies;
            partner = std::make_unique<Partner>(ranks, goes_round);
        });
        if (ranks.any(goes_round) && ranks.any(!goes_round))
            fail_option("bandwidth", " is 'ring' on some ranks only; it must be the same on all");
        for (int first = 0; first < ranks.size(); ++first)
            for (int second = first + 1; second < ranks.size(); ++second) {
                ranks.wait_for_all();
                const bool is_first = ranks.rank() == first;
                if (!is_first && ranks.rank() != second) continue;
                const auto link = partner->measure(is_first ? second : first, is_first);
                if (!is_first) continue;
                latencies[static_cast<std::size_t>(second)] = link.latency_seconds;
                bandwidths[static_cast<std::size_t>(second)] = link.bytes_per_second;
            }
        for (int stride = 1; goes_round && stride < ranks.size(); ++stride) {
            ranks.wait_for_all();
            const auto from = static_cast<std::size_t>(ranks.rank());
            bandwidths[(from + static_cast<std::size_t>(stride)) % count] = partner->bandwidth_around(stride);
        }
        gather_rows(ranks, latencies, all_latencies);
        gather_rows(ranks, bandwidths, all_bandwidths);
        ranks.on_root([&] {
            for (std::size_t i = 0; i < owners.size(); ++i)
                for (std::size_t j = 0; j < owners.size(); ++j) {
                    if (owners[i] == owners[j]) continue;
                    // The first rank of a pair has measured it, for both directions; in a ring each its own bandwidth.
                    const auto [first, second] = std::minmax(owners[i], owners[j]);
                    const auto of_pair = static_cast<std::size_t>(first) * count + static_cast<std::size_t>(second);
                    const auto own = static_cast<std::size_t>(owners[i]) * count + static_cast<std::size_t>(owners[j]);
                    check_status(hpart_platform_set_link(all, static_cast<std::int64_t>(i),
                                                         static_cast<std::int64_t>(j), all_latencies[of_pair],
                                                         all_bandwidths[goes_round ? own : of_pair]));
                }
        });
    });
}

} // extern "C"

// hpart_mpi_redistribution_compute: which rows go from which rank to which, as MPI_Alltoallv takes them.
// In order: the sums of rows over the ranks, before and after, say which rank has row k. The moves follow.
// Fewest: a rank keeps as many rows as it can. Ranks that lose rows and ranks that gain rows are in rank order. So the leaving and
// the arriving units are two cuts of one interval. No plan moves less: a rank that gains k rows must receive k.

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
