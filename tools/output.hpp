// The command's output on stdout and in files.
#pragma once

#include "arguments.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace hpart_command
{

using Json = nlohmann::ordered_json;

// All of it, or the command ends with exit_other: a reader that has gone or a full disk is not passed over.
void print(std::string_view content);

// Results go out once they are complete: to the file of --output, then to stdout as JSON or as a table for people.
void emit(const Common &common, const Json &result, const std::function<std::string()> &for_people);

// The object as text; NaN, which JSON has not, is null.
std::string json_text(const Json &object);

// The same of calls with several sizes: one result as it is, several as {"results": [...]}.
struct Result {
    Json json;
    std::string for_people;
};
void emit(const Common &common, const std::vector<Result> &results);

// The processors and libraries found, for results that depend on them: {"openblas": "0.3.21 SkylakeX", ...}.
Json libraries_json();

} // namespace hpart_command
