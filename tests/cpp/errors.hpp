// Exceptions that a call must throw.
#pragma once

#include <hpart.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

// One that hpart.hpp does not know.
struct own_error : std::runtime_error {
    using std::runtime_error::runtime_error;
    int number = 42;
};

// Calls the function, which must throw an Error, and returns it.
template <typename Error, typename Function> Error thrown(const Function &function)
{
    try {
        function();
    } catch (const Error &error) {
        return error;
    }
    throw std::logic_error("no such exception was thrown");
}

// Dense functions whose times and energies jump, of which searches take long.
inline hpart::platform jagged_platform(int processors)
{
    constexpr int points = 300;
    hpart::platform platform(processors);
    std::vector<std::int64_t> sizes(points);
    std::iota(sizes.begin(), sizes.end(), 1);
    for (int i = 0; i < processors; ++i) {
        std::vector<double> seconds(points), joules(points);
        for (int k = 0; k < points; ++k) {
            seconds[static_cast<std::size_t>(k)] = 1 + (k * 7919 + i * 104729) % 1000 / 1000.0;
            joules[static_cast<std::size_t>(k)] = 1 + (k * 1299709 + i * 15485863) % 1000 / 1000.0;
        }
        platform.set_time_function(i, sizes, seconds);
        platform.set_energy_function(i, sizes, joules);
    }
    return platform;
}

template <typename Function> void expect_status(hpart_status status, const std::string &words, const Function &function)
{
    const auto error = thrown<hpart::error>(function);
    EXPECT_EQ(error.status(), status);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
}
