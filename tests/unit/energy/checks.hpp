// Shared by the tests of meters: failures, waits and the settings of a quick meter.
#pragma once

#include "core/error.hpp"
#include "energy/registry.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <string_view>
#include <thread>

namespace hpart
{

inline const MeterSettings fast{0.2};

inline void sleep(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// The status is the right one, and the message has the words.
template <typename Action>
void expect_error(Status status, std::initializer_list<std::string_view> words, Action &&action)
{
    try {
        action();
        ADD_FAILURE() << "no error";
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), status) << error.what();
        for (const auto word : words)
            EXPECT_NE(std::string_view(error.what()).find(word), std::string_view::npos)
                << word << ": " << error.what();
    }
}

} // namespace hpart
