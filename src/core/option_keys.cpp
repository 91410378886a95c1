#include "core/option_keys.hpp"

#include <algorithm>

namespace hpart
{

namespace
{
constexpr double none = std::numeric_limits<double>::infinity();
constexpr double most_watts = 1e12; // more than mankind has
constexpr double int_largest = 9223372036854775807.0;
constexpr std::uint32_t solve = call_partition | call_front | call_schedule;
constexpr std::uint32_t measuring = call_measure | call_profile;
constexpr std::uint32_t with_energy = measuring | call_additivity;
constexpr std::uint32_t repeating = with_energy | call_compare | call_optimize;
constexpr std::uint32_t products = call_device | call_gemm | call_gemv | call_factor;
constexpr std::uint32_t operations = products | call_fft;
} // namespace

const std::vector<OptionKey> &option_keys()
{
    using enum OptionType;
    static const std::vector<OptionKey> keys = {
        {"method", text, "exact", solve, 0, 0, "", "the algorithm; each call names its own"},
        {"threads", integer, "none", call_partition | call_device | call_fft, 0, 65536, "",
         "method paraleph (1 when it is not set) and the host's part of a transform (all cores); 0: all cores"},
        {"time_limit", real, "none", solve, 0, none, "", "seconds; then HPART_ERR_LIMIT"},
        {"memory_limit", integer, "none", solve | operations | call_builtin, 1, int_largest, "",
         "searches: bytes of working memory, 1 GiB when it is not set; then HPART_ERR_LIMIT. Devices: bytes on each "
         "card, the "
         "card's own memory when it is not set"},
        {"ties", text, "deterministic", call_partition | call_schedule, 0, 0, "deterministic|fewest",
         "among equal optima: the same on every machine, or one with fewest active processors"},
        {"objective_bound", text, "estimate", solve, 0, 0, "estimate|high|low",
         "values solved over: the functions' own, or the upper or lower ends of their intervals"},
        {"compare", text, "none", call_partition | call_schedule, 0, 0, "none|exact",
         "exact: the report also gives the optimum and how far the method's value is above it"},
        {"degree", integer, "2", call_partition, 1, 20, "",
         "method smooth-fpm: degree of the polynomials fitted to the speeds"},
        {"speed_size", integer, "none", call_partition, 1, int_largest, "",
         "method cpm: the size whose speeds it takes; n / p when it is not set"},
        {"packages", text, "all", call_schedule, 0, 0, "all|rising",
         "package sizes used: all of a function, or those up to the one of the highest speed"},
        {"backtrack_limit", integer, "100", call_schedule, 0, int_largest, "",
         "method wdah: branches of the search to return from; 0: no limit"},
        {"deadline", real, "none", call_partition | call_front, 0, none, "",
         "seconds: least energy, or the front, among distributions that take no longer"},
        {"slowdown", real, "none", call_partition | call_front, 1, none, "",
         "the deadline as a multiple of the least time"},
        {"energy_budget", real, "none", call_partition | call_front, 0, none, "",
         "joules: least time, or the front, among distributions that need no more"},
        {"max_active", integer, "none", call_partition | call_front, 1, int_largest, "", "processors at work, at most"},
        {"block", integer, "1", call_partition | call_front | call_profile, 1, int_largest, "",
         "every size is a multiple of it; profile: those that adaptive adds"},
        {"idle", text, "allowed", call_partition | call_front, 0, 0, "allowed|forbidden",
         "whether processors may be left without work"},
        {"interpolate", text, "none", call_partition | call_front | call_slice, 0, 0, "none|linear|akima",
         "use sizes between the measured ones too, with values on lines or on Akima's curve; between slices on lines "
         "only"},
        {"max_moved", integer, "none", call_partition | call_front, 0, int_largest, "",
         "work above the previous distribution's, which must be given, at most"},
        {"points", integer, "none", call_front, 2, int_largest, "",
         "of the front, at most: well spread, with both ends"},
        {"eps", real, "none", call_front, 0, none, "",
         "keep points such that each of the front is within a factor 1 + eps of one, in time and in energy"},
        {"communication", text, "none", call_partition, 0, 0, "none|host|chain|chain-any|summa",
         "partition by time: what is added to the times, over the platform's links"},
        {"unit_bytes", real, "0", call_partition, 0, none, "",
         "with communication: bytes that a unit of size moves over its processor's host link"},
        {"matrix_order", integer, "0", call_partition, 0, int_largest, "",
         "communication=summa: rows of the square matrices; 0: as many as the size"},
        {"matrix_block", integer, "256", call_partition, 1, int_largest, "", "communication=summa: rows of a block"},
        {"statistic", text, "mean", measuring, 0, 0, "mean|median|minimum",
         "what a point's time is; see docs/measurement.md for the intervals"},
        {"contaminated", text, "repeated", measuring | call_optimize, 0, 0, "repeated|kept",
         "repetitions that the system disturbed: measured again, a third at most, or kept"},
        {"confidence", real, "0.95", repeating, 0.5, 0.999999, "", "of the interval of the mean"},
        {"precision", real, "0.025", measuring | call_compare | call_optimize, 1e-6, 1, "",
         "half-width of the interval over the mean, or the ratio, at which to stop; optimize: above the least time, "
         "0.05 when it is not set"},
        {"ttest", text, "two-sided", repeating, 0, 0, "two-sided|plain|one-sided",
         "interval: widened for repeated looks, plain two-sided, or the papers' one-sided quantile"},
        {"min_repetitions", integer, "10", repeating, 2, 1e9, "", "repetitions before the first look"},
        {"max_repetitions", integer, "100000", repeating, 2, 1e9, "",
         "repetitions at most: of a size; compare: of each distribution"},
        {"max_seconds", real, "120", with_energy | call_compare, 0, none, "",
         "seconds at most: for a size; compare: in all"},
        {"max_total_seconds", real, "300", call_profile | call_optimize, 0, none, "",
         "seconds for all sizes: each gets a share, and fewer repetitions"},
        {"warmup", integer, "1", repeating | call_execute, 0, 1e6, "",
         "runs before the first that counts; compare: before each"},
        {"simultaneous", integer, "1", call_profile, 0, 1, "", "1: all processors at once; 0: one after another"},
        {"overlap", text, "refused", repeating | call_execute, 0, 0, "refused|allowed",
         "whether processors that run at once may share cores"},
        {"order", text, "random", call_profile, 0, 0, "random|given", "in which sizes are measured"},
        {"file", text, "", call_profile | call_optimize, 0, 0, "",
         "platform file that grows point by point; an interrupted run goes on"},
        {"samples", text, "", measuring, 0, 0, "",
         "CSV file of all samples: written anew, or gone on with where `file` is"},
        {"adaptive", integer, "0", call_profile, 0, 1e6, "",
         "sizes in all, at most: beside the given ones, those between them where functions bend by more than "
         "precision"},
        {"resume_tolerance", real, "0.25", call_profile | call_optimize, 0, none, "",
         "kernels without a name: how far a time of `file` may be off when measured again"},
        {"jaggedness", real, "none", call_optimize, 1, none, "",
         "how many times as fast as its measured neighbours a size may be; learned when it is not set"},
        {"sizes", text, "auto", call_optimize, 0, 0, "auto|all", "all: every size is measured, and none assumed"},
        {"confirm", integer, "1", call_optimize, 0, 1, "",
         "1: the distribution is run against the usual ones, and the fastest is the answer"},
        {"check", integer, "0", call_execute, 0, 1, "", "1: compare the result with a reference"},
        {"dims", text, "", call_builtin, 0, 0, "", "fixed dimensions of a built-in kernel, \"n=512,k=512\""},
        {"time_from", text, "wall", call_program, 0, 0, "wall|stdout",
         "a program's time: its wall time, or the last number that it prints, in seconds"},
        {"time_pattern", text, "", call_program, 0, 0, "",
         "regular expression (ECMAScript) whose first group is the time that a program prints"},
        {"protocol", text, "none", call_program, 0, 0, "none|lines",
         "lines: the program stays alive, reads a size a line and answers a line of seconds"},
        {"timeout", real, "none", call_program, 1e-6, none, "", "seconds that a run of a program may take"},
        {"cores", text, "", call_program, 0, 0, "", "cores that a program may use, \"0-3,8\"; all when it is not set"},
        {"profile_file", text, "", operations | call_builtin, 0, 0, "",
         "where what is measured of a device (rates, links, best kernels) is kept for later processes"},
        {"plan", text, "model", products, 0, 0, "model|hclooc",
         "tiles of a product: those of least time by the model of the device, or the partitioner of HCLOOC"},
        {"tile", text, "", products, 0, 0, "MBxNBxKB", "tiles as asked for, whatever plan says; empty: the plan's"},
        {"queues", integer, "3", operations | call_pipeline, 1, 3, "1|3",
         "3: transfers in, kernels and transfers out side by side; 1: one after another"},
        {"staging", text, "auto", operations | call_pipeline, 0, 0, "auto|never|always",
         "whether transfers of memory that is not pinned go through pinned buffers"},
        {"zero_copy", text, "auto", operations, 0, 0, "auto|never|always",
         "use the host's memory in place where the device shares it; auto: unless a memory limit is set"},
        {"width", integer, "0", call_device | call_factor, 0, 1e6, "",
         "columns of a matrix that the host factors at once; 0: as many as the plan finds best"},
        {"in_card_rate", integer, "0", products, 0, 1, "",
         "1: the report also has in_card_gflops, the rate of the same kernels without transfers: they run once more"},
        {"place", text, "auto", call_device | call_gemv | call_fft, 0, 0, "auto|host|device",
         "where a matrix-vector product or a transform is computed; auto: a product on the host, where the matrix is, "
         "if it has a BLAS, a transform on the device if it can; device: an error if that cannot"},
        {"fft_plan", text, "model", call_device | call_fft, 0, 0, "model|host|in-card|slabs|hybrid",
         "how a transform is cut: the fastest way by the model of the device, or one by name"},
        {"kernel", text, "auto", operations, 0, 0, "",
         "the kernel on the card, by name; auto: the one that measures fastest"},
        {"interval", real, "none", call_meter, 1e-6, 1e6, "",
         "seconds between new values of the meter, when it does not tell or tells wrongly"},
        {"base_power", real, "none", call_meter | with_energy | call_optimize, 0, most_watts, "",
         "watts of the idle machine, for dynamic energy; hpart_meter_base_power measures it, and so do measure, "
         "profile "
         "and additivity when it is not known"},
        {"base_seconds", real, "none", with_energy | call_optimize, 1e-6, 1e6, "",
         "for how long they measure the base power; 2 s, or 20 of the meter's intervals, when it is not set"},
        {"energy_precision", real, "0.1", with_energy, 1e-6, 10, "",
         "half-width of the interval of the dynamic energy over its mean at which to stop"},
        {"energy", text, "alone", call_profile, 0, 0, "alone|simultaneous",
         "with meters: energy of each processor while the others are idle, or, where each has its own meter, of all at "
         "once"},
        {"additivity_bound", real, "10", call_additivity, 0, none, "",
         "per cent of mean difference above which the report warns"},
        {"tolerance", real, "0.05", call_adaptive, 1e-6, 1, "",
         "a distribution is good enough when it takes at most so much longer than the best, as a ratio"},
        {"change", real, "0.25", call_adaptive, 0.01, none, "",
         "a processor has another speed when it is twice in a row off by more than this ratio, and by more than noise"},
        {"move_cost", real, "0", call_adaptive, 0, none, "",
         "seconds that a unit of size costs when it changes its processor"},
        {"horizon", integer, "100", call_adaptive, 1, int_largest, "",
         "iterations in which a move must pay for what it costs"},
    };
    return keys;
}

const OptionKey *find_option_key(std::string_view name)
{
    const auto &keys = option_keys();
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const OptionKey &key) { return key.name == name; });
    return found == keys.end() ? nullptr : &*found;
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
    }
    return "unknown";
}

} // namespace hpart
