// Transforms to be tested: any kind and shape, with their input and what must come out.
#pragma once

#include "core/options.hpp"
#include "out_of_card/fft/fft.hpp"
#include "support/random.hpp"

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace problem
{

using support::between;
using support::how_many;
using support::Random;
using support::seeded;

constexpr std::int64_t kilobyte = 1024;

inline std::int64_t integer(const hpart::Report &report, std::string_view key)
{
    return std::get<std::int64_t>(report.get(key));
}

struct Problem {
    hpart::FftCall call; // without arrays
    bool in_place = false;
    std::uint64_t seed = 1;

    std::int64_t points() const; // of the signal, all batches together
};
inline Problem problem_of(hpart::FftKind kind, const std::vector<std::int64_t> &dims, std::int64_t batch = 1,
                          bool in_place = false)
{
    Problem problem;
    problem.call.kind = kind;
    problem.call.dims = dims;
    problem.call.batch = batch;
    problem.in_place = in_place;
    return problem;
}

std::string describe(const Problem &problem);

// Rank 1 to 4, lengths of every sort (1, primes, powers of two, 3 5 7), about `most_points` points at most.
Problem any_problem(Random &random, std::int64_t most_points);

// The call's arrays. A random signal is transformed, in long double by the definition where it is small and by FFTW's
// plain interface where it is not; in and out are cut from the two.
class Arrays
{
  public:
    explicit Arrays(const Problem &problem);
    // The call on these arrays. What pads rows in place is not a number.
    hpart::FftCall call();
    // ||out - reference|| / ||reference|| in the 2-norm; infinite where a value is not finite.
    double error() const;
    // The error that rounding explains.
    double tolerance() const;
    // `in` is as it was, and what surrounds `out` too.
    bool rest_is_untouched() const;

  private:
    using Signal = std::vector<std::complex<double>>; // dense, complex

    Signal transformed(const Signal &signal) const;
    // The numbers of an array of the call: complex ones as two, of a half spectrum that half alone.
    enum class Side : std::uint8_t { complex, real, half };
    std::vector<double> cut(const Signal &signal, Side side) const;
    void store(const std::vector<double> &numbers, std::int64_t row, std::int64_t pitch,
               std::vector<unsigned char> &array) const;
    double number(const unsigned char *array, std::int64_t index) const;

    Problem problem_;
    std::int64_t points_, length_, rows_;
    std::int64_t in_row_ = 1, out_row_ = 1, in_pitch_ = 1, out_pitch_ = 1; // in real numbers
    std::vector<double> expected_;
    std::vector<unsigned char> in_, in_before_, out_;
};

} // namespace problem
