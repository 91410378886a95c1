// String-keyed options of a call, checked against the registry when they are set.
#pragma once

#include "core/containers.hpp"
#include "core/option_keys.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpart
{

class Timeline;
class ParalephRanks; // partitioners/methods/papers/paraleph.hpp

class HPART_PRIVATE Options
{
  public:
    void set_text(std::string_view name, std::string_view value);
    void set_int(std::string_view name, std::int64_t value);
    void set_double(std::string_view name, double value);
    // Sizes by processor, none to forget them; they must not be negative.
    void set_previous(std::vector<std::int64_t> x);
    void set_progress(std::shared_ptr<const ProgressCallback> progress) { progress_ = std::move(progress); }

    void set_timeline(std::shared_ptr<Timeline> timeline) { timeline_ = std::move(timeline); }

    // Processes that method paraleph uses; null: none. They must outlive the calls with these options.
    void set_paraleph_ranks(ParalephRanks *ranks) { paraleph_ranks_ = ranks; }

    // Fails when a key that was set does not belong to the call, or has a value that the call does not take.
    void check_belongs(Call call) const;

    // True when both sets have the key with the same value.
    bool agrees_with(const Options &other, std::string_view key) const;
    // Copies the other's values of those keys of the call that are not set here.
    void take_missing(const Options &other, Call call);
    void unset(std::string_view key);

    // The value set, else the registry's default, the call's if one is given. An integer or real without default ("none") gives nothing.
    std::string get_text(std::string_view name, std::uint32_t call = 0) const;
    std::int64_t get_int(std::string_view name, std::uint32_t call = 0) const;
    std::optional<std::int64_t> find_int(std::string_view name, std::uint32_t call = 0) const;
    std::optional<double> find_double(std::string_view name, std::uint32_t call = 0) const;
    double get_double(std::string_view name, std::uint32_t call = 0) const { return find_double(name, call).value(); }
    bool is_set(std::string_view key) const { return values_.find(key) != values_.end(); }

    const std::vector<std::int64_t> &previous() const { return previous_; }
    const std::shared_ptr<const ProgressCallback> &progress() const { return progress_; }
    const std::shared_ptr<Timeline> &timeline() const { return timeline_; }
    ParalephRanks *paraleph_ranks() const { return paraleph_ranks_; }

  private:
    using Value = Variant<std::int64_t, double, std::string>;
    std::map<std::string, Value, std::less<>> values_;
    std::vector<std::int64_t> previous_;
    std::shared_ptr<const ProgressCallback> progress_;
    std::shared_ptr<Timeline> timeline_;
    ParalephRanks *paraleph_ranks_ = nullptr;
};

// An ordered list of keys and values that a call returns beside its result. A value may be a list of rows, each a report.

class HPART_PRIVATE Report
{
  public:
    using Rows = std::vector<Report>;
    using Value = Variant<std::int64_t, double, std::string, std::vector<double>, Rows>;

    // Adds the key, or replaces its value.
    void set(std::string_view key, Value value);
    void erase(std::string_view key);

    std::int64_t count() const { return static_cast<std::int64_t>(entries_.size()); }
    const std::string &key(std::int64_t k) const { return entries_.at(static_cast<std::size_t>(k)).first; }
    // Null when there is none of that name.
    const Value *find(std::string_view key) const;
    // Fails, naming the keys there are, when there is none of that name.
    const Value &get(std::string_view key) const;

    static std::string format(const Value &value);
    // One object in the order of the keys; numbers that are not finite are null.
    std::string json() const;
    bool operator==(const Report &) const = default;

  private:
    std::vector<std::pair<std::string, Value>> entries_;
};

} // namespace hpart
