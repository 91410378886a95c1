// Arrays of the four types as the command has them: float or double, or pairs of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace hpart_command
{

inline bool is_complex(char precision) { return precision == 'c' || precision == 'z'; }
inline bool is_double(char precision) { return precision == 'd' || precision == 'z'; }

// Calls job(first, end) for parts of [0, count) of at least `fewest`, a thread each as far as the system gives them.
template <typename Job> void in_parallel(std::int64_t count, std::int64_t fewest, const Job &job)
{
    const auto parts = std::clamp<std::int64_t>(count / fewest, 1, std::max(std::thread::hardware_concurrency(), 1U));
    std::vector<std::jthread> others;
    for (std::int64_t part = 0; part < parts; ++part) {
        const auto first = count * part / parts, end = count * (part + 1) / parts;
        try {
            if (part + 1 < parts) {
                others.emplace_back([&job, first, end] { job(first, end); });
                continue;
            }
        } catch (const std::system_error &) { // no more threads
        }
        job(first, end);
    }
}

// The larger one; NaN where either is.
template <typename Value> Value larger(Value a, Value b) { return std::isnan(a) || a >= b ? a : b; }

// At an address that devices like.
class Numbers
{
  public:
    Numbers(char precision, std::int64_t count);
    char precision() const { return precision_; }
    void *data() const { return memory_.get(); }
    std::int64_t count() const { return count_; }
    // The same on every machine, in [-1, 1); streams differ.
    void fill(std::uint64_t stream);
    void copy_from(const Numbers &other);
    // The number of reals: two per complex number.
    std::int64_t reals() const { return reals_; }
    double real(std::int64_t k) const
    {
        return is_double(precision_) ? static_cast<const double *>(memory_.get())[k]
                                     : static_cast<double>(static_cast<const float *>(memory_.get())[k]);
    }
    void set_real(std::int64_t k, double value);

  private:
    struct Free {
        void operator()(void *memory) const { std::free(memory); }
    };
    std::unique_ptr<void, Free> memory_;
    char precision_;
    std::int64_t count_, reals_;
};

// Bits without a pattern, the same for the same words: SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t random_bits(std::uint64_t stream, std::uint64_t k);

// a * b * c elements, refused where no machine has them.
std::int64_t elements_of(std::string_view what, std::initializer_list<std::int64_t> sizes);

// Arrays that a call needs in memory at once. Ends the command, naming the sizes, if this machine has less memory left.
struct Wanted {
    std::string_view name;
    char precision;
    std::int64_t count;
};
void require_memory(std::initializer_list<Wanted> arrays);

} // namespace hpart_command
