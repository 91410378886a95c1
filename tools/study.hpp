// A study of many sizes: the gains of optimal distributions over the usual ones.
#pragma once

#include "comparison.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hpart_command
{

struct SizeStudy {
    std::int64_t size = 0;
    std::optional<Failure> failure = {};                    // no distribution of that size exists
    std::vector<Row> rows = {};                             // the first is the fastest one
    std::vector<std::pair<std::string, double>> front = {}; // energy_saved_1.05, ...
};

// The names of rows that are no baselines'.
constexpr const char *fastest = "optimal", *least_energy = "least-energy", *least_total_energy = "least-total-energy";

struct Study {
    std::string file;
    std::vector<std::string> processors;
    std::string kernel, energy_source;
    std::string energy_note; // on energies that are missing; a line or nothing
    std::vector<Method> baselines;
    bool has_energy = false, is_run = false, has_dynamic = false;
    std::int32_t objective = HPART_OBJECTIVE_TIME; // or HPART_OBJECTIVE_SUM_TIME, without energies
    std::string_view time() const { return hpart::objective_kind(objective).quantity; }
    std::optional<double> base_power; // nothing: total energies are not known
    std::vector<SizeStudy> sizes;
    std::string energy_method; // of an execution's meter
};

// Over the sizes where the method has a distribution.
struct Statistics {
    std::size_t count = 0;
    std::optional<std::size_t> sure; // sizes at which the gain is sure
    std::size_t sure_losses = 0;     // of measured times: sizes at which it is sure to be below 0
    std::size_t same = 0;            // sizes at which the method's distribution is the best one
    double least = unknown, mean = unknown, most = unknown;
    double sure_mean = unknown;  // a gain that is not sure counts as 0
    double ratio_mean = unknown; // of the other's value to the best one's, as the papers have it
    double ratio_most = unknown;
};

// Statistics of the gains over one method. No goal: the measured time.
Statistics statistics_of(const Study &study, const std::string &method, std::optional<Goal> goal);
// Statistics of each key of the fronts.
std::vector<std::pair<std::string, Statistics>> front_statistics(const Study &study);
// |measured / predicted - 1| of the fastest distributions' times, and of all executed distributions' energies: these are the
// difference of parallel from combined energy.
Statistics prediction_errors(const Study &study);
Statistics additivity_errors(const Study &study);
// Methods in the order of the rows.
std::vector<std::string> methods_of(const Study &study, std::optional<Goal> goal);

// run: the meter and the libraries of an execution.
Json study_json(const Study &study, const Json &run);
// The gains in sentences, one a line.
std::string study_sentences(const Study &study);
// The front, the differences from predictions, and the sizes left out; may be empty.
std::string study_remarks(const Study &study);
// All of these with tables.
std::string study_text(const Study &study);
// SVG files in the folder.
// Names of all files that draw_study may write.
std::vector<std::string> drawings_of_study();
void draw_study(const Json &result, const hpart_platform *platform, const std::string &folder);

} // namespace hpart_command
