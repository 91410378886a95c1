// String-keyed options of a call, checked against the registry when they are set.
#pragma once

#include "core/option_keys.hpp"
#include "core/progress.hpp"
#include "core/variant.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

class Timeline;
class ParalephRanks; // partitioners/methods/papers/paraleph_columns.hpp

class Options
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

    // Fails when a key that was set does not belong to the call.
    void check_belongs(Call call) const;

    // True when both sets have the key with the same value.
    bool agrees_with(const Options &other, std::string_view key) const;
    // Copies the other's values of those keys of the call that are not set here.
    void take_missing(const Options &other, Call call);
    void unset(std::string_view key);

    // The value set, else the registry's default. An integer or real without default ("none") gives nothing.
    std::string get_text(std::string_view name) const;
    std::int64_t get_int(std::string_view name) const;
    std::optional<std::int64_t> find_int(std::string_view name) const;
    std::optional<double> find_double(std::string_view name) const;
    double get_double(std::string_view name) const { return find_double(name).value(); }
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

} // namespace hpart
