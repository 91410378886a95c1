// Simulated runs of the certified optimum: is the certificate true, how far is the distribution from the optimum, and what did the
// measurements cost against those of a full profile to 2.5 % by the same statistic? docs/optimum.md has the table.
// usage: bench_optimum [RUNS [ROW]]
#include "core/error.hpp"
#include "optimum/certified_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>

namespace
{

using hpart::optimum::CertifiedSearch;
using Random = std::mt19937_64;

double uniform(Random &random, double low, double high) { return std::uniform_real_distribution(low, high)(random); }

// The factor that disturbs a repetition; the models keep a state of their own.
struct Noise {
    std::string name;
    std::function<std::function<double(Random &)>()> make;
};

std::vector<Noise> noises()
{
    const auto normal = [](double deviation) {
        return [=] {
            return [=](Random &random) { return std::max(0.2, 1 + deviation * std::normal_distribution()(random)); };
        };
    };
    const auto spikes = [](double deviation, double share, double height) {
        return [=] {
            return [=](Random &random) {
                const double base = std::max(0.2, 1 + deviation * std::normal_distribution()(random));
                return uniform(random, 0, 1) < share ? base * (1 + height) : base;
            };
        };
    };
    return {{"normal 1 %", normal(0.01)},
            {"normal 5 %", normal(0.05)},
            {"normal 10 %", normal(0.10)},
            {"log-normal 5 %",
             [] { return [](Random &random) { return std::exp(0.05 * std::normal_distribution()(random)); }; }},
            {"spikes 5 %", spikes(0.02, 0.05, 0.5)},
            {"many spikes", spikes(0.05, 0.08, 0.8)},
            {"drift",
             [] {
                 return [phase = 0.0](Random &random) mutable {
                     phase += 0.003;
                     return (1 + 0.02 * std::sin(phase)) * (1 + 0.02 * std::normal_distribution()(random));
                 };
             }},
            {"neighbour", [] {
                 return [busy = false](Random &random) mutable {
                     if (uniform(random, 0, 1) < (busy ? 0.1 : 0.02)) busy = !busy;
                     return (busy ? 1.3 : 1) * (1 + 0.02 * std::normal_distribution()(random));
                 };
             }}};
}

struct Functions {
    std::vector<std::vector<std::int64_t>> sizes;
    std::vector<std::vector<double>> seconds; // or joules
    std::int64_t size = 0;
    hpart::Objective objective = hpart::Objective::time;

    // The duration or energy of a step: processors measure times at once, energies one after another.
    double spent(const std::vector<double> &busy) const
    {
        if (objective == hpart::Objective::time) return *std::max_element(busy.begin(), busy.end());
        return std::accumulate(busy.begin(), busy.end(), 0.0);
    }
};

Functions functions_of(const std::string &kind, std::size_t p, std::size_t m, Random &random)
{
    Functions out;
    std::vector<double> alike(m);
    for (auto &value : alike) value = uniform(random, 1, 2.2);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < p; ++i) {
        const double speed = kind == "alike" ? 1 : std::exp(uniform(random, 0, std::log(4.0)));
        const auto cliff = static_cast<std::size_t>(uniform(random, 0.3, 0.9) * static_cast<double>(m));
        out.sizes.emplace_back();
        out.seconds.emplace_back();
        double wave = uniform(random, 0, 6);
        for (std::size_t k = 0; k < m; ++k) {
            const auto x = static_cast<std::int64_t>(k + 1);
            double factor = 1;
            if (kind == "jagged") factor = uniform(random, 1, 2.2);
            if (kind == "alike") factor = alike[k];
            if (kind == "drops")
                factor = uniform(random, 0, 1) < 0.2 ? uniform(random, 1.4, 2.5) : uniform(random, 1, 1.15);
            if (kind == "cliff") factor = (k > cliff ? 2.5 : 1) * uniform(random, 1, 1.3);
            if (kind == "smooth") factor = 1 + 0.2 * std::sin(wave += 0.05) + uniform(random, 0, 0.05);
            out.sizes.back().push_back(x);
            out.seconds.back().push_back(static_cast<double>(x) / speed * factor * 1e-3);
        }
        sum += static_cast<std::int64_t>(m);
    }
    out.size = p == 1 ? static_cast<std::int64_t>(m * 3 / 4)
                      : static_cast<std::int64_t>(uniform(random, 0.25, 0.5) * static_cast<double>(sum));
    return out;
}

double cost_of(const Functions &functions, const std::vector<std::int64_t> &x)
{
    std::vector<double> costs;
    for (std::size_t i = 0; i < x.size(); ++i)
        costs.push_back(x[i] > 0 ? functions.seconds[i][static_cast<std::size_t>(x[i] - 1)] : 0);
    return functions.spent(costs);
}

double least_cost(const Functions &functions, std::vector<std::int64_t> *x = nullptr)
{
    hpart::Platform platform(static_cast<std::int64_t>(functions.sizes.size()));
    for (std::size_t i = 0; i < functions.sizes.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        platform.set_time_function(at, functions.sizes[i], functions.seconds[i]);
        platform.set_energy_function(at, functions.sizes[i], functions.seconds[i]);
    }
    hpart::PartitionRequest request;
    request.objective = functions.objective;
    request.size = functions.size;
    hpart::Control control;
    auto found = hpart::partition(platform, request, control);
    if (x != nullptr) *x = found.x;
    return functions.objective == hpart::Objective::time ? found.seconds : found.joules;
}

struct Outcome {
    double regret = 0, cost = 0, full_cost = 0, full_regret = 0;
    bool certified = false, within = false, holds = false;
    std::size_t rounds = 0;
    double measured = 0;
};

// Every size of every processor until its interval is within 2.5 %, all processors at once.
void full_profile(const Functions &functions, const Noise &noise, Random &random, Outcome &out)
{
    const auto p = functions.sizes.size();
    std::vector<std::function<double(Random &)>> disturb;
    for (std::size_t i = 0; i < p; ++i) disturb.push_back(noise.make());
    Functions found = functions;
    std::vector<hpart::optimum::FunctionEstimate> estimates;
    for (std::size_t i = 0; i < p; ++i) estimates.emplace_back(functions.sizes[i], 1.96);
    std::vector<std::size_t> order(functions.sizes[0].size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::shuffle(order.begin(), order.end(), random);
    for (const auto k : order) {
        std::vector<double> busy;
        for (std::size_t i = 0; i < p; ++i) {
            std::vector<double> batch;
            double spent = 0;
            for (;;) {
                const double value = functions.seconds[i][k] * disturb[i](random);
                spent += value;
                batch.push_back(value);
                if (batch.size() < 3) continue;
                // As the interval of one batch will be, by the deviation of those before.
                const double deviation = estimates[i].deviation();
                const double half_width = 1.96 * (batch.size() <= 4 ? 1.35 : 1.253) * deviation /
                                          std::sqrt(static_cast<double>(batch.size()));
                if ((deviation > 0 && half_width <= 0.025) || batch.size() >= 2000 ||
                    (deviation == 0 && batch.size() >= 10))
                    break;
            }
            estimates[i].add(k, batch);
            found.seconds[i][k] = estimates[i].interval(k).value;
            busy.push_back(spent);
        }
        out.full_cost += functions.spent(busy);
    }
    std::vector<std::int64_t> x;
    least_cost(found, &x);
    out.full_regret = cost_of(functions, x) / least_cost(functions) - 1;
}

Outcome run(const Functions &functions, const Noise &noise, Random &random)
{
    Outcome out;
    const auto p = functions.sizes.size();
    hpart::optimum::SearchRules rules;
    rules.size = functions.size;
    rules.objective = functions.objective;
    CertifiedSearch search(functions.sizes, rules);
    std::vector<std::function<double(Random &)>> disturb;
    for (std::size_t i = 0; i < p; ++i) disturb.push_back(noise.make());
    const double limit = 1e4 * least_cost(functions);
    for (;;) {
        const auto requests = search.next();
        if (requests.empty()) break;
        ++out.rounds;
        std::vector<std::vector<double>> busy; // in each step, by processor
        std::vector<std::size_t> steps(p, 0);
        for (const auto &[i, k, repetitions] : requests) {
            std::vector<double> batch;
            for (std::int64_t r = 0; r < repetitions; ++r)
                batch.push_back(functions.seconds[i][k] * disturb[i](random));
            if (steps[i] == busy.size()) busy.emplace_back(p, 0.0);
            busy[steps[i]++][i] = std::accumulate(batch.begin(), batch.end(), 0.0);
            search.function(i).add(k, batch);
        }
        for (const auto &of_step : busy) out.cost += functions.spent(of_step);
        if (out.cost > limit) break;
    }
    const auto certificate = search.certificate();
    const double least = least_cost(functions),
                 taken = certificate.x.empty() ? INFINITY : cost_of(functions, certificate.x);
    out.regret = taken / least - 1;
    out.certified = certificate.certified;
    out.within = taken <= (1 + rules.precision) * least;
    out.holds = certificate.lower <= least && taken <= certificate.upper;
    for (std::size_t i = 0; i < p; ++i)
        out.measured += static_cast<double>(search.function(i).measured()) /
                        static_cast<double>(search.function(i).count()) / static_cast<double>(p);
    return out;
}

struct Row {
    std::string functions;
    std::size_t p, m;
    hpart::Objective objective = hpart::Objective::time;
};

} // namespace

int main(int argc, char **argv)
{
    const int runs = argc > 1 ? std::atoi(argv[1]) : 200;
    const std::string only = argc > 2 ? argv[2] : "";
    const std::vector<Row> rows = {{"jagged", 2, 64},
                                   {"drops", 2, 64},
                                   {"cliff", 2, 64},
                                   {"alike", 2, 64},
                                   {"smooth", 2, 64},
                                   {"jagged", 3, 256},
                                   {"drops", 3, 256},
                                   {"cliff", 8, 128},
                                   {"jagged", 8, 128},
                                   {"jagged", 24, 128},
                                   {"drops", 24, 700},
                                   {"jagged", 2, 64, hpart::Objective::energy},
                                   {"cliff", 8, 128, hpart::Objective::energy}};
    std::printf("| functions | p, m | noise | certified | within 5 %% | bounds hold | regret mean, largest | full "
                "profile's regret | full/cost | rounds | measured |\n");
    for (const auto &row : rows)
        for (const auto &noise : noises()) {
            const bool is_energy = row.objective == hpart::Objective::energy;
            const auto name = row.functions + (is_energy ? " energy " : " ") + std::to_string(row.p) + " " + noise.name;
            if (!only.empty() && name.find(only) == std::string::npos) continue;
            const int count = row.p > 8 ? std::max(1, runs / 10) : runs;
            int certified = 0, within = 0, holds = 0;
            double sum = 0, largest = 0, cost = 0, full = 0, rounds = 0, measured = 0, full_regret = 0;
            for (int r = 0; r < count; ++r) {
                std::seed_seq seed{r, static_cast<int>(row.p)};
                Random random(seed);
                auto functions = functions_of(row.functions, row.p, row.m, random);
                functions.objective = row.objective;
                auto out = run(functions, noise, random);
                full_profile(functions, noise, random, out);
                certified += out.certified;
                within += out.within || !out.certified;
                holds += out.holds;
                sum += out.regret;
                largest = std::max(largest, out.regret);
                cost += out.cost;
                full += out.full_cost;
                full_regret += out.full_regret;
                rounds += static_cast<double>(out.rounds);
                measured += out.measured;
            }
            const auto percent = [&](int k) { return 100.0 * k / count; };
            std::printf("| %s%s | %zu, %zu | %s | %.1f | %.1f | %.1f | %.4f, %.3f | %.4f | %.1f | %.1f | %.2f |\n",
                        row.functions.c_str(), is_energy ? " energies" : "", row.p, row.m, noise.name.c_str(),
                        percent(certified), percent(within), percent(holds), sum / count, largest, full_regret / count,
                        full / cost, rounds / count, measured / count);
            std::fflush(stdout);
        }
}
