// Failures with the right status and a sentence that has the right words.
#pragma once

#include "core/error.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>

namespace hpart
{

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
