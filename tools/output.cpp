#include "output.hpp"

#include "core/file.hpp"
#include "core/text.hpp"
#include "csv.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "library.hpp"
#include "table.hpp"

#include <algorithm>
#include <system_error>

#include <unistd.h>

namespace hpart_command
{

void print(std::string_view content)
{
    if (const int error = hpart::write_all(STDOUT_FILENO, content); error != 0)
        give_up("cannot write to standard output: ", std::generic_category().message(error));
}

std::string json_text(const Json &object)
{
    const auto dumped = object.dump(-1, ' ', false, Json::error_handler_t::replace);
    // JSON lets control characters beyond ASCII stand as they are; a terminal must not see them.
    std::string out;
    for (std::size_t k = 0; k < dumped.size(); ++k) {
        const auto code = static_cast<unsigned char>(dumped[k]);
        const auto next = k + 1 < dumped.size() ? static_cast<unsigned char>(dumped[k + 1]) : 0U;
        if (code == 0x7F)
            out += "\\u007f";
        else if (code == 0xC2 && next < 0xA0)
            out += text("\\u00", next < 0x90 ? '8' : '9', "0123456789abcdef"[dumped[++k] & 0xF]);
        else
            out += dumped[k];
    }
    return out + "\n";
}

namespace
{

std::string &first_time_doubt()
{
    static std::string doubt;
    return doubt;
}

} // namespace

void note_time_doubt(const std::string &doubt)
{
    if (first_time_doubt().empty()) first_time_doubt() = doubt;
}

void emit(const Common &common, Json result, const std::function<std::string()> &for_people)
{
    const auto &doubt = first_time_doubt();
    if (!doubt.empty() && result.is_object()) result["time_doubt"] = doubt;
    const auto show = [&] {
        if (common.json)
            print(json_text(result));
        else
            print(hpart::printable(common.csv ? csv_text(result) : (doubt.empty() ? "" : doubt + "\n\n") + for_people(),
                                   '?', "\n"));
    };
    if (common.output) try {
            write_file(*common.output, json_text(result));
        } catch (const Failure &failure) { // as on a full disk: what was measured is not lost
            if (failure.exit_status() == exit_other) show();
            throw;
        }
    show();
}

namespace
{

// The first failure of another kind, else one for all sizes without a distribution.
std::optional<Failure> failure_of(const std::vector<Result> &results)
{
    std::size_t infeasible = 0;
    std::optional<Failure> first;
    for (const auto &result : results) {
        if (!result.failure) continue;
        if (result.failure->exit_status() != exit_infeasible) return result.failure;
        if (++infeasible == 1) first = result.failure;
    }
    if (infeasible > 1)
        first.emplace(exit_infeasible,
                      text(infeasible, " of ", results.size(), " sizes have no distribution; ", first->what()));
    return first;
}

} // namespace

void emit_each(const Common &common, const std::vector<std::int64_t> &sizes, Json empty,
               const std::function<Result(std::int64_t)> &solve, const std::vector<std::string> &headings)
{
    std::vector<Result> results;
    for (const auto size : sizes) {
        try {
            results.push_back(solve(size));
        } catch (const Failure &failure) {
            if (failure.exit_status() != exit_infeasible) throw;
            empty["size"] = size;
            empty["reason"] = failure.what();
            results.push_back({empty, text(failure.what(), "\n"), failure});
        }
    }
    const auto failure = failure_of(results);
    const bool is_solved = std::ranges::any_of(
        results, [](const auto &r) { return !r.failure || r.failure->exit_status() != exit_infeasible; });
    if (!is_solved) throw Failure(*results.front().failure);
    const bool is_table = !headings.empty() && results.size() > 1;
    Table table(headings);
    std::string for_people;
    Json all = Json::array();
    for (const auto &result : results) {
        if (is_table && !result.row.empty()) table.add(result.row);
        if (!result.for_people.empty()) for_people += (for_people.empty() ? "" : "\n") + result.for_people;
        all.push_back(result.json);
    }
    if (is_table) for_people = table.text() + (for_people.empty() ? "" : "\n") + for_people;
    emit(common, results.size() == 1 ? results.front().json : Json{{"results", all}}, [&] { return for_people; });
    if (failure) throw Failure(*failure);
}

Json libraries_json()
{
    Json libraries = Json::object();
    for (const auto &[name, what] : linked_libraries(library_info())) libraries[name] = what;
    return libraries;
}

Json budget_needed(double seconds, std::int64_t measured_now, double points)
{
    constexpr double reserve = 1.25;
    if (measured_now <= 0 || points <= 0) return {};
    return reserve * seconds / static_cast<double>(measured_now) * (points + 1);
}

bool is_worth_a_budget(const Json &seconds)
{
    constexpr double a_day = 86400;
    return !seconds.is_null() && seconds.get<double>() <= a_day;
}

namespace
{

void write_note(const std::string &line)
{
    hpart::write_all(STDERR_FILENO, "hpart: " + one_line(line) + "\n"); // the result is complete without it
}

} // namespace

void note_end_of_budget(std::string_view missing, const Json &seconds)
{
    write_note(
        text(missing, ". Run the same command again to continue",
             is_worth_a_budget(seconds) ? text("; ", about_text(seconds.get<double>()), " would measure the rest") : "",
             "."));
}

void note_short_budget(std::string_view missing, std::string_view argument)
{
    write_note(text(missing, ". A longer ", argument, " gives it more time."));
}

} // namespace hpart_command
