// The objectives of a partition: one line each in a table. Calls, messages, files and the command take names and needs from it.
#pragma once

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace hpart
{

// The values of HPART_OBJECTIVE_*.
enum class Objective : std::uint8_t { time, energy, total_energy, sum_time };
inline constexpr auto last_objective = Objective::sum_time;

struct ObjectiveKind {
    Objective objective;
    std::string_view name;     // of arguments, results and files of functions
    std::string_view quantity; // the value, for people
    std::string_view unit;
    bool needs_energies;
    bool needs_base_power;
    bool adds_times;     // of processors that run one after another; else the longest time counts, if any
    Objective solved_as; // by the methods: a sum of times is an energy of the times

    constexpr bool needs_times() const { return !needs_energies || needs_base_power; }
    constexpr bool is_longest_time() const { return !needs_energies && !adds_times; }
};

inline constexpr std::array objective_kinds{
    ObjectiveKind{Objective::time, "time", "time", "s", false, false, false, Objective::time},
    ObjectiveKind{Objective::energy, "energy", "dynamic energy", "J", true, false, false, Objective::energy},
    ObjectiveKind{Objective::total_energy, "total-energy", "total energy", "J", true, true, false,
                  Objective::total_energy},
    ObjectiveKind{Objective::sum_time, "sum-time", "sum of times", "s", false, false, true, Objective::energy},
};

constexpr bool has_each_in_order(const decltype(objective_kinds) &kinds)
{
    for (std::size_t k = 0; k < kinds.size(); ++k)
        if (static_cast<std::size_t>(kinds[k].objective) != k) return false;
    return kinds.back().objective == last_objective;
}
static_assert(has_each_in_order(objective_kinds), "a row for each enumerator, in order");

// "0 (time), 1 (dynamic energy) or 3 (sum of times)": the objectives that fit, each as shown(kind).
template <typename Fits, typename Shown> std::string list_objectives(Fits fits, Shown shown)
{
    std::string list;
    auto left = std::ranges::count_if(objective_kinds, fits);
    for (const auto &kind : objective_kinds) {
        if (!fits(kind)) continue;
        --left;
        list += text(list.empty() ? "" : left > 0 ? ", " : " or ", std::invoke(shown, kind));
    }
    return list;
}

constexpr bool is_any_objective(const ObjectiveKind & /*kind*/) { return true; }

template <typename Fits> [[noreturn]] void fail_objective(std::int64_t value, Fits fits, std::string_view reason)
{
    const auto shown = [](const ObjectiveKind &kind) {
        return text(static_cast<int>(kind.objective), " (", kind.quantity, ")");
    };
    fail_argument("objective is ", value, "; it must be ", list_objectives(fits, shown), reason);
}

// After a switch over all objectives.
[[noreturn]] inline void fail_objective(Objective objective)
{
    fail_objective(static_cast<std::int64_t>(objective), is_any_objective, "");
}

// Fails if no objective that fits has this value. reason: for the others, as ", which nodes share out".
template <typename Fits>
const ObjectiveKind &objective_kind(std::int64_t value, Fits fits, std::string_view reason = "")
{
    for (const auto &kind : objective_kinds)
        if (static_cast<std::int64_t>(kind.objective) == value && fits(kind)) return kind;
    fail_objective(value, fits, reason);
}

inline const ObjectiveKind &objective_kind(std::int64_t value) { return objective_kind(value, is_any_objective); }

inline const ObjectiveKind &objective_kind(Objective objective)
{
    return objective_kind(static_cast<std::int64_t>(objective));
}

inline bool needs_energies(Objective objective) { return objective_kind(objective).needs_energies; }

// Null: there is none of that name.
inline const ObjectiveKind *find_objective(std::string_view name)
{
    const auto *const found = std::ranges::find(objective_kinds, name, &ObjectiveKind::name);
    return found == objective_kinds.end() ? nullptr : found;
}

inline const ObjectiveKind &objective_named(std::string_view name)
{
    for (const auto &kind : objective_kinds)
        if (kind.name == name) return kind;
    fail_argument("objective is ", in_quotes(name), "; it must be ",
                  list_objectives(is_any_objective, &ObjectiveKind::name));
}

} // namespace hpart
