#include "core/option_keys.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace hpart
{

namespace
{
constexpr double none = std::numeric_limits<double>::infinity();
constexpr double most_watts = 1e12; // more than mankind has
constexpr double int_largest = 9223372036854775807.0;
constexpr std::uint32_t solve = call_partition | call_front | call_schedule;
constexpr std::uint32_t costing = solve | call_evaluate;
constexpr std::uint32_t measuring = call_measure | call_profile;
constexpr std::uint32_t with_energy = measuring | call_additivity;
constexpr std::uint32_t queues = call_run_schedule | call_self_schedule;
constexpr std::uint32_t repeating = with_energy | call_compare | call_optimize | queues;
constexpr std::uint32_t program = call_program | call_application;
constexpr std::uint32_t products = call_device | call_gemm | call_gemv | call_factor;
constexpr std::uint32_t operations = products | call_fft;
} // namespace

const std::vector<OptionKey> &option_keys()
{
    using enum OptionType;
    static const std::vector<OptionKey> keys = {
        {"method", text, "exact", solve, 0, 0, "", "algorithm; each call lists its own"},
        {"threads", integer, "none", call_partition | call_device | call_fft, 0, 65536, "",
         "threads: paraleph (1 unless set), host part of an FFT (all unless set); 0: all"},
        {"time_limit", real, "none", solve, 0, none, "", "seconds until HPART_ERR_LIMIT", true},
        {"memory_limit",
         integer,
         "none",
         solve | operations | call_builtin,
         1,
         int_largest,
         "",
         "bytes on each device, whose operations take no other value",
         false,
         {{solve, "1Gi", "", "bytes of the search, then HPART_ERR_LIMIT"}}},
        {"ties", text, "deterministic", call_partition | call_schedule, 0, 0, "deterministic|fewest",
         "choice among equal optima: the same everywhere, or fewest active processors"},
        {"objective_bound", text, "estimate", solve, 0, 0, "estimate|high|low",
         "values to optimise: the functions' own, or an end of their intervals"},
        {"compare", text, "none", call_partition | call_schedule, 0, 0, "none|exact",
         "exact: reports the optimum and the method's excess over it"},
        {"degree", integer, "2", call_partition, 1, 20, "",
         "degree of the polynomials that method smooth-fpm fits to the speeds"},
        {"speed_size", integer, "none", call_partition, 1, int_largest, "",
         "size whose speeds method cpm uses; n / p unless set"},
        {"packages", text, "all", call_schedule, 0, 0, "all|rising",
         "package sizes: all of a function, or those up to the size of highest speed"},
        {"backtrack_limit", integer, "100", call_schedule, 0, int_largest, "",
         "largest number of branches that method wdah returns from; 0: no limit"},
        {"package", integer, "none", call_schedule | call_self_schedule, 1, int_largest, "",
         "size of method fixed (n / 8 p unless set); smallest package of the other dynamic ones (1)"},
        {"sigmoid_rate", real, "1", call_schedule | call_self_schedule, 1e-3, 1e3, "",
         "rate k of method sigmoid: larger packages, and fewer, if it is larger"},
        {"deadline", real, "none", call_partition | call_front, 0, none, "",
         "longest time in seconds, with fronts and objectives other than time", true},
        {"slowdown", real, "none", call_partition | call_front, 1, none, "",
         "deadline as a multiple of the least time"},
        {"energy_budget", real, "none", call_partition | call_front, 0, none, "",
         "largest energy in joules, with objective time and fronts"},
        {"max_active", integer, "none", call_partition | call_front, 1, int_largest, "",
         "largest number of active processors"},
        {"block", integer, "1", call_partition | call_front | call_profile, 1, int_largest, "",
         "divisor of every size; in profile of the sizes that option max_sizes adds"},
        {"idle_processors", text, "allowed", call_partition | call_front, 0, 0, "allowed|forbidden", "idle processors"},
        {"interpolate", text, "none", call_partition | call_front | call_slice, 0, 0, "none|linear|akima",
         "sizes between measured ones, on lines or on Akima's curve; slices: lines only"},
        {"max_moved", integer, "none", call_partition | call_front, 0, int_largest, "",
         "largest work moved from the previous distribution, which must be set"},
        {"max_points", integer, "none", call_front, 2, int_largest, "",
         "largest number of points of the front: well spread, with both ends"},
        {"eps", real, "none", call_front, 0, none, "",
         "thins the front: a kept point is within a factor 1 + eps of each, in both values"},
        {"communication",
         text,
         "none",
         costing,
         0,
         0,
         "none|host|chain|chain-any|summa",
         "communication cost; chain-any: objective time",
         false,
         {{call_front, "", "none|host|chain|summa", ""}, {call_schedule, "", "none|host", ""}}},
        {"unit_bytes", real, "0", costing, 0, none, "",
         "bytes that a unit of size moves over the host link, with communication"},
        {"matrix_order", integer, "0", costing & ~call_schedule, 0, int_largest, "",
         "rows of the square matrices with communication=summa; 0: the size"},
        {"matrix_block", integer, "256", costing & ~call_schedule, 1, int_largest, "",
         "rows of a block with communication=summa"},
        {"statistic",
         text,
         "mean",
         measuring | call_compare | call_optimize,
         0,
         0,
         "mean|median|minimum",
         "statistic of the samples that is a point's time",
         false,
         {{call_compare, "", "mean|median", ""}, {call_optimize, "median", "median", ""}}},
        {"contaminated", text, "repeated", measuring | call_optimize, 0, 0, "repeated|kept",
         "disturbed repetitions: repeated (at most a third), or kept"},
        {"confidence", real, "0.95", repeating, 0.5, 0.999999, "", "confidence level of the interval of the mean"},
        {"precision",
         real,
         "0.025",
         measuring | call_compare | call_optimize | queues,
         1e-6,
         1,
         "",
         "relative half-width at which to stop",
         false,
         {{call_optimize, "0.05", "", "excess over the least value"}}},
        {"ttest", text, "two-sided", repeating, 0, 0, "two-sided|plain|one-sided",
         "interval: widened for repeated looks, plain, or the papers' one-sided quantile"},
        {"min_repetitions",
         integer,
         "10",
         repeating,
         2,
         1e9,
         "",
         "repetitions before the first look at the interval",
         false,
         {{call_optimize, "", "", "repetitions of each in the comparison before the first look"}}},
        {"max_repetitions",
         integer,
         "100000",
         repeating,
         2,
         1e9,
         "",
         "largest number of repetitions of a size",
         false,
         {{call_compare, "", "", "largest number of repetitions of each distribution"}}},
        {"repetitions", text, "", measuring, 0, 0, "",
         "their limits by size, \"1-1000:50-500,1001-:3-10\"; min_, max_repetitions elsewhere"},
        {"max_seconds",
         real,
         "120",
         with_energy | call_compare | queues,
         0,
         none,
         "",
         "time limit of a size in seconds",
         true,
         {{call_compare, "", "", "time limit of the call in seconds"}}},
        {"max_total_seconds", real, "300", call_profile | call_optimize, 0, none, "",
         "time limit of all sizes in seconds; each gets a share", true},
        {"warmup",
         integer,
         "1",
         repeating | call_execute,
         0,
         1e6,
         "",
         "runs before the first that counts",
         false,
         {{call_compare, "", "", "runs of each before the first that counts"}}},
        {"simultaneous", integer, "1", call_profile | call_compare, 0, 1, "",
         "1: all processors at once; 0: one after another, in compare with the sum of their times"},
        {"overlap", text, "refused", repeating | call_execute, 0, 0, "refused|allowed",
         "cores shared by processors that run at once"},
        {"alike", text, "", call_mpi_profile, 0, 0, "", "name of a kind of node: ranks of one kind share the sizes"},
        {"order", text, "random", call_profile, 0, 0, "random|given", "order in which sizes are measured"},
        {"checkpoint_file", text, "", call_profile | call_optimize, 0, 0, "",
         "platform file, written point by point; a later call continues it"},
        {"samples_file", text, "", measuring, 0, 0, "",
         "CSV file of all samples; new, or continued with checkpoint_file"},
        {"remeasure", text, "none", call_profile, 0, 0, "none|imprecise",
         "imprecise: measures again the file's points whose precision was not reached"},
        {"max_sizes", integer, "0", call_profile, 0, 1e6, "",
         "largest number of sizes: adds some where functions bend by more than precision"},
        {"resume_tolerance", real, "none", call_profile | call_optimize, 0, none, "",
         "relative difference of a repeated point of the file; 0.25 or 0.05 unless set"},
        {"jaggedness", real, "none", call_optimize, 1, none, "",
         "largest speed-up of a size over a line through its neighbours; learned unless set"},
        {"sizes", text, "auto", call_optimize, 0, 0, "auto|all", "all: measures every size and assumes none"},
        {"confirm", integer, "1", call_optimize, 0, 1, "",
         "1: runs the distribution against the usual ones and returns the best"},
        {"shares", text, "", call_optimize, 0, 0, "", "shares of a distribution to compare with, as \"20:12:8\""},
        {"max_runs", integer, "none", call_optimize, 1, 1e9, "",
         "runs of an application of one time in the search; 15 a processor unless set"},
        {"check", integer, "0", call_execute | queues, 0, 1, "", "1: compares the result with a reference"},
        {"dims", text, "", call_builtin, 0, 0, "", "fixed dimensions of a built-in kernel, \"n=512,k=512\""},
        {"time_from", text, "wall", program, 0, 0, "wall|stdout|rate|cpu",
         "source of a program's time: wall time, printed time or rate, or its processor time"},
        {"time_pattern", text, "", program, 0, 0, "",
         "regular expression (ECMAScript) whose first group is the printed time"},
        {"time_unit", text, "s", program, 0, 0, "ns|us|ms|s|min|h", "unit of printed times that have none"},
        {"protocol", text, "none", program, 0, 0, "none|lines",
         "lines: the program keeps running; it reads one size per line and prints its seconds"},
        {"timeout", real, "none", program, 1e-6, none, "", "time limit of a program's run in seconds", true},
        {"cores", text, "", call_program, 0, 0, "", "cores that a program may use, \"0-3,8\"; all unless set"},
        {"plan", text, "model", products, 0, 0, "model|hclooc",
         "tiles of a product: by the model of the device, or by HCLOOC's partitioner"},
        {"tile", text, "", products, 0, 0, "MBxNBxKB", "tile sizes; empty: the plan's"},
        {"queues", integer, "3", operations | call_pipeline, 1, 3, "1|3",
         "3: overlaps transfers in, kernels and transfers out; 1: one after another"},
        {"staging", text, "auto", operations | call_pipeline, 0, 0, "auto|never|always",
         "transfer of unpinned memory through pinned buffers"},
        {"zero_copy", text, "auto", operations, 0, 0, "auto|never|always",
         "use of shared host memory in place; auto: unless memory_limit is set"},
        {"panel_width", integer, "0", call_device | call_factor, 0, 1e6, "",
         "columns of a panel that is factored at once; 0: the plan's choice"},
        {"in_card_rate", integer, "0", products, 0, 1, "",
         "1: gemm, out of card on one device, reports in_card_gflops: runs its kernels once more, without transfers"},
        {"dry_run", integer, "0", call_gemm | call_factor | call_gemv | call_fft, 0, 1, "",
         "1: plans and predicts, and computes nothing; the arrays may be NULL"},
        {"trace_file", text, "", call_gemm | call_factor | call_gemv | call_fft | call_pipeline, 0, 0, "",
         "new file, or an older trace, that gets the times of all commands, for Perfetto and hpart plot"},
        {"run_on", text, "auto", call_device | call_gemv | call_fft, 0, 0, "auto|host|device",
         "place of gemv and FFT; auto: gemv on the host, FFT on the device if possible"},
        {"fft_plan", text, "model", call_device | call_fft, 0, 0, "model|host|in-card|slabs",
         "plan of a transform: the fastest by the model of the device, or one by name"},
        {"kernel", text, "auto", operations, 0, 0, "",
         "kernel of each device; auto: yours or the usual; products: user, source:FILE, binary:FILE; "
         "FFT: fftw, vkfft, cufft"},
        {"interval", real, "none", call_meter, 1e-6, 1e6, "",
         "seconds between new values of the meter, if it reports none or a wrong one", true},
        {"lines", integer, "1", call_meter, 1, 1024, "",
         "lines that a program of command: prints at a time, one for each sensor: they are added up"},
        {"meter_scale", real, "1", call_meter, 1e-6, 1e6, "", "factor of the power that the meter reads"},
        {"meter_offset", real, "0", call_meter, -most_watts, most_watts, "",
         "watts added to the meter's power after meter_scale"},
        {"base_power", real, "none", call_meter | with_energy | call_optimize, 0, most_watts, "",
         "power of the idle machine in watts; unless set, the meter's or measured"},
        {"base_seconds", real, "none", with_energy | call_optimize, 1e-6, 1e6, "",
         "seconds for measuring the base power; 2, or 20 of the meter's intervals, unless set", true},
        {"energy_precision", real, "0.1", with_energy, 1e-6, 10, "",
         "relative half-width of the interval of the dynamic energy at which to stop"},
        {"energy", text, "alone", call_profile, 0, 0, "alone|simultaneous",
         "energy of each processor while the others are idle, or of all at once"},
        {"additivity_bound", real, "10", call_additivity, 0, none, "",
         "mean difference in per cent above which the report warns"},
        {"tolerance", real, "0.05", call_adaptive, 1e-6, 1, "",
         "relative excess over the best time that is good enough"},
        {"change_threshold", real, "0.25", call_adaptive, 0.01, none, "",
         "relative deviation, twice in a row, that counts as a change of speed"},
        {"move_cost", real, "0", call_adaptive, 0, none, "", "seconds for moving a unit of size to another processor",
         true},
        {"bandwidth", text, "ping-pong", call_links, 0, 0, "ping-pong|ring",
         "bandwidth of a link: one pair at a time, or all ranks at once around rings"},
        {"move_horizon", integer, "100", call_adaptive, 1, int_largest, "", "iterations within which a move must pay"},
    };
    return keys;
}

std::string_view OptionKey::default_in(std::uint32_t call) const
{
    for (const auto &own : differences)
        if ((own.calls & call) != 0 && !own.default_text.empty()) return own.default_text;
    return default_text;
}

OptionKey OptionKey::in(std::uint32_t call) const
{
    auto key = *this;
    if (!std::has_single_bit(call)) return key;
    key.differences.clear();
    key.default_text = default_in(call);
    const auto take = [](std::string_view &all, std::string_view own) {
        if (!own.empty()) all = own;
    };
    for (const auto &own : differences) {
        if ((own.calls & call) == 0) continue;
        take(key.choices, own.choices);
        take(key.meaning, own.meaning);
    }
    return key;
}

std::string OptionKey::whole_meaning() const
{
    std::string out(meaning);
    for (const auto &own : differences) {
        out.append("; ").append(call_names(own.calls));
        if (!own.default_text.empty()) out.append(" (").append(own.default_text).append(")");
        if (own.meaning.empty() && own.choices == own.default_text) continue;
        out.append(": ").append(own.meaning.empty() ? own.choices : own.meaning);
    }
    return out;
}

const OptionKey *find_option_key(std::string_view name)
{
    const auto &keys = option_keys();
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const OptionKey &key) { return key.name == name; });
    return found == keys.end() ? nullptr : &*found;
}

std::string option_names(std::uint32_t calls)
{
    std::string names;
    for (const auto &key : option_keys())
        if ((key.calls & calls) != 0) names.append(names.empty() ? "" : ", ").append(key.name);
    return names;
}

std::string call_names(std::uint32_t calls)
{
    std::string names;
    for (; calls != 0; calls &= calls - 1)
        names.append(names.empty() ? "" : ", ").append(call_name(static_cast<Call>(calls & -calls)));
    return names;
}

std::string_view call_name(Call call)
{
    switch (call) {
    case call_partition: return "partition";
    case call_front: return "front";
    case call_schedule: return "schedule";
    case call_measure: return "measure";
    case call_profile: return "profile";
    case call_execute: return "execute";
    case call_builtin: return "add_builtin";
    case call_program: return "add_program";
    case call_slice: return "slice";
    case call_device: return "device";
    case call_gemm: return "gemm";
    case call_gemv: return "gemv";
    case call_fft: return "fft";
    case call_factor: return "factor";
    case call_pipeline: return "pipeline";
    case call_meter: return "meter";
    case call_adaptive: return "adaptive";
    case call_additivity: return "additivity";
    case call_compare: return "compare";
    case call_optimize: return "optimize";
    case call_evaluate: return "evaluate";
    case call_links: return "links";
    case call_run_schedule: return "run_schedule";
    case call_self_schedule: return "self_schedule";
    case call_mpi_profile: return "mpi_profile";
    case call_application: return "set_application";
    }
    return "unknown";
}

} // namespace hpart
