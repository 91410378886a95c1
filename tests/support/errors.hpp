// The errors that calls throw.
#pragma once

#include "core/error.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

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

} // namespace support
