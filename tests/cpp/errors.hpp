// Exceptions that a call must throw.
#pragma once

#include <hpart.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

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

template <typename Function> void expect_status(hpart_status status, const std::string &words, const Function &function)
{
    const auto error = thrown<hpart::error>(function);
    EXPECT_EQ(error.status(), status);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
}
