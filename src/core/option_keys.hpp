// The registry of option keys: one line a key. The setters, the check at each call, the table in hpart.h and the command's
// help are made from it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

enum class OptionType : std::uint8_t { integer, real, text };

// The calls that a key may belong to.
enum Call : std::uint32_t {
    call_partition = 1U << 0,
    call_front = 1U << 1,
    call_schedule = 1U << 2,
    call_measure = 1U << 3,
    call_profile = 1U << 4,
    call_execute = 1U << 5,
    call_builtin = 1U << 6, // hpart_team_add_builtin
    call_slice = 1U << 7,   // hpart_platform_read_slice
    call_device = 1U << 8,  // hpart_device_open: the operations' keys are defaults of the device's operations
    call_gemm = 1U << 9,    // all products and triangular operations
    call_fft = 1U << 10,
    call_factor = 1U << 11, // factorisations and solvers
    call_pipeline = 1U << 12,
    call_meter = 1U << 13, // hpart_meter_open
    call_adaptive = 1U << 14,
    call_additivity = 1U << 15, // hpart_energy_additivity
    call_gemv = 1U << 16,
    call_program = 1U << 17,  // hpart_team_add_program
    call_compare = 1U << 18,  // hpart_team_compare
    call_optimize = 1U << 19, // hpart_team_optimize
    call_evaluate = 1U << 20, // hpart_platform_evaluate_with
    call_links = 1U << 21,    // hpart_team_measure_links, hpart_mpi_measure_links
    call_run_schedule = 1U << 22,
    call_self_schedule = 1U << 23,
    call_mpi_profile = 1U << 24, // hpart_mpi_profile, which takes the keys of call_profile too
    call_application = 1U << 25, // hpart_team_set_application
};

// Differences of a key in some of its calls; empty: as in the others.
struct OptionOfCalls {
    std::uint32_t calls;
    std::string_view default_text;
    std::string_view choices;
    std::string_view meaning;
};

struct OptionKey {
    std::string_view name;
    OptionType type;
    std::string_view default_text;
    std::uint32_t calls;
    double smallest; // of numbers
    double largest;
    std::string_view choices; // of texts: "a|b"; sizes: "AxBxC"; empty: any
    std::string_view meaning;
    bool is_time = false; // seconds
    std::vector<OptionOfCalls> differences = {};

    std::string_view default_in(std::uint32_t call) const;
    // The key as the call has it; of a mask of several calls, or 0, the key itself.
    OptionKey in(std::uint32_t call) const;
    // The meaning with the differences: "relative half-width at which to stop; optimize (0.05): excess over the least value".
    std::string whole_meaning() const;
};

const std::vector<OptionKey> &option_keys();

// Null: there is none of that name.
const OptionKey *find_option_key(std::string_view name);

// The names of the keys that belong to one of the calls, a mask: "method, threads".
std::string option_names(std::uint32_t calls);

// "partition"
std::string_view call_name(Call call);
// "partition, front", of a mask.
std::string call_names(std::uint32_t calls);

} // namespace hpart
