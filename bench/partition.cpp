// Times of partitions and fronts through hpart.h, beside one plain pass over the values and the textbook dynamic program, in one run.
// Names: METHOD/PROBLEM/STATE. States: `warm`, the same call again; `cold`, after the caches were emptied; `first`, the first call on
// a new platform, which prepares what the later ones use; `changed`, the first call after another base power was set; `set`, the setters alone. bench/report makes the table.
//
// --write=DIR writes the smaller problems as platform files and ends: bench/milp solves them by other programs.
#include "profiles.hpp"
#include "textbook.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

namespace
{

using namespace bench;
using Clock = std::chrono::steady_clock;

constexpr int repetitions = 5;
constexpr int warm_seconds_hundredths = 5;

// The problem of the calls. Only the last one is kept, since platforms are large.
class Subject
{
  public:
    explicit Subject(const Problem &of)
        : problem(of), functions(functions_of(of)), x(static_cast<std::size_t>(of.processors))
    {
        constexpr std::int64_t too_many = 100'000'000; // values: the different functions will do
        const auto different = static_cast<std::int64_t>(functions.size());
        const auto all = problem.processors * problem.points < too_many ? problem.processors : different;
        for (std::int64_t i = 0; i < all; ++i) {
            const auto &seconds = functions[static_cast<std::size_t>(i % different)].seconds;
            times.insert(times.end(), seconds.begin(), seconds.end());
        }
    }

    const hpart_platform *platform()
    {
        if (!platform_) platform_.emplace(problem);
        return platform_->handle();
    }
    void forget_platform() { platform_.reset(); }
    void set_base_power(double watts) { platform_->set_base_power(watts); }

    Problem problem;
    std::vector<Function> functions;
    std::vector<double> times; // of all processors, one after another
    std::vector<std::int64_t> x;

  private:
    std::optional<Platform> platform_;
};

Subject &subject_of(const Problem &problem)
{
    static std::unique_ptr<Subject> last;
    if (!last || last->problem.name != problem.name) {
        last.reset();
        last = std::make_unique<Subject>(problem);
    }
    return *last;
}

// Reads and writes more than the caches hold.
void empty_caches()
{
    static std::vector<char> large = [] {
        const auto cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
        return std::vector<char>(static_cast<std::size_t>(std::max(cache, 32L << 20)) * 2);
    }();
    for (std::size_t k = 0; k < large.size(); k += 64) ++large[k];
    benchmark::ClobberMemory();
}

struct OptionsDeleter {
    void operator()(hpart_options *options) const { hpart_options_destroy(options); }
};
using Options = std::unique_ptr<hpart_options, OptionsDeleter>;

struct Call {
    std::string name;
    std::int32_t objective = HPART_OBJECTIVE_TIME;
    bool is_front = false;
    std::vector<std::pair<std::string, std::string>> options;
    bool has_previous = false;  // nearly equal parts
    bool is_infeasible = false; // the size is no sum

    Options make_options(const Problem &problem) const
    {
        hpart_options *handle = nullptr;
        check(hpart_options_create(&handle));
        for (const auto &[key, value] : options) check(hpart_options_set_string(handle, key.c_str(), value.c_str()));
        std::vector<std::int64_t> previous;
        for (std::int64_t i = 0; has_previous && i < problem.processors; ++i)
            previous.push_back(problem.size / problem.processors + i % 7 - 3);
        if (has_previous) check(hpart_options_set_previous(handle, problem.processors, previous.data()));
        return Options(handle);
    }

    // Points of a front, else 1.
    std::int64_t run(Subject &subject, const hpart_options *with) const
    {
        if (!is_front) {
            double value = 0;
            const auto status = hpart_partition(subject.platform(), objective, subject.problem.size, with,
                                                subject.x.data(), &value, nullptr, nullptr);
            if (is_infeasible && status == HPART_ERR_INFEASIBLE) return 1;
            check(status);
            return 1;
        }
        hpart_front *front = nullptr;
        check(hpart_front_compute(subject.platform(), subject.problem.size, HPART_ENERGY_DYNAMIC, with, &front));
        const auto points = hpart_front_count(front);
        hpart_front_destroy(front);
        return points;
    }
};

enum class State { warm, cold, first, changed };

// Times `what` alone, not what `before` does to the state of the machine.
template <typename Before, typename What> void time(benchmark::State &state, Before before, What what)
{
    for (auto _ : state) {
        before();
        const auto start = Clock::now();
        what();
        state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
    }
}

template <typename Body> void add(const std::string &name, bool once, Body body)
{
    auto *bench = benchmark::RegisterBenchmark(name.c_str(), body);
    bench->UseManualTime()->Unit(benchmark::kMillisecond)->Repetitions(repetitions)->ReportAggregatesOnly(true);
    if (once)
        bench->Iterations(1);
    else
        bench->MinTime(warm_seconds_hundredths / 100.0);
}

void add_call(const Call &call, const Problem &problem, State state_of_machine)
{
    static constexpr std::array states{"warm", "cold", "first", "changed"};
    const auto name = call.name + "/" + problem.name + "/" + states[static_cast<std::size_t>(state_of_machine)];
    add(name, state_of_machine != State::warm, [=](benchmark::State &state) {
        auto &subject = subject_of(problem);
        const auto options = call.make_options(problem);
        std::int64_t points = 0;
        const auto run = [&] { points = call.run(subject, options.get()); };
        if (state_of_machine != State::first) run(); // prepares
        time(
            state,
            [&] {
                if (state_of_machine == State::first) {
                    subject.forget_platform();
                    subject.platform();
                }
                if (state_of_machine == State::cold) empty_caches();
                if (state_of_machine == State::changed) subject.set_base_power(base_power + 1);
            },
            run);
        if (call.is_front) state.counters["points"] = static_cast<double>(points);
    });
}

void add_pass(const Problem &problem, bool cold)
{
    add("pass/" + problem.name + (cold ? "/cold" : "/warm"), cold, [=](benchmark::State &state) {
        auto &subject = subject_of(problem);
        time(
            state,
            [&] {
                if (cold) empty_caches();
            },
            [&] { benchmark::DoNotOptimize(streaming_sum(subject.times)); });
    });
}

void add_setters(const Problem &problem)
{
    add("set/" + problem.name + "/warm", true, [=](benchmark::State &state) {
        auto &subject = subject_of(problem);
        time(
            state, [&] { subject.forget_platform(); }, [&] { subject.platform(); });
    });
}

void add_textbook(const Problem &problem)
{
    const auto add_one = [&](const char *name, auto solve) {
        add(name + problem.name + "/warm", true, [=](benchmark::State &state) {
            auto &subject = subject_of(problem);
            time(
                state, [] {},
                [&] { benchmark::DoNotOptimize(solve(subject.functions, problem.processors, problem.size)); });
        });
    };
    add_one("textbook-time/", textbook_time);
    add_one("textbook-energy/", textbook_energy);
}

const Call time_call{"time", HPART_OBJECTIVE_TIME, false, {}};
const Call time_fewest{"time-fewest", HPART_OBJECTIVE_TIME, false, {{"ties", "fewest"}}};
const Call energy_call{"energy", HPART_OBJECTIVE_ENERGY, false, {}};
const Call energy_fewest{"energy-fewest", HPART_OBJECTIVE_ENERGY, false, {{"ties", "fewest"}}};
const Call total_call{"total-energy", HPART_OBJECTIVE_TOTAL_ENERGY, false, {}};
const Call front_call{"front", 0, true, {}};
const Call sum_time_call{"sum-time", HPART_OBJECTIVE_SUM_TIME, false, {}};
const Call energy_block{"energy-block", HPART_OBJECTIVE_ENERGY, false, {{"block", "8"}}};
// In seconds, above the least time of realistic:768:700.
const Call energy_deadline{"energy-deadline", HPART_OBJECTIVE_ENERGY, false, {{"deadline", "150"}}};

// Half to two thirds of the processors; about 1 % of the work; 15 % of energy above the least.
Call time_active(std::int64_t most)
{
    return {"time-active", HPART_OBJECTIVE_TIME, false, {{"max_active", std::to_string(most)}}};
}
const Call time_moved{"time-moved", HPART_OBJECTIVE_TIME, false, {{"max_moved", "200"}}, true};
const Call time_budget{"time-budget", HPART_OBJECTIVE_TIME, false, {{"energy_budget", "4e5"}}};
const Call infeasible_call{"infeasible", HPART_OBJECTIVE_TIME, false, {}, false, true};
const Call energy_slowdown{"energy-slowdown", HPART_OBJECTIVE_ENERGY, false, {{"slowdown", "1.2"}}};

Call named(const std::string &method, std::int32_t objective, bool is_front = false)
{
    return {method, objective, is_front, {{"method", method}}};
}

std::vector<Problem> realistic_problems()
{
    std::vector<Problem> problems;
    const auto realistic = [&](std::int64_t p, std::int64_t m, std::int64_t n) {
        problems.push_back({"realistic:" + std::to_string(p) + ":" + std::to_string(m), Kind::realistic, p, m, n});
    };
    realistic(3, 700, 1000);
    realistic(5, 450, 1100);
    realistic(24, 700, 8000);
    realistic(96, 700, 30000);
    realistic(768, 700, 250000);
    realistic(576, 1024, 73728);
    realistic(10000, 1000, 5000000);
    problems.push_back({"alike:576:1024", Kind::alike, 576, 1024, 73728});
    problems.push_back({"alike:1000000:1024", Kind::alike, 1000000, 1024, 128000000});
    problems.push_back({"alike-linear:1000000:1024", Kind::alike_linear, 1000000, 1024, 128000000});
    problems.push_back({"cluster:768:700", Kind::cluster, 768, 700, 250000});
    return problems;
}

std::vector<Problem> adversarial_problems()
{
    std::vector<Problem> problems;
    for (const auto kind : {Kind::uniform, Kind::gaps, Kind::wild, Kind::linear, Kind::parity, Kind::equal_times})
        for (const auto p : {24, 96, 768}) {
            const std::int64_t n = kind == Kind::wild ? p * 20000LL : kind == Kind::parity ? p * 320LL + 1 : p * 330LL;
            problems.push_back({name_of(kind) + ":" + std::to_string(p) + ":700", kind, p, 700, n});
        }
    return problems;
}

// Many equal or nearly equal sums of energies.
std::vector<Problem> equal_problems()
{
    std::vector<Problem> problems;
    for (const auto kind : {Kind::proportional, Kind::fixed_cost, Kind::constant, Kind::few_values})
        for (const auto p : {3, 24, 96})
            problems.push_back({name_of(kind) + ":" + std::to_string(p) + ":700", kind, p, 700, p * 330LL});
    return problems;
}

double textbook_steps(const Problem &problem)
{
    return static_cast<double>(problem.processors) * static_cast<double>(problem.points) *
           static_cast<double>(problem.size);
}

void add_problem(const Problem &problem)
{
    add_pass(problem, false);
    add_pass(problem, true);
    add_setters(problem);
    for (const auto &call : {time_call, energy_call})
        for (const auto state : {State::first, State::warm, State::cold}) add_call(call, problem, state);
    if (problem.processors <= 1000)
        for (const auto &call : {time_fewest, energy_fewest, total_call}) add_call(call, problem, State::warm);
    constexpr double few_steps = 1e10; // a second or so
    if (textbook_steps(problem) <= few_steps) add_textbook(problem);
}

void add_front(const Problem &problem)
{
    add_call(front_call, problem, State::warm);
    add_call(front_call, problem, State::cold);
}

void add_named(const Problem &problem)
{
    const auto p = problem.processors;
    const auto add_method = [&](const Call &call) { add_call(call, problem, State::warm); };
    for (const auto *method : {"equal", "cpm", "fpm", "smooth-fpm", "data-locality"})
        add_method(named(method, HPART_OBJECTIVE_TIME));
    add_method(named("hpopta", HPART_OBJECTIVE_TIME));
    if (p <= 24) {
        add_method(named("balanced", HPART_OBJECTIVE_TIME));
        add_method(named("heopta", HPART_OBJECTIVE_ENERGY));
    }
    if (p <= 5) add_method(named("hepopta", 0, true));
}

void add_alike(const Problem &problem)
{
    for (const auto *method : {"popta", "paraleph"})
        add_call(named(method, HPART_OBJECTIVE_TIME), problem, State::warm);
    for (const auto *method : {"eopta", "paraleph"}) {
        auto call = named(method, HPART_OBJECTIVE_ENERGY);
        call.name += "-energy";
        add_call(call, problem, State::warm);
    }
}

// Calls that bound or replace what the plain ones take.
void add_variants(const Problem &problem)
{
    for (const auto &call : {sum_time_call, energy_block, energy_deadline}) add_call(call, problem, State::warm);
    add_call(total_call, problem, State::changed);
}

void add_all()
{
    for (const auto &problem : realistic_problems()) {
        add_problem(problem);
        if (problem.kind == Kind::realistic && problem.points < 1000) add_front(problem);
        if (problem.name == "realistic:768:700") add_variants(problem);
        if (problem.name == "realistic:96:700" || problem.name == "realistic:768:700")
            add_call(time_active(problem.processors * 5 / 8), problem, State::warm);
        if (problem.name == "realistic:96:700")
            for (const auto &call : {time_budget, energy_slowdown}) add_call(call, problem, State::warm);
        if (problem.kind == Kind::realistic && problem.processors <= 96) add_named(problem);
        if (problem.kind == Kind::alike && problem.processors <= 1000) add_alike(problem);
    }
    for (const auto &problem : adversarial_problems()) add_problem(problem);
    for (const auto &problem : equal_problems()) {
        add_call(energy_call, problem, State::warm);
        add_call(energy_fewest, problem, State::warm);
        add_textbook(problem);
    }
    for (const auto &problem : {Problem{"one-size:16000:1", Kind::one_size, 16000, 1, 8000},
                                Problem{"one-size:65536:1", Kind::one_size, 65536, 1, 40000},
                                Problem{"convex-node:41820:100", Kind::convex_node, 41820, 100, 2000000}})
        for (const auto &call : {energy_call, total_call}) add_call(call, problem, State::warm);
    for (const std::int64_t p : {24, 768}) {
        Problem even{"even:" + std::to_string(p) + ":700", Kind::even, p, 700, p * 650};
        add_call(time_call, even, State::warm);
        ++even.size;
        even.name += ":odd";
        add_call(infeasible_call, even, State::warm);
    }
    const Problem moved{"realistic:96:350", Kind::realistic, 96, 350, 15840};
    add_call(time_moved, moved, State::warm);
    // Sizes of PARALEPH's published tables, m = 1024; its largest, (576, 128), is among the realistic ones.
    for (const std::int64_t p : {16, 144})
        for (const std::int64_t each : {8, 128}) {
            const Problem problem{"published:" + std::to_string(p) + "x" + std::to_string(each), Kind::alike, p, 1024,
                                  p * each};
            for (const auto &call : {time_call, energy_call}) add_call(call, problem, State::warm);
            add_alike(problem);
        }
    // Growth with p, m and n, one at a time, from (96, 700, 30 000).
    for (const std::int64_t p : {12, 24, 48, 96, 192, 384, 768, 1536}) {
        const Problem problem{"p:" + std::to_string(p), Kind::realistic, p, 700, p * 312};
        add_call(time_call, problem, State::warm);
        add_call(energy_call, problem, State::warm);
        add_pass(problem, false);
    }
    for (const std::int64_t m : {100, 200, 400, 800, 1600, 3200, 6400}) {
        const Problem problem{"m:" + std::to_string(m), Kind::realistic, 96, m, 96 * m * 4 / 9};
        add_call(time_call, problem, State::warm);
        add_call(energy_call, problem, State::warm);
        add_pass(problem, false);
    }
    for (const std::int64_t n : {1000, 3000, 10000, 20000, 30000, 40000, 50000, 60000}) {
        const Problem problem{"n:" + std::to_string(n), Kind::realistic, 96, 700, n};
        add_call(time_call, problem, State::warm);
        add_call(energy_call, problem, State::warm);
        add_pass(problem, false);
    }
}

void write_problems(const std::string &folder)
{
    for (const auto &problem : realistic_problems()) {
        if (problem.processors > 96) continue;
        const Platform platform(problem);
        const auto path = folder + "/" + std::to_string(problem.processors) + "-" + std::to_string(problem.points) +
                          "-" + std::to_string(problem.size) + ".csv";
        check(hpart_platform_write(platform.handle(), path.c_str()));
    }
}

} // namespace

int main(int argc, char **argv)
{
    constexpr const char *write = "--write=";
    if (argc == 2 && std::strncmp(argv[1], write, std::strlen(write)) == 0) {
        write_problems(argv[1] + std::strlen(write));
        return 0;
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    add_all();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
