// The drawings of `hpart plot`, one function a kind of input.
#pragma once

#include "gnuplot.hpp"
#include "output.hpp"

namespace hpart_command
{

// Speed, time and, if known, energy against size.
void plot_platform(Plot &plot, const hpart_platform *platform);
// The result of `hpart pareto`.
void plot_front(Plot &plot, const Json &result, const std::string &path);
// The result of `hpart run`: predicted against measured times.
void plot_run(Plot &plot, const Json &result, const std::string &path);

// The results of `hpart partition` and `hpart schedule`: the size of each processor, in blocks of packages.
void plot_partition(Plot &plot, const Json &result, const std::string &path);
void plot_schedule(Plot &plot, const Json &result, const std::string &path);

// A member of an untrusted result. Refuses a missing one, or one of another type, by name.
const Json &member(const Json &object, const char *name, Json::value_t type, const std::string &path);
double number_member(const Json &object, const char *name, const std::string &path);
std::string text_member(const Json &object, const char *name, const std::string &path);

} // namespace hpart_command
