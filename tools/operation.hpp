// Shared by `hpart gemm`, `hpart fft` and `hpart factor`: a device, arrays of one of four types, timing, the result.
#pragma once

#include "arguments.hpp"
#include "library.hpp"
#include "output.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace hpart_command
{

struct OperationArguments {
    Common common;
    std::string device = "host", precision = "d", repetitions = "3";
    std::optional<std::string> memory_limit;
    bool dry_run = false;
};

// --device, --precision, --memory-limit, --repetitions, --dry-run and the common ones.
void add_operation(CLI::App &app, OperationArguments &arguments, const std::string &precisions);

// The device under the arguments' memory limit and profile; the other options are the operation's.
OpenDevice open_device(const OperationArguments &arguments);
// One run of the operation with these options, after everything that is not to be timed.
struct TimedOperation {
    std::function<void()> before = [] {};
    std::function<hpart_status(const hpart_options *, hpart_report **)> run;
    bool has_in_card_rate = false; // the option in_card_rate belongs to it
};

struct Timing {
    Report report; // of the fastest of the repetitions
    std::optional<double> in_card_gflops;
    std::optional<double> setup_seconds;  // of the first run
    std::optional<Failure> trace_failure; // the trace is missing, the result is complete
};
// One run that plans and compiles, then the timed ones.
Timing time_operation(const OperationArguments &arguments, const TimedOperation &operation);

// The error of a result, the largest that rounding explains, and the method of the check.
struct Checked {
    double error = 0, bound = 0;
    std::string how;
};
// The distance from 1 to the next number of a precision.
double epsilon_of(char precision);
// Writes the prediction of the operation, which gets no arrays, in place of its result.
void emit_prediction(const OperationArguments &arguments, const std::string &title,
                     const std::function<hpart_status(const hpart_options *, hpart_report **)> &run);
// Writes the result of the three commands. Ends the command if the error is above its bound.
void emit_operation(const OperationArguments &arguments, const std::string &title, const Timing &timing,
                    const Checked &checked);

} // namespace hpart_command
