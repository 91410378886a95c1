// Facts of a platform file beside its metadata: how its points were measured, and what they lack. The file has each as a comment line.
#pragma once

#include "core/containers.hpp"
#include "core/options.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpart
{

// A fact of the whole platform.
enum class Topic : std::uint8_t {
    way,
    statistic,
    machine,
    origin, // a program as it was then, or a device and its driver
    energy,
    base_power_error,
    sizes_of_search,
    time_doubt
};
struct Statement {
    Topic topic = Topic::way;
    std::string text; // "all processors at once"
    bool operator==(const Statement &) const = default;
};

struct MemoryLimit {
    std::string device;
    std::int64_t bytes = 0;
    bool operator==(const MemoryLimit &) const = default;
};

// A fact of a point.
enum class NoteKind : std::uint8_t {
    failed,
    unfinished, // the budget ended first
    imprecise,
    unbound,
    busy,
    energy_busy,
    outliers,
    drift,
    serial_correlation
};
struct Note {
    NoteKind kind = NoteKind::failed;
    std::string processor;
    std::int64_t size = 0;
    std::string text;
    bool operator==(const Note &) const = default;
    bool is_at(std::string_view name, std::int64_t point) const { return size == point && processor == name; }
};
// As files have it: "precision not reached".
std::string_view note_name(NoteKind kind);

// The text of a note about precision: "is known to 10.6 % after 5 repetitions (max_total_seconds)".
struct Imprecision {
    std::string clause;            // "is known to 10.6 %", "takes 0.21 +- 0.06 J"
    std::optional<double> ratio{}; // half-width over the value
    std::int64_t samples = 0;      // repetitions, or windows of a meter
    bool is_energy = false;
    std::string remark{}; // " (max_total_seconds)", which ended the measurement

    bool is_by_budget() const;
    std::string_view unit() const;
    std::string line() const;
    // Nothing if the line is none of hpart's.
    static std::optional<Imprecision> read(std::string_view line);
};

// A search's result for a size: "chosen time 1600 = 600,1000 ran 0.0541 certified 0.05".
struct ChosenDistribution {
    std::string objective;
    std::int64_t size = 0;
    std::vector<std::int64_t> x;
    double value = 0;                // seconds or joules
    bool has_run = false;            // else the value is predicted
    std::optional<double> certified; // the precision
};

// A run of a whole application: "run 30,40 = 0.012", "run 30,40 = failed: out of memory".
struct ApplicationRun {
    std::vector<std::int64_t> x;
    double seconds = 0;
    std::string failure; // empty: the run did not fail
};

std::string line_of(const ApplicationRun &run);

// "30,40"
std::string comma_list(const std::vector<std::int64_t> &x);

// In the order of the file. A line that hpart does not write is a comment, and stays as it is.
class HPART_PRIVATE Facts
{
  public:
    using IsProcessor = std::function<bool(std::string_view)>;
    // Lines come without their '#'.
    void add_line(std::string_view line, const IsProcessor &is_processor);
    std::vector<std::string> lines() const;

    template <typename Fact> void add(Fact fact) { facts_.emplace_back(std::move(fact)); }
    // Calls use(fact) for each fact of the kind; a comment is a std::string.
    template <typename Fact, typename Use> void each(Use &&use) const
    {
        for (const auto &one : facts_)
            if (const auto *fact = std::get_if<Fact>(&one)) use(*fact);
    }
    template <typename Fact> std::vector<Fact> all() const
    {
        std::vector<Fact> found;
        each<Fact>([&](const Fact &fact) { found.push_back(fact); });
        return found;
    }
    template <typename Fact, typename Is> void erase_if(Is &&is)
    {
        std::erase_if(facts_, [&](const Any &one) {
            const auto *fact = std::get_if<Fact>(&one);
            return fact != nullptr && is(*fact);
        });
    }

    // Adds the facts of other points of the platform. Results of searches and runs stay away. A topic of one statement keeps the first.
    void add_of_points(const Facts &others);

    // After a processor has another name.
    void rename(std::string_view from, const std::string &to);

    bool states(Topic topic) const;
    // The first one's text; `otherwise` if there is none.
    std::string stated(Topic topic, std::string_view otherwise = "") const;
    std::vector<std::string> all_stated(Topic topic) const;
    // In place of all of the topic.
    void state(Topic topic, std::string text);
    // The keys of hpart_platform_report.
    Report report() const;
    bool has_note(NoteKind kind, std::string_view processor, std::int64_t size) const;

  private:
    using Any = Variant<std::string, Statement, MemoryLimit, Note, ChosenDistribution, ApplicationRun>;
    std::vector<Any> facts_;
};

} // namespace hpart
