// hpart tune --objective front: the certified front of this machine's processors.
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

Json points_of(const TunedFront &tuned, std::size_t processors)
{
    const auto of = [&](const char *key) { return report_doubles(tuned.report, key); };
    const auto seconds = of("seconds"), time_low = of("time_low"), time_high = of("time_high");
    const auto joules = of("joules"), energy_low = of("energy_low"), energy_high = of("energy_high");
    Json points = Json::array();
    for (std::size_t k = 0; k < seconds.size(); ++k) {
        std::vector<std::int64_t> x(processors);
        check(hpart_front_point(tuned.front.get(), static_cast<std::int64_t>(k), nullptr, nullptr, x.data()));
        points.push_back({{"time", seconds[k]},
                          {"time_low", time_low[k]},
                          {"time_high", time_high[k]},
                          {"energy", joules[k]},
                          {"energy_low", energy_low[k]},
                          {"energy_high", energy_high[k]},
                          {"distribution", x}});
    }
    return points;
}

std::string front_for_people(const Json &result)
{
    const auto processors = names_text(result["processors"].get<std::vector<std::string>>());
    const auto energy = result["energy"].get<std::string>() + " energy";
    Table table({">point", ">time", ">" + energy_heading(energy, result["energy_method"]), processors});
    const auto number = [](const Json &point, const std::string &key) { return point[key].get<double>(); };
    std::size_t count = 0;
    for (const auto &point : result["points"])
        table.add({std::to_string(++count),
                   seconds_text(number(point, "time"), {number(point, "time_low"), number(point, "time_high")}),
                   joules_text(number(point, "energy"), {number(point, "energy_low"), number(point, "energy_high")}),
                   distribution_text(point["distribution"].get<std::vector<std::int64_t>>())});
    const auto precision = percent_text(result["precision"].get<double>());
    auto out = busy_text(result) + table.text() + "\n";
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
    result["points"] = points_of(tuned, processors.size());
    result["certified"] = report_int(tuned.report, "certified") == 1;
    result["covered"] = report_double(tuned.report, "covered").value_or(0);
    const auto possible = hpart::possible_sizes(sizes, processors.size(), size).size();
    describe_search(result, tuned.report, searched.seconds, possible * processors.size());
    result["stop_reason"] = report_text(tuned.report, "stop_reason");
    result["file"] = arguments.output;
    searched.meter.describe(result);
    emit(arguments.common, result,
         [&] { return front_for_people(result) + left_out_text(size, sizes, processors.size()); });
    note_end_of_search(result);
}

} // namespace hpart_command
