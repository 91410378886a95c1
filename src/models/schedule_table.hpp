// Tables of schedules: what a dispatcher looks up, the schedule of each application and size. A text file.
#pragma once

#include "core/options.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Self-scheduling: the size of the package that a processor gets next, for simulations and for runs.

enum class SelfMethod : std::uint8_t { fixed, guided, factoring, sigmoid };

// Fails, listing the valid names.
SelfMethod self_method_of(const std::string &name);

struct SelfSchedule {
    SelfMethod method;
    std::int64_t size;
    std::int64_t package; // fixed: of each package; else the smallest
    double rate = 1;      // sigmoid

    // The options package and sigmoid_rate.
    static SelfSchedule from(SelfMethod method, std::int64_t size, std::size_t processors, const Options &options);
};

class SelfScheduler
{
  public:
    // sizes: the increasing sizes that each processor may run; none: any. They must outlive this.
    SelfScheduler(const SelfSchedule &schedule, std::size_t processors,
                  std::vector<std::span<const std::int64_t>> sizes = {});

    // The processor asks for a package, after `seconds` that its last one took; nothing before its first. 0: it gets no more.
    std::int64_t next(std::size_t processor, std::optional<double> seconds);
    std::int64_t rest() const { return rest_; }

  private:
    std::int64_t wanted(std::size_t processor);
    std::int64_t allowed(std::size_t processor, std::int64_t size) const;
    double share(std::size_t processor) const;

    SelfSchedule schedule_;
    std::vector<std::span<const std::int64_t>> sizes_;
    std::int64_t rest_;
    std::vector<std::int64_t> last_;         // package of each processor
    std::vector<std::deque<double>> speeds_; // of its last packages
    std::int64_t batch_left_ = 0, batch_package_ = 0;
};

struct TableTask {
    std::int64_t processor, package, repeats;
    bool operator==(const TableTask &) const = default;
};

struct TableEntry {
    std::string application;
    std::int64_t size = 0;
    double makespan = 0;
    bool is_optimal = false;
    std::vector<std::string> processors;
    std::vector<TableTask> tasks; // by processor, then by decreasing package
};

struct ScheduleTable {
    std::string comments; // whole lines
    std::vector<TableEntry> entries;

    const TableEntry *find(const std::string &application, std::int64_t size) const;
    // Replaces the entry of the same application and size.
    void set(TableEntry entry);
};

// Fails unless it is one line, not empty, without blanks at its ends.
void check_application(const std::string &application);

// Status::format with file, line and column.
ScheduleTable parse_schedule_table(std::string_view content, const std::string &name);
std::string format_schedule_table(const ScheduleTable &table);

} // namespace hpart
