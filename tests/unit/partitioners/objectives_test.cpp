// One table of objectives: the header, the bindings, the documents and the methods have its names.
#include "core/objectives.hpp"
#include "hpart.h"
#include "partitioners/methods/methods.hpp"
#include "support/data.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <regex>

namespace
{

using hpart::Objective;
using hpart::objective_kinds;
using support::content_of;

// The first two groups of each match.
std::map<std::string, std::string> pairs_in(const std::string &content, const char *pattern)
{
    std::map<std::string, std::string> pairs;
    const std::regex expression(pattern);
    for (std::sregex_iterator found(content.begin(), content.end(), expression), end; found != end; ++found)
        pairs[(*found)[1]] = (*found)[2];
    return pairs;
}

// "total_energy", as an identifier.
std::string identifier(std::string_view name)
{
    std::string out(name);
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

std::string capitals(std::string name)
{
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
    return name;
}

TEST(Objectives, HeadersHaveTheTablesNamesAndValues)
{
    std::map<std::string, std::string> constants, enumerators;
    for (const auto &kind : objective_kinds) {
        const auto name = identifier(kind.name);
        constants[capitals(name)] = std::to_string(static_cast<int>(kind.objective));
        enumerators[name] = capitals(name);
    }
    EXPECT_EQ(pairs_in(content_of("include/hpart/partition.h"), "\n +HPART_OBJECTIVE_(\\w+) = (\\d+)"), constants);
    EXPECT_EQ(pairs_in(content_of("include/hpart/platform.hpp"), "\n +(\\w+) = HPART_OBJECTIVE_(\\w+)"), enumerators);
}

TEST(Objectives, DocumentsListTheTablesNamesAndQuantities)
{
    std::map<std::string, std::string> quantities;
    std::string list;
    const auto features = content_of("docs/start/features.md"), of_r = content_of("bindings/languages/r/man/hpart.Rd");
    for (const auto &kind : objective_kinds) {
        quantities[identifier(kind.name)] = kind.quantity;
        list += hpart::text(list.empty() ? "`objective::" : ", `", identifier(kind.name), "`");
        EXPECT_NE(features.find(hpart::text("`", kind.name, "`")), std::string::npos) << kind.name;
        for (const auto *begin : {"\\alias{OBJECTIVE_", "\\code{OBJECTIVE_"})
            EXPECT_NE(of_r.find(hpart::text(begin, capitals(identifier(kind.name)), "}")), std::string::npos)
                << kind.name;
    }
    std::map<std::string, std::string> rows;
    for (const auto &[quantity, name] :
         pairs_in(content_of("docs/background/partitioning.md"), "\n\\| ([a-z ]+) \\| `hpart_partition`, (\\w+) \\|"))
        rows[name] = quantity;
    EXPECT_EQ(rows, quantities);
    EXPECT_NE(content_of("docs/reference/cpp.md").find(list + ";"), std::string::npos) << list;
}

TEST(Objectives, AreFoundByValueAndByName)
{
    for (const auto &kind : objective_kinds) {
        EXPECT_EQ(&hpart::objective_kind(kind.objective), &kind);
        EXPECT_EQ(hpart::find_objective(kind.name), &kind);
        EXPECT_EQ(hpart::objective_kind(kind.solved_as).solved_as, kind.solved_as) << kind.name;
        EXPECT_EQ(kind.unit, kind.needs_energies ? "J" : "s") << kind.name;
        EXPECT_TRUE(kind.needs_energies || !kind.needs_base_power) << kind.name;
        EXPECT_EQ(kind.adds_times, kind.solved_as != kind.objective) << kind.name;
    }
    EXPECT_EQ(hpart::find_objective("front"), nullptr);
    EXPECT_EQ(&hpart::objective_named("sum-time"), &objective_kinds[3]);
    support::expect_error(hpart::Status::invalid_argument,
                          {"objective is 'front'; it must be time, energy, total-energy or sum-time"},
                          [] { hpart::objective_named("front"); });
    for (const std::int64_t value : {-1, 4, 256})
        support::expect_error(hpart::Status::invalid_argument,
                              {"objective is ", std::to_string(value),
                               "; it must be 0 (time), 1 (dynamic energy), 2 (total energy) or 3 (sum of times)"},
                              [&] { hpart::objective_kind(value); });
    support::expect_error(hpart::Status::invalid_argument, {"objective is 3; it must be 1 (dynamic energy)"},
                          [] { hpart::objective_kind(3, [](const auto &kind) { return kind.name == "energy"; }); });
}

TEST(Objectives, EachHasMethodsAndMessagesNameIt)
{
    for (const auto &kind : objective_kinds) {
        EXPECT_EQ(hpart::find_partition_method("exact", kind.objective).name, "exact");
        support::expect_error(hpart::Status::invalid_argument,
                              {hpart::text("partition by ", kind.name, " has the methods exact, ")},
                              [&] { hpart::find_partition_method("", kind.objective); });
    }
    // The bits of serves_* follow the enumerators.
    EXPECT_EQ(hpart::find_partition_method("heopta", Objective::sum_time).serves, hpart::serves_energy);
    EXPECT_THROW(hpart::find_partition_method("heopta", Objective::total_energy), hpart::Error);
}

} // namespace
