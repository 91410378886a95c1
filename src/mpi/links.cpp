// hpart_mpi_measure_links: Hockney's model of each pair of ranks, by ping-pong, one pair at a time. Bandwidths by rings, if asked for:
// every rank sends to the one so many ranks on and receives from the one so many ranks back, all at once.
// Source of both: Al-Hashimi and Basuhail (2021), section V.B.
#include "c_api/handles.hpp"
#include "core/option_keys.hpp"
#include "measurement/additivity.hpp"
#include "mpi/handles.hpp"
#include "mpi/platform.hpp"

#include <algorithm>
#include <cstdlib>
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

    LinkPart measure(int other, bool is_first)
    {
        LinkPart link;
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
            require_same_version();
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
