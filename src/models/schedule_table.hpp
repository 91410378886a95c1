// Tables of schedules: what a dispatcher looks up, the schedule of each application and size. A text file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

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
