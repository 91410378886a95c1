// What `hpart gemm`, `hpart fft` and `hpart factor` share: a device, arrays of one of four types, timing, the result.
#pragma once

#include "arguments.hpp"
#include "output.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace hpart_command
{

struct OperationArguments {
    Common common;
    std::string device = "host", precision = "d", repetitions = "3";
    std::optional<std::string> memory_limit;
};

// --device, --precision, --memory-limit, --repetitions and the common ones.
void add_operation(CLI::App &app, OperationArguments &arguments, const std::string &precisions);

// The device under the arguments' memory limit and options.
OpenDevice open_device(const OperationArguments &arguments);
// The reference.
OpenDevice open_host();

// Numbers of float or double, or pairs of them, at an address that devices like.
class Numbers
{
  public:
    Numbers(char precision, std::int64_t count);
    void *data() const { return memory_.get(); }
    std::int64_t count() const { return count_; }
    // The same on every machine; streams differ.
    void fill(std::uint64_t stream);
    void copy_from(const Numbers &other);
    // Of the reals that the numbers are made of.
    std::int64_t reals() const { return reals_; }
    double real(std::int64_t k) const;
    void set_real(std::int64_t k, double value);

  private:
    struct Free {
        void operator()(void *memory) const { std::free(memory); }
    };
    std::unique_ptr<void, Free> memory_;
    std::int64_t count_, reals_;
    bool is_double_;
};

// max |a - b| / max |b| over the numbers; NaN or infinite where one of a's is.
double largest_relative_error(const Numbers &a, const Numbers &b, char precision);
// ||a - b|| / ||b||, in the 2-norm.
double relative_distance(const Numbers &a, const Numbers &b);

// One run of the operation with these options, after everything that is not to be timed.
struct TimedOperation {
    std::function<void()> before = [] {};
    std::function<hpart_status(const hpart_options *, hpart_report **)> run;
    double operations = 0;         // floating-point
    bool has_in_card_rate = false; // the option in_card_rate belongs to it
};

struct Timing {
    double seconds = 0; // the least of the repetitions
    Report report;      // of that one
    std::optional<double> in_card_gflops;
};
// A run that plans, and compiles what is missing, then those that count.
Timing time_operation(const OperationArguments &arguments, const TimedOperation &operation);

// The result and what the three commands say of it.
void emit_operation(const OperationArguments &arguments, const std::string &title, const Timing &timing,
                    double operations, double error, const std::string &error_name);

std::int64_t parse_positive(std::string_view argument, std::string_view text);
// a * b * c elements, refused where no machine has them.
std::int64_t elements_of(std::string_view what, std::initializer_list<std::int64_t> sizes);

} // namespace hpart_command
