// The drawings of `hpart plot`, one function a kind of input.
#pragma once

#include "gnuplot.hpp"
#include "output.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hpart_command
{

// Speed, time and, if known, energy against size. degree: draws the speeds' trend lines of that degree too, as smooth-fpm takes them.
void plot_platform(Plot &plot, const hpart_platform *platform, std::optional<std::int64_t> degree = {});
// A result and the file that has it.
struct Input {
    std::string path;
    Json result;
};
// Results of `hpart pareto`.
void plot_fronts(Plot &plot, const std::vector<Input> &inputs);
// The samples of a size, as the option samples_file writes them: their density by processor. size: may be missing if there is one.
void plot_samples(Plot &plot, const std::string &content, std::optional<std::int64_t> size, const std::string &path);
bool are_samples(const std::string &content);
// The result of `hpart run`: predicted against measured times.
void plot_run(Plot &plot, const Json &result, const std::string &path);

// The results of `hpart partition` and `hpart schedule`: the size of each processor, in blocks of packages.
void plot_partition(Plot &plot, const Json &result, const std::string &path);
void plot_schedule(Plot &plot, const Json &result, const std::string &path);

// True if the content begins as a result does.
bool looks_like_json(const std::string &content);
Json parse_result(const std::string &content, const std::string &path);

// A member of an untrusted result. Refuses a missing one, or one of another type, by name.
const Json &member(const Json &object, const char *name, Json::value_t type, const std::string &path);
double number_member(const Json &object, const char *name, const std::string &path);
std::string text_member(const Json &object, const char *name, const std::string &path);

} // namespace hpart_command
