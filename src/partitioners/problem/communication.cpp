// Costs by Hockney's model: a message of m bytes takes latency + m / bandwidth.
// - Own costs: over the host link, latency + (border bytes, pattern host alone, + unit_bytes x size) / bandwidth.
// - An exchange between a and b: both send the border at once, so that the slower direction counts; an accelerator's border passes its host
//   link too, as t_AccH of Al-Hashimi and Basuhail (2021), equation 4.
// - SUMMA: the term of Manumachu and Lastovetsky's PARALEPH (2018), V.C, for matrices of N x N doubles in blocks of b and q active
//   processors: (log2 q + 2 (sqrt q - 1)) latency N / b + 4 (1 - 1 / sqrt q) N^2 / sqrt q x 8 bytes / bandwidth, over the slowest links.
//   Equation 2c is printed without the 8, although it multiplies by the reciprocal of a bandwidth; the 8 is right for doubles.
// - Energies: joules a byte times the bytes over a link; an exchange moves the border both ways, over two host links each way.
// - Charge::seconds: the energies are the seconds of all processors, each exchange twice and SUMMA's term once for each active one.

#include "partitioners/problem/communication.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/search/choices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace hpart
{

namespace
{

constexpr double bytes_of_element = 8; // a double

Pattern pattern_of(const Options &options)
{
    const auto name = options.get_text("communication");
    if (name == "host") return Pattern::host;
    if (name == "chain") return Pattern::chain;
    if (name == "chain-any") return Pattern::any_chain;
    if (name == "summa") return Pattern::summa;
    return Pattern::none;
}

double message_seconds(const Link &link, double bytes) { return link.latency_seconds + bytes / link.bytes_per_second; }

double check_finite(double seconds)
{
    if (!std::isfinite(seconds))
        fail(Status::numerical, "a message takes ", seconds,
             " seconds by its link's latency and bandwidth; it must be finite");
    return seconds;
}

// As the sums of energies are bounded (calls/partition.cpp), and many times more.
double check_joules(double joules)
{
    constexpr double largest = 1e270;
    if (!(joules < largest))
        fail(Status::numerical, "the energy, or time, of messages is ", joules, "; it must be below ", largest);
    return joules;
}

} // namespace

double Communication::OwnCost::seconds(std::int64_t size) const { return message_seconds(link, bytes(size)); }

Communication::Communication(const Platform &platform, const Options &options, std::int64_t size, Charge charge)
    : pattern_(pattern_of(options)), charge_(charge), processors_(static_cast<std::size_t>(platform.count()))
{
    if (pattern_ == Pattern::none) return;
    if (pattern_ == Pattern::any_chain && processors_ > most_in_any_order)
        fail_argument("communication is 'chain-any' on ", processors_, " processors; orders of at most ",
                      most_in_any_order, " are compared: use 'chain', which takes them in the platform's order");
    set_own_costs(platform, options.get_double("unit_bytes"));
    if (pattern_ == Pattern::summa) {
        const auto order = options.get_int("matrix_order");
        set_collective(platform, static_cast<double>(order > 0 ? order : size),
                       static_cast<double>(options.get_int("matrix_block")));
    }
}

void Communication::set_own_costs(const Platform &platform, double unit_bytes)
{
    std::vector<OwnCost> own;
    bool any = false;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &link = platform.processor(i).host_link;
        const auto border = pattern_ == Pattern::host ? platform.border_bytes() : 0;
        const bool moves = pattern_ == Pattern::host || unit_bytes > 0;
        own.push_back({moves ? link : Link{}, border, unit_bytes});
        any = any || check_finite(own.back().seconds(0)) > 0 || check_finite(own.back().seconds(1)) > 0 ||
              check_joules(own.back().joules(1)) > 0;
    }
    if (any) own_ = std::move(own);
}

void Communication::prepare_exchanges(const Platform &platform, std::int64_t memory_bytes)
{
    if (pattern_ != Pattern::chain && pattern_ != Pattern::any_chain) return;
    const auto p = static_cast<std::int64_t>(processors_);
    if (p > memory_bytes / static_cast<std::int64_t>(2 * sizeof(double)) / p) fail_memory(memory_bytes);
    const auto bytes = platform.border_bytes();
    exchanges_.assign(processors_ * processors_, 0);
    exchange_energies_.assign(processors_ * processors_, 0);
    bool any = false;
    for (std::int64_t a = 0; a < p; ++a) {
        const auto hosted = message_seconds(platform.processor(a).host_link, bytes);
        for (std::int64_t b = 0; b < a; ++b) {
            const auto between =
                std::max(message_seconds(platform.link(a, b), bytes), message_seconds(platform.link(b, a), bytes));
            const auto seconds = between + (hosted + message_seconds(platform.processor(b).host_link, bytes));
            exchanges_[static_cast<std::size_t>(a * p + b)] = check_finite(seconds);
            exchanges_[static_cast<std::size_t>(b * p + a)] = seconds;
            const auto hosts =
                platform.processor(a).host_link.joules_per_byte + platform.processor(b).host_link.joules_per_byte;
            const auto both = platform.link(a, b).joules_per_byte + platform.link(b, a).joules_per_byte;
            const auto energy = check_joules(charge_ == Charge::seconds ? 2 * seconds : bytes * (both + 2 * hosts));
            exchange_energies_[static_cast<std::size_t>(a * p + b)] = energy;
            exchange_energies_[static_cast<std::size_t>(b * p + a)] = energy;
            any = any || energy > 0;
        }
    }
    if (!any) exchange_energies_.clear();
}

void Communication::set_collective(const Platform &platform, double order, double block)
{
    double latency = 0;
    double seconds_a_byte = 0;
    double joules_a_byte = 0;
    for (const auto &[ends, link] : platform.links()) {
        latency = std::max(latency, link.latency_seconds);
        seconds_a_byte = std::max(seconds_a_byte, 1 / link.bytes_per_second);
        joules_a_byte = std::max(joules_a_byte, link.joules_per_byte);
    }
    collective_.assign(processors_ + 1, 0);
    collective_energies_ = collective_;
    for (std::size_t active = 1; active <= processors_; ++active) {
        const auto q = static_cast<double>(active);
        const auto side = std::sqrt(q);
        const auto messages = (std::log2(q) + 2 * (side - 1)) * order / block;
        const auto elements = 4 * (1 - 1 / side) * order * order / side;
        collective_[active] = check_finite(messages * latency + elements * (bytes_of_element * seconds_a_byte));
        collective_energies_[active] = check_joules(
            charge_ == Charge::seconds ? collective_[active] : elements * (bytes_of_element * joules_a_byte));
    }
}

double Communication::most_seconds() const
{
    double exchange = 0;
    for (const auto seconds : exchanges_) exchange = std::max(exchange, seconds);
    double collective = 0;
    for (const auto seconds : collective_) collective = std::max(collective, seconds);
    return 2 * exchange + collective;
}

double Communication::own_energy(std::size_t i, std::int64_t size) const
{
    return charge_ == Charge::seconds ? own_[i].seconds(size) : own_[i].joules(size);
}

double Communication::with_own_energy(std::size_t i, std::int64_t size, double energy) const
{
    return own_.empty() || size == 0 ? energy : energy + check_joules(own_energy(i, size));
}

ExactSum Communication::collective_energy(std::size_t active) const
{
    ExactSum energy;
    if (!collective_energies_.empty()) energy.add(collective_energies_[active], static_cast<std::int64_t>(active));
    return energy;
}

ExactSum Communication::energy_of(const std::vector<std::size_t> &order) const
{
    auto energy = collective_energy(order.size());
    for (std::size_t k = 1; k < order.size(); ++k) energy.add(exchange_energy(order[k - 1], order[k]));
    return energy;
}

Instance Communication::with_own_costs(const Instance &instance) const
{
    const bool energies = instance.has_energies;
    InstanceBuilder builder(energies ? Needs::time_and_energy : Needs::time);
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        const auto &function = instance.of(i);
        builder.reserve(function.count());
        for (std::size_t k = 0; k < function.count(); ++k) {
            const auto size = function.sizes[k];
            const auto own = size == 0 ? 0 : own_[i].seconds(size);
            builder.add_point(size, check_finite(function.seconds[k] + own),
                              energies ? with_own_energy(i, size, function.joules[k]) : 0);
        }
        builder.end_processor();
    }
    return builder.take();
}

std::vector<std::size_t> Communication::order_of(const Instance &instance, const std::vector<std::int64_t> &x) const
{
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] > 0) active.push_back(i);
    if (pattern_ != Pattern::any_chain) return active;
    std::vector<double> seconds;
    seconds.reserve(active.size());
    for (const auto i : active) seconds.push_back(instance.seconds_of(i, x[i]));
    if (last_.active != active || last_.seconds != seconds) {
        last_ = {active, seconds, {}};
        for (const auto k :
             best_order(seconds, [&](std::size_t a, std::size_t b) { return exchange(active[a], active[b]); }))
            last_.order.push_back(active[k]);
    }
    return last_.order;
}

double Communication::seconds_of(const Instance &instance, const std::vector<std::int64_t> &x) const
{
    const auto order = order_of(instance, x);
    double longest = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const auto i = order[k];
        const auto before = k > 0 ? exchange(order[k - 1], i) : 0;
        const auto after = k + 1 < order.size() ? exchange(i, order[k + 1]) : 0;
        longest = std::max(longest, load(instance.seconds_of(i, x[i]), before, after));
    }
    return longest + collective(order.size());
}

// Problem: k processors with times t in a row, each spending exchange(a, b) with each neighbour: the order whose longest load is least.
// Dynamic program over (set S placed, last b, the one before it a): the least longest load of b and of all that come after it. Exact: what
// comes later depends on (S, a, b) alone and the maximum does not fall as a part rises.
// Time O(2^k k^3), memory O(2^k k^2). Source: Held and Karp's dynamic program for paths, with a maximum for the sum and one more neighbour.

namespace
{

class OrderSearch
{
  public:
    OrderSearch(const std::vector<double> &seconds, const std::function<double(std::size_t, std::size_t)> &exchange)
        : seconds_(seconds), k_(seconds.size())
    {
        for (std::size_t a = 0; a < k_; ++a)
            for (std::size_t b = 0; b < k_; ++b) exchange_.push_back(a == b ? 0 : exchange(a, b));
        rest_.resize((std::size_t{1} << k_) * k_ * (k_ + 1));
        for (auto set = (std::size_t{1} << k_) - 1; set > 0; --set)
            for (std::size_t b = 0; b < k_; ++b)
                for (std::size_t a = 0; a <= k_; ++a)
                    if (has(set, b) && a != b && (a == k_ || has(set, a))) rest_[state(set, a, b)] = least(set, a, b);
    }

    std::vector<std::size_t> run() const
    {
        std::size_t b = 0;
        for (std::size_t first = 1; first < k_; ++first)
            if (alone(first).longest < alone(b).longest) b = first;
        std::vector<std::size_t> order;
        for (std::size_t set = 0, a = k_; b < k_;) {
            order.push_back(b);
            set |= std::size_t{1} << b;
            const auto before = std::exchange(a, b);
            b = rest_[state(set, before, b)].next;
        }
        return order;
    }

  private:
    struct Rest {
        double longest;
        std::uint8_t next; // k: nobody
    };

    static bool has(std::size_t set, std::size_t b) { return (set >> b & 1U) != 0; }
    std::size_t state(std::size_t set, std::size_t a, std::size_t b) const { return (set * k_ + b) * (k_ + 1) + a; }
    const Rest &alone(std::size_t b) const { return rest_[state(std::size_t{1} << b, k_, b)]; }
    // Nobody is k.
    double between(std::size_t a, std::size_t b) const { return a == k_ || b == k_ ? 0 : exchange_[a * k_ + b]; }

    Rest least(std::size_t set, std::size_t a, std::size_t b) const
    {
        const auto nobody = static_cast<std::uint8_t>(k_);
        if (set + 1 == std::size_t{1} << k_) return {load(seconds_[b], between(a, b), 0), nobody};
        Rest best{infinity, nobody};
        for (std::size_t next = 0; next < k_; ++next) {
            if (has(set, next)) continue;
            const auto after = rest_[state(set | std::size_t{1} << next, b, next)].longest;
            const auto longest = std::max(load(seconds_[b], between(a, b), between(b, next)), after);
            if (longest < best.longest || best.next == k_) best = {longest, static_cast<std::uint8_t>(next)};
        }
        return best;
    }

    const std::vector<double> &seconds_;
    std::size_t k_;
    std::vector<double> exchange_;
    std::vector<Rest> rest_; // by state
};

} // namespace

std::vector<std::size_t> best_order(const std::vector<double> &seconds,
                                    const std::function<double(std::size_t, std::size_t)> &exchange)
{
    if (seconds.empty()) return {};
    return OrderSearch(seconds, exchange).run();
}

} // namespace hpart
