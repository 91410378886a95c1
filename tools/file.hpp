// Files of the command itself: results and plots.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart_command
{

// The path to read for a file of the call: "-" is the standard input, which may be read more than once.
std::string input_path(const std::string &argument);
// The argument as messages name it: in quotes, or "standard input".
std::string input_name(const std::string &argument);

// A file that cannot be read is a wrong call.
std::string read_file(const std::string &path);

// True if a search (hpart tune) measured the file: it has the sizes that the search needed.
bool has_sizes_of_search(const std::string &path);
// "The file has only the sizes that hpart tune measured. ...", with a line feed; "" for other files.
std::string sizes_of_search_text(const std::string &path);

// The split of a size that hpart tune chose, as its file keeps it: "# chosen time 1600 = 600,1000 ran 0.0541 certified 0.05".
struct ChosenSplit {
    std::string objective; // as of --objective
    std::int64_t size = 0;
    std::vector<std::int64_t> x;
    double value = 0; // seconds or joules
    bool has_run = false;
    std::optional<double> certified; // the precision
};
// "measured 54.1 ms, certified within 5 %".
std::string facts_text(const ChosenSplit &chosen);
// "hpart tune chose this split: measured 54.1 ms, certified within 5 %.", or names the other one.
std::string chosen_text(const ChosenSplit &chosen, const std::vector<std::int64_t> &x);
std::vector<ChosenSplit> chosen_splits(const std::string &path);
std::optional<ChosenSplit> chosen_split(const std::string &path, std::string_view objective, std::int64_t size);
// Returns true if the split is the method's own. Among the few sizes of a search a usual method finds another split than among all sizes.
// A search measures the methods' sizes for the size that it is for. At other sizes only equal parts are certain.
bool is_split_of_method(const std::string &path, std::string_view objective, std::int64_t size, std::string_view method,
                        const std::vector<std::int64_t> &x);

// The rest of each line that begins with `key`, such as "# energy = ". A device, such as /dev/null, has none.
std::vector<std::string> lines_behind(std::string_view key, const std::string &path);

// Replaces the file atomically. If it cannot be written, the command ends with exit_other.
void write_file(const std::string &path, std::string_view content);

// Fails as write_file would if it can be known before there is content; the file is left as it is.
void require_writable(const std::string &path);

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

} // namespace hpart_command
