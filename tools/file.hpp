// Files of the command itself: results and plots.
#pragma once

#include "hpart.h"
#include "library.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpart_command
{

// The path to read for a file of the call: "-" is the standard input, which may be read more than once.
std::string input_path(const std::string &argument);
// The argument as messages name it: in quotes, or "standard input".
std::string input_name(const std::string &argument);
// Fails as check does, after the library has read the file of an argument. Its message names the argument, not the copy of a pipe.
void check_read(hpart_status status, const std::string &argument);

// A file that cannot be read is a wrong call.
std::string read_file(const std::string &path);

// Replaces the file atomically. If it cannot be written, the command ends with exit_other.
void write_file(const std::string &path, std::string_view content);

// Fails as write_file would if it can be known before there is content; the file is left as it is. Claims the output of -o.
void require_writable(const std::string &path);

// No output may be another file of the call, under any name: it would replace that file. Call these before the file is used.

// Refuses an input of the call that is an output, too. input_path does so.
void claim_input(const std::string &path);
// Refuses an output of the call that is an input or another output, too. is_continued: the call adds to the file.
void claim_output(const std::string &argument, const std::string &path, bool is_continued = false);

// A folder for files of one call, removed with all that is in it.
class TemporaryFolder
{
  public:
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;
    ~TemporaryFolder();
    const std::string &path() const { return path_; }

  private:
    std::string path_;
};

// Facts of a platform: how it was measured, and what its points lack. Its file keeps them.

struct PointNote {
    std::string kind, processor; // "precision not reached"
    std::int64_t size = 0;
    std::string words;
    // If the precision of the point was not reached:
    double half_width = std::numeric_limits<double>::infinity(); // over the value; infinite if it is not known
    std::int64_t samples = 0;
    bool is_energy = false, is_by_budget = false;

    // "CPU size 64 failed with exit status 1", in the words that users type.
    std::string line() const;
};

// The split of a size that hpart tune chose.
struct ChosenSplit {
    std::string objective; // as of --objective
    std::int64_t size = 0;
    std::vector<std::int64_t> x;
    double value = 0; // seconds or joules
    bool has_run = false;
    std::optional<double> certified; // the precision
};

struct Facts {
    std::string measured; // "one after another", or ""
    std::string time_doubt;
    bool has_sizes_of_search = false; // a search (hpart tune) measured the sizes that it needed
    std::vector<std::string> energies;
    std::vector<std::pair<std::string, std::int64_t>> memory_limits; // device, bytes
    std::vector<ChosenSplit> chosen;
    std::map<std::vector<std::int64_t>, std::vector<double>>
        runs; // of a one-time application: splits, and seconds of each run
    std::vector<PointNote> notes;

    std::vector<PointNote> notes_of(std::string_view kind) const;
    // The split of the size with the least mean time of its runs, and this time; empty if none ran.
    std::pair<std::vector<std::int64_t>, double> fastest_run(std::int64_t size) const;
    std::optional<ChosenSplit> chosen_split(std::string_view objective, std::int64_t size) const;
    // Returns true if the split is the method's own. Among the few sizes of a search a usual method finds another split than among all
    // sizes. A search measures the methods' sizes for the size that it is for. At other sizes only equal parts are certain.
    bool is_split_of_method(std::string_view objective, std::int64_t size, std::string_view method,
                            const std::vector<std::int64_t> &x) const;
    // "The file has only the sizes that hpart tune measured. ...", with a line feed; "" for other platforms.
    std::string sizes_text() const;
    // "estimated by estimate:12, each processor alone", on one line; "" if the platform states none.
    std::string energy_source() const;
};
Facts facts_of(const hpart_platform *platform);

// Prints a doubt about its times with the result.
Platform read_platform(const std::string &path);

// True if the source of energies is an estimate or a replay.
bool is_no_measurement(std::string_view source);
// "measured 54.1 ms, certified within 5 %".
std::string facts_text(const ChosenSplit &chosen);
// "hpart tune chose this split: measured 54.1 ms, certified within 5 %.", or names the other one.
std::string chosen_text(const ChosenSplit &chosen, const std::vector<std::int64_t> &x);

} // namespace hpart_command
