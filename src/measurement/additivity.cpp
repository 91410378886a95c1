// Source: Khaleghzadeh, Fahad, Shahid, Reddy Manumachu and Lastovetsky, "Bi-objective optimization of data-parallel applications
// on heterogeneous HPC platforms for performance and energy through workload distribution" (2021): the fine-grained energy
// decomposition with one meter and its check, the percentage difference of parallel to combined.

#include "measurement/additivity.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "host/thread_group.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

namespace hpart
{

namespace
{

// A sum of energies measured with one base power, so that its errors add up and the scatters add in squares.
struct SumOfEnergies {
    double joules = 0;
    double variance = 0; // of the scatters
    double seconds = 0;  // that base power was subtracted for

    void add(const EnergyEstimate &estimate)
    {
        joules += estimate.joules;
        variance += estimate.scatter * estimate.scatter;
        seconds += estimate.seconds;
    }
};

double error_of(double variance, double base_power_error, double seconds)
{
    return std::hypot(std::sqrt(variance), base_power_error * seconds);
}

class AdditivityRun
{
  public:
    AdditivityRun(const Team &team, const Platform *alone, const EnergySettings &settings,
                  std::span<const BasePower> bases, const Poll &poll)
        : team_(team), alone_(alone), settings_(settings), bases_(bases), poll_(poll)
    {
    }

    void add(std::size_t k, std::span<const std::int64_t> x, Additivity &out)
    {
        SumOfEnergies combined, parallel;
        if (alone_ != nullptr)
            combined.joules = alone_->evaluate(x).joules();
        else
            for (std::size_t i = 0; i < x.size(); ++i)
                if (x[i] > 0) combined.add(of_processor(i, x[i]));
        if (!(combined.joules > 0))
            fail(Status::numerical, "distribution[", k, "]: the processors alone take ", combined.joules,
                 " J of dynamic energy in all, with which nothing can be compared");
        parallel.add(measure_energy(team_, team_.slices(x), settings_, bases_, poll_).estimates.front());

        const double base_error = bases_.front().standard_error;
        out.parallel.push_back(parallel.joules);
        out.parallel_error.push_back(error_of(parallel.variance, base_error, parallel.seconds));
        out.combined.push_back(combined.joules);
        out.combined_error.push_back(error_of(combined.variance, base_error, combined.seconds));
        const double per_cent = 100 / combined.joules;
        out.differences.push_back((parallel.joules - combined.joules) * per_cent);
        out.difference_errors.push_back(per_cent * error_of(parallel.variance + combined.variance, base_error,
                                                            parallel.seconds - combined.seconds));
    }

  private:
    const EnergyEstimate &of_processor(std::size_t i, std::int64_t size)
    {
        const auto found = known_.find({i, size});
        if (found != known_.end()) return found->second;
        std::vector<Slice> slices(team_.count());
        slices[i] = {0, size};
        const auto measured = measure_energy(team_, std::move(slices), settings_, bases_, poll_);
        return known_.emplace(std::pair{i, size}, measured.estimates.front()).first->second;
    }

    const Team &team_;
    const Platform *alone_;
    const EnergySettings &settings_;
    std::span<const BasePower> bases_;
    const Poll &poll_;
    std::map<std::pair<std::size_t, std::int64_t>, EnergyEstimate> known_;
};

void check_distribution(const Team &team, const Platform *alone, std::size_t k, std::span<const std::int64_t> x)
{
    team.slices(x);
    if (std::all_of(x.begin(), x.end(), [](std::int64_t size) { return size == 0; }))
        fail_argument("distribution[", k, "] of x has no work; at least one of its sizes must be above 0");
    if (alone != nullptr && std::isnan(alone->evaluate(x).joules()))
        fail_argument("distribution[", k, "] of x has a size that has no energy in the platform");
}

} // namespace

Additivity additivity(const Team &team, const Platform *alone,
                      std::span<const std::span<const std::int64_t>> distributions, const EnergySettings &settings,
                      std::span<const BasePower> bases, const Poll &poll)
{
    // Told before anything is measured.
    for (std::size_t k = 0; k < distributions.size(); ++k) check_distribution(team, alone, k, distributions[k]);
    AdditivityRun comparison(team, alone, settings, bases, poll);
    Additivity out;
    for (std::size_t k = 0; k < distributions.size(); ++k) comparison.add(k, distributions[k], out);
    return out;
}

// A message: the sender says that its buffer is full, the receiver copies it into its own. That is one copy, as between ranks of MPI that
// share a machine.

namespace
{

// Turns of waiting before a thread sleeps; none if the one waited for may need this core.
constexpr int spins = 2000;

bool share_cores(const CoreList &a, const CoreList &b)
{
    return std::any_of(a.begin(), a.end(), [&](int core) { return std::binary_search(b.begin(), b.end(), core); });
}

// Threads of processors that exchange messages.
class Exchange
{
  public:
    Exchange(const std::vector<CoreList> &cores, bool has_own_cores)
        : barrier_(static_cast<std::uint32_t>(cores.size()), has_own_cores ? spins : 0), buffers_(cores.size()),
          seconds_(cores.size()), group_(cores)
    {
        group_.run([this](std::size_t member) { buffers_[member].assign(message_bytes.back(), 1); });
    }

    // The median time of a message between two threads: half of a round trip.
    double ping_pong(int bytes, int trips)
    {
        group_.run([&](std::size_t member) {
            for (int trip = -first_message_trips; trip < trips; ++trip) {
                const auto begin = Clock::now();
                barrier_.arrive_and_wait(); // the first one's buffer is full
                if (member == 1) copy(1, 0, bytes);
                barrier_.arrive_and_wait(); // the second one's is
                if (member == 1) continue;
                copy(0, 1, bytes);
                note(0, trip, seconds_since(begin) / 2);
            }
        });
        return take_median(0);
    }

    // All at once: thread i takes a message from thread i + stride. Returns each thread's median time.
    std::vector<double> around(std::size_t stride, int bytes)
    {
        std::vector<double> medians(buffers_.size());
        group_.run([&](std::size_t member) {
            std::vector<char> received(static_cast<std::size_t>(bytes));
            for (int trip = -first_message_trips; trip < message_trips; ++trip) {
                barrier_.arrive_and_wait();
                const auto begin = Clock::now();
                std::memcpy(received.data(), buffers_[(member + stride) % buffers_.size()].data(), received.size());
                note(member, trip, seconds_since(begin));
            }
            medians[member] = take_median(member);
        });
        return medians;
    }

  private:
    void copy(std::size_t to, std::size_t from, int bytes)
    {
        std::memcpy(buffers_[to].data(), buffers_[from].data(), static_cast<std::size_t>(bytes));
    }
    void note(std::size_t member, int trip, double seconds)
    {
        if (trip >= 0) seconds_[member].push_back(seconds);
    }
    double take_median(std::size_t member)
    {
        const double middle = median_of_trips(seconds_[member]);
        seconds_[member].clear();
        return middle;
    }

    Barrier barrier_;
    std::vector<std::vector<char>> buffers_;
    std::vector<std::vector<double>> seconds_; // of the trips, by thread
    ThreadGroup group_;
};

template <typename SecondsOf> double measured_bandwidth(const SecondsOf &seconds_of)
{
    MessageSeconds seconds{};
    for (std::size_t k = 0; k < seconds.size(); ++k) seconds[k] = seconds_of(message_bytes[k]);
    return bandwidth_of(seconds);
}

} // namespace

void measure_links(const Team &team, bool around_rings, Platform &platform, const Poll &poll)
{
    const auto p = team.count();
    std::vector<CoreList> cores;
    for (std::size_t i = 0; i < p; ++i) cores.push_back(team.member(i).cores);
    std::vector<std::vector<Link>> links(p, std::vector<Link>(p));
    const auto pairs = p * (p - 1) / 2;
    std::size_t done = 0;
    bool has_own_cores = true;
    for (std::size_t i = 0; i < p; ++i)
        for (std::size_t j = i + 1; j < p; ++j) {
            poll.check(static_cast<double>(done++) / static_cast<double>(pairs), "measuring links");
            const bool is_apart = !share_cores(cores[i], cores[j]);
            has_own_cores = has_own_cores && is_apart;
            Exchange pair({cores[i], cores[j]}, is_apart);
            auto &link = links[i][j];
            link.latency_seconds = pair.ping_pong(0, empty_message_trips);
            if (!around_rings)
                link.bytes_per_second =
                    measured_bandwidth([&](int bytes) { return pair.ping_pong(bytes, message_trips); });
            links[j][i] = link;
        }
    if (around_rings && p > 1) {
        Exchange ring(cores, has_own_cores && p <= usable_cores().size());
        for (std::size_t stride = 1; stride < p; ++stride) {
            poll.check(1, "measuring links");
            std::vector<MessageSeconds> seconds(p);
            for (std::size_t k = 0; k < message_bytes.size(); ++k) {
                const auto medians = ring.around(stride, message_bytes[k]);
                for (std::size_t i = 0; i < p; ++i) seconds[i][k] = medians[i];
            }
            for (std::size_t i = 0; i < p; ++i) links[(i + stride) % p][i].bytes_per_second = bandwidth_of(seconds[i]);
        }
    }
    for (std::size_t i = 0; i < p; ++i)
        for (std::size_t j = 0; j < p; ++j) {
            if (i == j) continue;
            const auto from = static_cast<std::int64_t>(i), to = static_cast<std::int64_t>(j);
            links[i][j].joules_per_byte = platform.link(from, to).joules_per_byte;
            platform.set_link(from, to, links[i][j]);
        }
}

} // namespace hpart
