// Simulated runs of the certified optimum: is the certificate true, how far is the distribution from the optimum, and what did the
// measurements cost against those of a full profile to 2.5 % by the same statistic? docs/background/simulations.md has the table.
// usage: bench_optimum [RUNS [ROW]]
#include "core/error.hpp"
#include "optimum/certified_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>

namespace
{

using hpart::FunctionKind;
using hpart::Objective;
using hpart::optimum::CertifiedFront;
using hpart::optimum::CertifiedSearch;
using hpart::optimum::FunctionEstimate;
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
    std::vector<std::vector<double>> seconds, joules;
    std::int64_t size = 0;
    Objective objective = Objective::time; // of a front: energy or total_energy
    bool is_front = false;
    double base_power = 0;

    bool has(FunctionKind kind) const
    {
        if (kind == FunctionKind::time) return objective != Objective::energy || is_front;
        return objective != Objective::time;
    }
    double value(FunctionKind kind, std::size_t i, std::size_t k) const
    {
        return kind == FunctionKind::time ? seconds[i][k] : joules[i][k];
    }
    // A measurement costs its seconds; where energies alone count, its joules.
    double cost(std::size_t i, std::size_t k) const { return has(FunctionKind::time) ? seconds[i][k] : joules[i][k]; }

    hpart::Platform platform() const
    {
        hpart::Platform out(static_cast<std::int64_t>(sizes.size()));
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i);
            out.set_time_function(at, sizes[i], seconds[i]);
            out.set_energy_function(at, sizes[i], joules[i]);
        }
        out.set_base_power(base_power);
        return out;
    }
};

// The duration of a step: processors measure times at once, energies one after another.
double spent(FunctionKind kind, const std::vector<double> &busy)
{
    if (kind == FunctionKind::time) return *std::max_element(busy.begin(), busy.end());
    return std::accumulate(busy.begin(), busy.end(), 0.0);
}

constexpr std::array kinds{FunctionKind::time, FunctionKind::energy};

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
        out.joules.emplace_back();
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

// Time, and the energy that counts, of a distribution.
hpart::FrontPoint point_of(const Functions &functions, const std::vector<std::int64_t> &x)
{
    hpart::FrontPoint point{0, 0, x};
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] == 0) continue;
        const auto k = static_cast<std::size_t>(x[i] - 1);
        point.seconds = std::max(point.seconds, functions.seconds[i][k]);
        point.joules += functions.joules[i][k];
    }
    if (functions.objective == Objective::total_energy) point.joules += functions.base_power * point.seconds;
    return point;
}

double cost_of(const Functions &functions, const std::vector<std::int64_t> &x)
{
    const auto point = point_of(functions, x);
    return functions.objective == Objective::time ? point.seconds : point.joules;
}

std::vector<std::int64_t> best_of(const Functions &functions)
{
    hpart::PartitionRequest request;
    request.objective = functions.objective;
    request.size = functions.size;
    hpart::Control control;
    return hpart::partition(functions.platform(), request, control).x;
}

double least_cost(const Functions &functions) { return cost_of(functions, best_of(functions)); }

std::vector<hpart::FrontPoint> front_of(const Functions &functions)
{
    const auto energy =
        functions.objective == Objective::total_energy ? hpart::FrontEnergy::total : hpart::FrontEnergy::dynamic;
    hpart::Control control;
    return hpart::compute_front(functions.platform(), {functions.size, energy}, control).points;
}

// The largest factor by which a point of the true front is better than the best of these distributions for it, less one.
double regret_of(const Functions &functions, const std::vector<hpart::FrontPoint> &found)
{
    std::vector<hpart::FrontPoint> taken;
    for (const auto &point : found) taken.push_back(point_of(functions, point.x));
    double worst = 1;
    for (const auto &point : front_of(functions)) {
        double best = INFINITY;
        for (const auto &other : taken)
            best = std::min(best, std::max(other.seconds / point.seconds, other.joules / point.joules));
        worst = std::max(worst, best);
    }
    return worst - 1;
}

struct Outcome {
    double regret = 0, cost = 0, full_cost = 0, full_regret = 0;
    bool certified = false, within = false;
};

using Disturb = std::vector<std::function<double(Random &)>>;

Disturb disturb_of(const Functions &functions, const Noise &noise)
{
    Disturb disturb;
    for (std::size_t i = 0; i < functions.sizes.size(); ++i) disturb.push_back(noise.make());
    return disturb;
}

// Every size of every processor until its interval is within 2.5 %, all processors at once.
void full_profile(const Functions &functions, const Noise &noise, Random &random, Outcome &out)
{
    const auto p = functions.sizes.size();
    Functions found = functions;
    std::vector<std::size_t> order(functions.sizes[0].size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    for (const auto kind : kinds) {
        if (!functions.has(kind)) continue;
        const auto disturb = disturb_of(functions, noise);
        std::vector<FunctionEstimate> estimates;
        for (std::size_t i = 0; i < p; ++i) estimates.emplace_back(functions.sizes[i], 1.96);
        std::shuffle(order.begin(), order.end(), random);
        for (const auto k : order) {
            std::vector<double> busy;
            for (std::size_t i = 0; i < p; ++i) {
                std::vector<double> batch;
                double used = 0;
                for (;;) {
                    const double factor = disturb[i](random);
                    used += functions.cost(i, k) * factor;
                    batch.push_back(functions.value(kind, i, k) * factor);
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
                (kind == FunctionKind::time ? found.seconds : found.joules)[i][k] = estimates[i].interval(k).value;
                busy.push_back(used);
            }
            out.full_cost += spent(kind, busy);
        }
    }
    out.full_regret = functions.is_front ? regret_of(functions, front_of(found))
                                         : cost_of(functions, best_of(found)) / least_cost(functions) - 1;
}

void measure(const Functions &functions, const Noise &noise, Random &random, hpart::optimum::Search &search,
             Outcome &out)
{
    const auto p = functions.sizes.size();
    search.set_base_power(functions.base_power, 0);
    const auto disturb = disturb_of(functions, noise);
    const double limit = 1e4 * (functions.is_front ? front_of(functions).back().seconds : least_cost(functions));
    for (;;) {
        const auto requests = search.next();
        if (requests.empty()) break;
        for (const auto kind : kinds) {
            std::vector<std::vector<double>> busy; // in each step, by processor
            std::vector<std::size_t> steps(p, 0);
            for (const auto &[i, k, repetitions, of] : requests) {
                if (of != kind) continue;
                std::vector<double> batch;
                double used = 0;
                for (std::int64_t r = 0; r < repetitions; ++r) {
                    const double factor = disturb[i](random);
                    used += functions.cost(i, k) * factor;
                    batch.push_back(functions.value(kind, i, k) * factor);
                }
                if (steps[i] == busy.size()) busy.emplace_back(p, 0.0);
                busy[steps[i]++][i] = used;
                search.function(i, kind).add(k, batch);
            }
            if (!functions.has(kind)) continue; // times beside energies serve the baselines only
            for (const auto &of_step : busy) out.cost += spent(kind, of_step);
        }
        if (out.cost > limit) break;
    }
}

Outcome run(const Functions &functions, const Noise &noise, Random &random)
{
    Outcome out;
    hpart::optimum::SearchRules rules;
    rules.size = functions.size;
    rules.objective = functions.objective;
    if (functions.is_front) {
        CertifiedFront search(functions.sizes, rules);
        measure(functions, noise, random, search, out);
        const auto &certificate = search.certificate();
        out.certified = certificate.certified;
        out.regret = regret_of(functions, certificate.upper);
        out.within = out.regret <= rules.precision;
        return out;
    }
    CertifiedSearch search(functions.sizes, rules);
    measure(functions, noise, random, search, out);
    const auto certificate = search.certificate();
    const double least = least_cost(functions),
                 taken = certificate.x.empty() ? INFINITY : cost_of(functions, certificate.x);
    out.regret = taken / least - 1;
    out.certified = certificate.certified;
    out.within = taken <= (1 + rules.precision) * least;
    return out;
}

struct Row {
    std::string functions;
    std::size_t p, m;
    Objective objective = Objective::time;
    bool is_front = false;
};

std::string name_of(const Row &row)
{
    const bool is_total = row.objective == Objective::total_energy;
    if (row.is_front) return row.functions + (is_total ? " front, total energies" : " front");
    return row.functions + (is_total ? " total energies" : row.objective == Objective::energy ? " energies" : "");
}

// Joules of their own: a power of each processor, and a jaggedness that is not that of its times. The base power takes about as much.
void add_energies(Functions &functions, Random &random)
{
    double watts = 0;
    for (std::size_t i = 0; i < functions.sizes.size(); ++i) {
        const double power = std::exp(uniform(random, 0, std::log(4.0)));
        watts += power;
        for (const double seconds : functions.seconds[i])
            functions.joules[i].push_back(functions.objective == Objective::energy && !functions.is_front
                                              ? seconds
                                              : power * seconds * uniform(random, 1, 1.5));
    }
    functions.base_power = watts;
}

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
                                   {"jagged", 2, 64, Objective::energy},
                                   {"cliff", 8, 128, Objective::energy},
                                   {"jagged", 2, 64, Objective::total_energy},
                                   {"cliff", 8, 128, Objective::total_energy},
                                   {"jagged", 1, 64, Objective::energy, true},
                                   {"jagged", 2, 64, Objective::energy, true},
                                   {"cliff", 3, 64, Objective::energy, true},
                                   {"smooth", 8, 64, Objective::energy, true},
                                   {"jagged", 2, 64, Objective::total_energy, true},
                                   {"cliff", 3, 64, Objective::total_energy, true}};
    std::printf("| functions | p, m | noise | runs | certified | true | regret: mean, largest | regret of a full "
                "profile | cost |\n"
                "|---|---|---|---|---|---|---|---|---|\n");
    for (const auto &row : rows)
        for (const auto &noise : noises()) {
            const auto name = name_of(row) + " " + std::to_string(row.p) + " " + noise.name;
            if (!only.empty() && name.find(only) == std::string::npos) continue;
            int certified = 0, within = 0;
            double sum = 0, largest = 0, cost = 0, full = 0, full_regret = 0;
            for (int r = 0; r < runs; ++r) {
                std::seed_seq seed{r, static_cast<int>(row.p)};
                Random random(seed);
                auto functions = functions_of(row.functions, row.p, row.m, random);
                functions.objective = row.objective;
                functions.is_front = row.is_front;
                std::seed_seq seed_of_energies{r, static_cast<int>(row.p), 1};
                Random random_energies(seed_of_energies);
                add_energies(functions, random_energies);
                auto out = run(functions, noise, random);
                full_profile(functions, noise, random, out);
                certified += out.certified;
                within += out.within && out.certified;
                sum += out.regret;
                largest = std::max(largest, out.regret);
                cost += out.cost;
                full += out.full_cost;
                full_regret += out.full_regret;
            }
            const auto percent = [](double part, double whole) { return whole > 0 ? 100 * part / whole : 0; };
            std::printf("| %s | %zu, %zu | %s | %d | %.1f %% | ", name_of(row).c_str(), row.p, row.m,
                        noise.name.c_str(), runs, percent(certified, runs));
            if (certified > 0)
                std::printf("%.1f %%", percent(within, certified));
            else
                std::printf("-");
            std::printf(" | %.1f %%, %.0f %% | %.1f %% | %.1f |\n", percent(sum, runs), 100 * largest,
                        percent(full_regret, runs), full / cost);
            std::fflush(stdout);
        }
}
