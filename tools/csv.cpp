#include "csv.hpp"

#include "failure.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace hpart_command
{

namespace
{

using IsOfType = bool (Json::*)() const noexcept;

bool is_list_of(const Json &value, IsOfType is_of_type)
{
    return value.is_array() && !value.empty() &&
           std::all_of(value.begin(), value.end(), [&](const Json &item) { return (item.*is_of_type)(); });
}

// Values by column; lists of one number per processor have a column each. If another column has the name of a distribution's
// column, the distribution's begins with x_, as often as needed.
Json columns_of(const Json &object, const Json &names)
{
    const auto is_of_processors = [&](const Json &value) {
        return is_list_of(value, &Json::is_number) && value.size() == names.size();
    };
    std::set<std::string> taken;
    for (const auto &[key, value] : object.items()) {
        taken.insert(key);
        if (key == "distribution" || !is_of_processors(value)) continue;
        for (const auto &name : names) taken.insert(text(name.get<std::string>(), "_", key));
    }
    Json columns = Json::object();
    for (const auto &[key, value] : object.items()) {
        for (std::size_t i = 0; is_of_processors(value) && i < names.size(); ++i) {
            auto column = names[i].get<std::string>();
            if (key != "distribution")
                column += "_" + key;
            else
                while (!taken.insert(column).second) column = "x_" + column;
            columns[column] = value[i];
        }
        const bool is_no_distribution = key == "distribution" && value.is_null(); // its columns are the processors
        if (value.is_primitive() && !is_no_distribution) columns[key] = value;
    }
    return columns;
}

// A result and its list may have a key in common: the result's text "energy" becomes energy_kind beside the energies of
// points, and the "size" of a task becomes task_size beside the result's.
void add_column(Json &whole, const std::string &list, const std::string &column, const Json &value)
{
    if (!whole.contains(column)) {
        whole[column] = value;
    } else if (whole[column].is_string()) {
        whole[column + "_kind"] = whole[column];
        whole[column] = value;
    } else {
        whole[text(std::string_view(list).substr(0, list.size() - 1), "_", column)] = value;
    }
}

Json rows_of(const Json &result, Json names)
{
    if (result.contains("processors") && is_list_of(result["processors"], &Json::is_string))
        names = result["processors"];
    const auto own = columns_of(result, names);
    Json rows = Json::array();
    for (const auto &[key, list] : result.items()) {
        if (!is_list_of(list, &Json::is_object)) continue;
        for (const auto &item : list)
            for (const auto &row : rows_of(item, names)) {
                auto whole = own;
                for (const auto &[column, value] : row.items()) add_column(whole, key, column, value);
                rows.push_back(whole);
            }
    }
    if (rows.empty()) rows.push_back(own);
    return rows;
}

std::string field_of(const Json &value)
{
    if (value.is_null() || (value.is_number_float() && !std::isfinite(value.get<double>()))) return "";
    auto field = value.is_string() ? value.get<std::string>() : value.dump();
    if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
    for (auto at = field.find('"'); at != std::string::npos; at = field.find('"', at + 2)) field.insert(at, 1, '"');
    return '"' + field + '"';
}

} // namespace

std::string csv_text(const Json &result)
{
    const auto rows = rows_of(result, Json::array());
    std::vector<std::string> columns;
    for (const auto &row : rows)
        for (const auto &[column, value] : row.items())
            if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    // A first row without a distribution does not have the others' columns.
    std::stable_partition(columns.begin(), columns.end(), [](const auto &column) { return column != "reason"; });
    std::string out;
    for (const auto &column : columns) out += (out.empty() ? "" : ",") + field_of(column);
    out += '\n';
    for (const auto &row : rows) {
        std::string line;
        for (const auto &column : columns)
            line += (&column == &columns.front() ? "" : ",") + field_of(row.value(column, Json()));
        out += line + '\n';
    }
    return out;
}

} // namespace hpart_command
