// The metadata and comment lines of platform files.
#pragma once

#include "models/platform.hpp"
#include "models/platform_file.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Comments of platform files that were meant as metadata.

// Returns the metadata line that a comment (without its '#') probably meant; empty for free text. A word counts as a key if it differs
// in at most two letters, or in case, and a value follows as in metadata; docs/reference/platform-files.md.
std::string meant_metadata(std::string_view comment);

class Metadata
{
  public:
    // A line without its '#': metadata when it begins with a known key and has an '='; refused when it was meant so; else a comment.
    void add_line(std::string_view line, const TextPosition &position);
    // Names of the line "processors = A,B", in order.
    const std::vector<std::string> &declared_processors() const { return processors_; }
    // Sets all that was read; links and limits name processors of `names`.
    void apply(Platform &platform, const std::vector<std::string> &names) const;

  private:
    // "link A B latency = 1 bandwidth = 2": what stands before the two settings, and their values.
    struct Pair {
        std::string_view key;
        std::string subject;
        std::string first, second;
        std::string file;
        std::int64_t line, column;
        TextPosition position() const { return {file, line, column}; }
        void set(Platform &platform, std::int64_t processor, const TextPosition &at) const;
        void set(Platform &platform, std::int64_t from, std::int64_t to, const TextPosition &at) const;
        void set_values(Link &link, const TextPosition &at) const;
    };

    void add_pair(std::string_view key, std::string_view rest, const TextPosition &position);

    std::optional<double> base_power_, border_bytes_;
    std::optional<std::string> kernel_;
    std::vector<std::string> processors_;
    std::vector<Pair> pairs_;
    std::vector<std::string> comments_;
};

// The lines that say the same when they are read again.
std::string format_metadata(const Platform &platform);

} // namespace hpart
