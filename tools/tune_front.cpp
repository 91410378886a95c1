// hpart tune --objective front: the certified front of this machine's processors.
#include "comparison.hpp"
#include "core/numbers.hpp"
#include "library.hpp"
#include "table.hpp"
#include "tune.hpp"

namespace hpart_command
{

namespace
{

struct TunedFront {
    Front front;
    Platform platform;
    Report report;
};

std::string front_for_people(const Json &result, const std::vector<Row> &points)
{
    const auto energy = energy_heading(result["energy"].get<std::string>() + " energy", result["energy_method"]);
    auto out =
        busy_text(result) + front_table(points, result["processors"].get<std::vector<std::string>>(), energy) + "\n";
    const auto precision = percent_text(result["precision"].get<double>());
    const auto confidence = text(" (", confidence_text(result["confidence"].get<double>()), " confidence).");
    if (result["certified"].get<bool>())
        out += text("Certified: each point of the true front has one here within ", precision,
                    " of its time and energy", confidence);
    else
        out += text("Not certified: ", end_of_search(result), ". Until then ",
                    percent_text(result["covered"].get<double>()), " of the lower front has a point here within ",
                    precision, " of its time and energy", confidence);
    out += assumption_text(result["jaggedness"].get<double>(), "better") + "\n";
    return out + measured_text(result);
}

} // namespace

void run_front(const TuneArguments &arguments, std::int64_t size, const std::vector<std::int64_t> &sizes)
{
    const auto name = arguments.energy.value_or("dynamic");
    const auto energy = static_cast<std::int32_t>(parse_choice("--energy", name, {"dynamic", "total"}));
    TunedFront tuned;
    const auto searched = search(arguments, [&](hpart_team *team, const hpart_options *options) {
        return hpart_team_optimize_front(team, size, energy, static_cast<std::int64_t>(sizes.size()), sizes.data(),
                                         options, Filled(tuned.front), Filled(tuned.platform), Filled(tuned.report));
    });
    const auto processors = processor_names(tuned.platform.get());
    Json result;
    result["objective"] = arguments.objective;
    result["energy"] = name;
    result["size"] = size;
    result["kernel"] = kernel_of(tuned.platform.get());
    result["processors"] = processors;
    result["points"] = Json::array();
    const auto points = front_rows(tuned.front.get(), processors.size());
    for (const auto &point : points) {
        const auto &[time, joules, total] = point.costs;
        Json entry{{"time", time.value}};
        set_interval(entry, "time", time.interval);
        entry["energy"] = joules.value;
        set_interval(entry, "energy", joules.interval);
        entry["distribution"] = point.x;
        result["points"].push_back(std::move(entry));
    }
    result["certified"] = report_int(tuned.report, "certified") == 1;
    result["covered"] = report_double(tuned.report, "covered").value_or(0);
    const auto possible = hpart::possible_sizes(sizes, processors.size(), size).size();
    describe_search(result, tuned.report, searched.seconds, possible * processors.size());
    result["stop_reason"] = report_text(tuned.report, "stop_reason");
    result["file"] = arguments.output;
    searched.meter.describe(result);
    emit(arguments.common, result,
         [&] { return front_for_people(result, points) + left_out_text(size, sizes, processors.size()); });
    note_end_of_search(result);
}

} // namespace hpart_command
