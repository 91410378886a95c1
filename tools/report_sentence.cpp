// The first sentence of the page of hpart report, and the line below it: the date and the machine.
#include "comparison.hpp"
#include "core/machine.hpp"
#include "core/text.hpp"
#include "file.hpp"
#include "library.hpp"
#include "processors.hpp"
#include "report.hpp"
#include "table.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

namespace hpart_command
{

namespace
{

// "54.0 ms": with as many digits as its interval allows.
std::string value_text(double value, const Interval &interval, bool is_energy)
{
    const auto whole = is_energy ? joules_text(value, interval) : seconds_text(value, interval);
    return whole.substr(0, whole.find(" ("));
}

// "1600 rows of dgemm n=512 k=512: CPU 600, GPU 1000"
std::string parts_of(const Json &result, const Json &split, const std::string &path)
{
    constexpr std::size_t most = 6;
    const auto names = names_in(result, path);
    const auto &x = member(split, "distribution", Json::value_t::array, path);
    auto out = work_text(number_member(result, "size", path), kernel_in(result, path));
    for (std::size_t i = 0; i < std::min(x.size(), names.size()); ++i) {
        if (!x[i].is_number()) refuse(input_name(path), " has a distribution that is not of sizes");
        if (i == most) return text(out, " and ", names.size() - most, " more");
        out += text(i == 0 ? ": " : ", ", names[i], " ", whole_text(x[i].get<double>()));
    }
    return out;
}

std::string name_of(const std::string &method) { return method == "equal" ? "equal parts" : method; }

// The first split against another one: "1.33 x as fast as equal parts".
std::string comparison_text(const Json &first, const Json &other, bool is_energy, const std::string &path)
{
    const auto name = name_of(text_member(other, "method", path));
    const auto ratio = number_in(other, "ratio", path);
    if (!std::isfinite(ratio)) return "not compared with " + name;
    const auto times = [&](double value) {
        return fixed_text(value, 2) + (is_energy ? " x the energy" : " x as fast");
    };
    switch (compare(interval_in(other, "ratio", path), first["distribution"] == other["distribution"])) {
    case Comparison::same: return "the same as " + name;
    case Comparison::faster: return is_energy ? text(name, " need ", times(ratio)) : text(times(ratio), " as ", name);
    case Comparison::slower:
        return is_energy ? text(times(1 / ratio), " of ", name) : text(name, " are ", times(1 / ratio));
    case Comparison::undecided: return "cannot be told apart from " + name;
    case Comparison::scattered: break;
    }
    return "too scattered to be compared with " + name;
}

// A method of the rows that has a distribution: equal parts, or another one.
const Json *usual_split(const Json &rows)
{
    for (const auto *method : usual_methods)
        for (const auto &row : rows)
            if (word_in(row, "method") == method && row.contains("distribution") && row["distribution"].is_array())
                return &row;
    return nullptr;
}

// "; the machine was busy: 508 of 639 repetitions were disturbed"; "" of a quiet machine.
std::string disturbances_in(const Json &result, const std::string &path)
{
    const double disturbed = number_in(result, "contaminated", path), all = number_in(result, "repetitions", path);
    if (!are_many(disturbed, all)) return {};
    return text("; the machine was busy: ", whole_text(disturbed), " of ", whole_text(all),
                " repetitions were disturbed");
}

std::string run_sentence(const Json &result, const std::string &path)
{
    const auto &splits = member(result, "splits", Json::value_t::array, path);
    if (splits.empty() || !splits.front().is_object() || !splits.front()["distribution"].is_array()) return {};
    const auto &first = splits.front();
    auto out =
        text(parts_of(result, first, path), ", ",
             value_text(number_in(first, "measured_seconds", path), interval_in(first, "measured", path), false));
    const auto *const usual = usual_split(splits);
    if (usual != nullptr) out += ", " + comparison_text(first, *usual, false, path);
    for (const auto &split : splits) // a faster one of another method
        if (&split != usual && split.contains("ratio") &&
            compare(interval_in(split, "ratio", path), split["distribution"] == first["distribution"]) ==
                Comparison::slower) {
            out += text("; ", comparison_text(first, split, false, path));
            break;
        }
    if (!word_in(first, "binding_warning").empty()) out += "; its processors did not keep their cores";
    return out + disturbances_in(result, path);
}

std::string tune_sentence(const Json &result, const std::string &path)
{
    const bool is_energy = result.contains("energy");
    const std::string key = is_energy ? "energy" : "time";
    const auto &rows = member(result, "baselines", Json::value_t::array, path);
    auto out = text(parts_of(result, result, path), ", ",
                    value_text(number_in(result, key.c_str(), path), interval_in(result, key, path), is_energy));
    const auto certified = result.value("certified", Json());
    out += certified == true ? ", certified" : ", not certified";
    if (const double precision = number_in(result, "precision", path); certified == true && std::isfinite(precision))
        out += text(is_energy ? "" : " by medians", " to be within ", percent_text(precision), " of the least");
    if (const auto disturbed = disturbances_in(result, path); !disturbed.empty()) return out + disturbed;
    const auto *const usual = usual_split(rows);
    // Ratios are those to the first row, which need not be the best.
    if (usual == nullptr || rows.front()["distribution"] != result["distribution"]) return out;
    return text(out, ", ", comparison_text(rows.front(), *usual, is_energy, path));
}

std::string study_sentence(const Json &result, const std::string &path)
{
    const auto &sizes = member(result, "sizes", Json::value_t::array, path);
    const auto &summary = member(result, "summary", Json::value_t::object, path);
    const bool was_run = summary.contains("measured_gain");
    const auto gains = summary.value(was_run ? "measured_gain" : "gain", Json::object());
    const auto gain = gains.value("equal", Json());
    const double mean = number_in(gain, "mean", path);
    if (sizes.empty() || !std::isfinite(mean)) return text_member(summary, "text", path).substr(0, 200);
    std::vector<double> solved;
    for (const auto &size : sizes)
        if (!size.contains("reason")) solved.push_back(number_member(size, "size", path));
    if (solved.empty()) return text_member(summary, "text", path).substr(0, 200);
    const auto [least, most] = std::ranges::minmax(solved);
    auto out = text(hpart::pluralise(solved.size(), "size"), ", ", whole_text(least), " to ", whole_text(most),
                    ": optimal distributions take ", percent_text(std::abs(mean)), mean < 0 ? " more" : " less",
                    was_run ? " measured" : " predicted", " time than equal parts on average");
    const double sure = number_in(gain, "sure", path), losses = number_in(gain, "sure_losses", path);
    if (sure == 0 && losses == 0) return out + ", but cannot be told apart from them at any size";
    if (std::isfinite(sure)) out += text(", surely less at ", whole_text(sure));
    if (losses > 0) out += text(" and surely more at ", whole_text(losses));
    return std::isfinite(sure) ? out + " of them" : out;
}

std::string partition_sentence(const Json &result, const std::string &path)
{
    const auto *const kind = hpart::find_objective(word_in(result, "objective"));
    const std::string key = kind != nullptr && kind->needs_energies && result.contains("energy") ? "energy" : "time";
    const auto value = number_in(result, key.c_str(), path);
    const auto interval = interval_in(result, key, path);
    return text(parts_of(result, result, path), ", predicted to ", key == "time" ? "take " : "need ",
                key == "time" ? seconds_text(value, interval) : joules_text(value, interval));
}

std::string front_sentence(const Json &result, const std::string &path)
{
    const auto &points = member(result, "points", Json::value_t::array, path);
    const auto point_text = [&](const Json &point) {
        return text(value_text(number_in(point, "time", path), interval_in(point, "time", path), false), " and ",
                    value_text(number_in(point, "energy", path), interval_in(point, "energy", path), true));
    };
    const auto size = work_text(number_member(result, "size", path), kernel_in(result, path));
    if (points.empty()) return {};
    if (points.size() == 1) return text(size, ": one distribution is best in time and energy, ", point_text(points[0]));
    return text(size, ": ", points.size(), " distributions from ", point_text(points.front()), " to ",
                point_text(points.back()), " of ", text_member(result, "energy", path), " energy",
                result.contains("certified") ? result["certified"] == true ? ", certified" : ", not certified" : "",
                disturbances_in(result, path));
}

std::string schedule_sentence(const Json &result, const std::string &path)
{
    const auto measured = number_in(result, "measured_makespan", path);
    return text("size ", whole_text(number_member(result, "size", path)), " in packages: predicted to take ",
                seconds_text(number_member(result, "makespan", path)),
                std::isfinite(measured) ? ", measured " + seconds_text(measured) : "");
}

std::string trace_sentence(const Json &result, const std::string &path)
{
    const auto lines = trace_lines(result, path);
    const auto busiest = std::ranges::max_element(lines, {}, &TraceLine::seconds);
    return text("an operation on a device: ", busiest->name, " works longest, ", seconds_text(busiest->seconds));
}

std::string with_capital(std::string sentence)
{
    if (!sentence.empty() && sentence.front() >= 'a' && sentence.front() <= 'z')
        sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
    return sentence;
}

// "2026-11-28", in UTC; of SOURCE_DATE_EPOCH where it is set, for pages that do not change.
std::string date_text()
{
    auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    if (const auto *const epoch = std::getenv("SOURCE_DATE_EPOCH")) {
        constexpr std::int64_t year_10000 = 253402300800;
        const auto seconds = hpart::parse_int(epoch);
        if (!seconds || *seconds < 0 || *seconds >= year_10000)
            refuse("SOURCE_DATE_EPOCH is ", in_quotes(epoch), "; it must be seconds since 1970, as 1764288000");
        now = std::chrono::sys_seconds(std::chrono::seconds(*seconds));
    }
    const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(now));
    const auto two_digits = [](unsigned number) { return text(number < 10 ? "0" : "", number); };
    return text(static_cast<int>(day.year()), "-", two_digits(static_cast<unsigned>(day.month())), "-",
                two_digits(static_cast<unsigned>(day.day())));
}

} // namespace

Finding finding_in(const Results &results, const std::string &path)
{
    const auto &result = results.solved.back(); // the largest size
    switch (results.kind) {
    case Kind::tune: return {7, with_capital(tune_sentence(result, path))};
    case Kind::run: return {7, with_capital(run_sentence(result, path))};
    case Kind::study: return {6, with_capital(study_sentence(result, path))};
    case Kind::partition: return {5, with_capital(partition_sentence(result, path))};
    case Kind::front: return {4, with_capital(front_sentence(result, path))};
    case Kind::schedule: return {3, with_capital(schedule_sentence(result, path))};
    case Kind::trace: return {1, with_capital(trace_sentence(result, path))};
    }
    return {};
}

Finding finding_in(const PlatformSummary &platform)
{
    std::vector<double> gains;
    for (const auto &[optimal, equal] : platform.times)
        if (optimal > 0 && equal > 0) gains.push_back(1 - optimal / equal);
    auto out = platform.kernel.empty() ? std::string("Functions") : "Functions of " + platform.kernel;
    out += text(" by ", processors_text(platform.processors), ", ", hpart::pluralise(platform.points, "point"));
    if (!gains.empty()) {
        std::ranges::sort(gains);
        constexpr double least = 0.0005; // rounds to more than 0.0 %
        out += gains.back() < least
                   ? std::string(": optimal distributions are predicted to take as long as equal parts at all sizes")
                   : text(": optimal distributions are predicted to take ", percent_text(gains[gains.size() / 2]),
                          " less time than equal parts in the median of the sizes, ", percent_text(gains.back()),
                          " at most");
    }
    if (platform.busy > 0)
        out += text("; ", platform.busy, " of the points ", platform.busy == 1 ? "was" : "were",
                    " measured on a busy machine");
    return {2, out};
}

Finding finding_in(const ChosenSplit &chosen, const std::vector<std::string> &processors, const std::string &kernel)
{
    const Json result{
        {"processors", processors}, {"size", chosen.size}, {"distribution", chosen.x}, {"kernel", kernel}};
    return {6, with_capital(text(parts_of(result, result, ""), ", ", facts_text(chosen)))};
}

std::string origin_section(const Json &libraries)
{
    const auto info = library_info();
    const auto model = hpart::processor_model();
    const auto cores = hpart::pluralise(usable_cores().size(), "core");
    std::string computing, all;
    for (const auto &[name, what] : libraries.items()) {
        if (!what.is_string()) continue;
        const auto version = what.get<std::string>();
        const auto line = version.starts_with(name) ? version : text(name, " ", version);
        if (name == "openblas" || name == "fftw") computing += "; " + line;
        all += line + "\n";
    }
    return html_paragraphs(text("Written on ", date_text(), " by hpart ", report_text(info, "version"), " on ",
                                model.empty() ? cores : text(model, ", ", cores), computing)) +
           (all.empty() ? "" : html_folded("all libraries", html_paragraphs(all)));
}

} // namespace hpart_command
