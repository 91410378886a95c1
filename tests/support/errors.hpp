// The errors that calls throw.
#pragma once

#include "core/error.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace support
{

// Status::success if none is thrown.
template <typename Action> hpart::Error error_of(const Action &action)
{
    try {
        action();
    } catch (const hpart::Error &error) {
        return error;
    }
    return {hpart::Status::success, "no error"};
}

// "no error" if none is thrown.
template <typename Action> std::string message_of(const Action &action) { return error_of(action).what(); }

// The status is the right one, and the message has the words.
template <typename Action>
void expect_error(hpart::Status status, std::initializer_list<std::string_view> words, const Action &action)
{
    const auto error = error_of(action);
    const std::string_view message = error.what();
    EXPECT_EQ(error.status(), status) << message;
    for (const auto word : words) EXPECT_NE(message.find(word), std::string_view::npos) << word << ": " << message;
}

// The bytes that a message names, "N bytes would do", for each device.
inline std::vector<std::int64_t> bytes_that_would_do(const std::string &message)
{
    const std::regex number("([0-9]+) bytes would do");
    std::vector<std::int64_t> all;
    for (std::sregex_iterator found(message.begin(), message.end(), number), end; found != end; ++found)
        all.push_back(std::stoll((*found)[1]));
    return all;
}

} // namespace support
