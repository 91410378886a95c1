#include "measurement/application.hpp"

#include "core/checked.hpp"
#include "core/command_words.hpp"
#include "core/pluralise.hpp"
#include "core/units.hpp"
#include "measurement/program.hpp"
#include "measurement/team_run.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace hpart
{

namespace
{

std::string joined(std::span<const std::int64_t> x, std::string_view separator)
{
    std::string line;
    for (const auto size : x) line += text(line.empty() ? "" : separator, size);
    return line;
}

// The places of a command that are replaced by sizes.
class Places
{
  public:
    Places(const std::vector<std::string> &words, std::size_t processors) : processors_(processors)
    {
        for (const auto &word : words) find_in(word);
    }
    bool are_there() const { return found_; }

    std::vector<std::string> filled(std::vector<std::string> words, std::span<const std::int64_t> x) const
    {
        std::int64_t sum = 0;
        for (const auto size : x) {
            const auto next = checked_add(sum, size);
            if (!next) fail_argument("the sizes of all processors do not sum up to a 64-bit number");
            sum = *next;
        }
        words = with_text(std::move(words), "{x}", joined(x, ","));
        words = with_text(std::move(words), "{size}", text(sum));
        for (std::size_t i = 0; i < x.size(); ++i)
            words = with_text(std::move(words), text("{x", i + 1, "}"), text(x[i]));
        for (const auto &separator : separators_)
            words = with_text(std::move(words), text("{x:", separator, "}"), joined(x, separator));
        return words;
    }

  private:
    void find_in(std::string_view word)
    {
        for (auto at = word.find('{'); at != std::string_view::npos; at = word.find('{', at + 1)) {
            const auto end = word.find('}', at);
            if (end == std::string_view::npos) return;
            const auto place = word.substr(at + 1, end - at - 1);
            if (place == "x" || place == "size") found_ = true;
            if (place.size() < 2 || place.front() != 'x') continue;
            const auto rest = place.substr(1);
            if (rest.front() == ':') {
                separators_.emplace_back(rest.substr(1));
                found_ = true;
            } else if (const auto number = parse_int(rest); number && text(*number) == rest) {
                if (*number < 1 || *number > static_cast<std::int64_t>(processors_))
                    fail_argument("command has {", place, "}, but there are ", pluralise(processors_, "processor"),
                                  ": {x1} is the size of the first");
                found_ = true;
            }
        }
    }

    std::size_t processors_;
    std::vector<std::string> separators_;
    bool found_ = false;
};

// The times that an application prints: the matches of a pattern. Without a pattern the lines that begin with a processor's name, or, if
// there are none, the last line of several numbers and nothing else, or the lines of one number each.
class PrintedTimes
{
  public:
    PrintedTimes(const std::vector<std::string> &names, const PrintedTime &pattern, const ProgramSettings &settings)
        : names_(names), pattern_(pattern), has_pattern_(!settings.pattern.empty()), unit_(settings.unit_seconds()),
          named_(names.size())
    {
    }

    void take(std::string_view line)
    {
        if (has_pattern_) {
            for (const auto &number : pattern_.all_in(line)) add(singles_, line, number);
            return;
        }
        const bool is_cut = line.ends_with(cut_mark);
        line = trim(line);
        if (const auto i = index_of(line)) {
            take_named(*i, line.substr(names_[*i].size()));
            return;
        }
        const auto numbers = numbers_alone(is_cut ? line.substr(0, line.size() - cut_mark.size()) : line, unit_);
        is_run_ = is_run_ && numbers.size() == 1;
        if (numbers.empty()) return;
        if (numbers.size() > 1) {
            line_ = {};
            line_.is_cut = is_cut;
            for (const auto &number : numbers) add(line_, line, number);
            return;
        }
        if (!std::exchange(is_run_, true)) run_ = {};
        for (auto *times : {&run_, &singles_}) add(*times, line, numbers.front());
    }

    // The first that was no number; "" if all were.
    const std::string &bad() const { return bad_; }

    // The seconds of the processors that have work, in order, or one for all of them. Else why there are none.
    std::vector<double> found(std::span<const std::int64_t> x, std::string &failure)
    {
        const auto active =
            static_cast<std::size_t>(std::count_if(x.begin(), x.end(), [](auto size) { return size > 0; }));
        const auto of_active = [&](const auto &all) {
            std::vector<double> seconds;
            for (std::size_t i = 0; i < x.size(); ++i)
                if (x[i] > 0) seconds.push_back(all(i));
            return seconds;
        };
        const auto &times = chosen(active);
        if (has_names(x, times)) {
            for (std::size_t i = 0; i < x.size(); ++i) {
                if (x[i] == 0) continue;
                const auto &time = named_[i];
                if (time.rank == Rank::none) failure = text("printed no time of processor ", in_quotes(names_[i]));
                if (!time.unclear.empty())
                    failure =
                        text("printed ", in_quotes(time.unclear),
                             ", which does not say which number is the time; print its unit, or set time_pattern");
                if (bad_.empty()) bad_ = time.bad;
            }
            if (!failure.empty()) return {};
            return of_active([&](std::size_t i) { return named_[i].seconds; });
        }
        const auto count = times.count;
        bad_ = times.bad;
        if (times.is_cut)
            failure = text("printed a line of times of more than ", longest_line,
                           " bytes, which is cut; print a line a processor");
        else if (count == x.size())
            return of_active([&](std::size_t i) { return times.each[i]; });
        else if (count == active || count == 1)
            return times.each;
        else
            failure =
                text("printed ", count == 0 ? "no time" : pluralise(count, "time"), "; there must be one for each of ",
                     pluralise(x.size(), "processor"), ", in order, or one for all",
                     count == 0 && !has_pattern_ ? ", on lines of numbers alone or after names; time_pattern "
                                                   "finds them in other text"
                                                 : "");
        return {};
    }

  private:
    static std::string_view written(std::string_view line, const PrintedNumber &number)
    {
        return line.substr(number.begin, number.end - number.begin);
    }

    // A number behind a name: how surely it is a time.
    enum class Rank { none, among_words, with_unit, alone, alone_with_unit };
    struct Named {
        Rank rank = Rank::none;
        double seconds = 0;
        std::string words;   // its line without numbers
        std::string unclear; // a line whose number may be another
        std::string bad;     // the number, if it is none
    };

    // Times in order, and how many there were.
    struct Times {
        std::vector<double> each; // the first of count
        std::size_t count = 0;
        std::string bad;
        bool is_cut = false;
    };

    // Numbers alone that are as many as the processors go before a name with less than a time on each line: "GPU0: NVIDIA A100, 80 GB".
    bool has_names(std::span<const std::int64_t> x, const Times &times) const
    {
        bool are_times = true, is_one = false;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (x[i] > 0) are_times = are_times && named_[i].rank >= Rank::with_unit;
            is_one = is_one || named_[i].rank != Rank::none;
        }
        const auto active = x.size() - static_cast<std::size_t>(std::count(x.begin(), x.end(), 0));
        return is_one && (are_times || (times.count != x.size() && times.count != active));
    }

    // The line of several; else all single numbers, or the last of them in a row if there are too many.
    const Times &chosen(std::size_t active) const
    {
        const auto fits = [&](const Times &times) {
            return times.count == names_.size() || (times.count == active && active > 1);
        };
        return line_.count > 0 ? line_ : !fits(singles_) && fits(run_) ? run_ : singles_;
    }

    // Other lines may begin with a name, too: "GPU0 done", "GPU0 memory 12 GB", "GPU0 71 rows".
    void take_named(std::size_t i, std::string_view rest)
    {
        const auto numbers = numbers_in(rest, unit_);
        const auto has = [&](Unit unit) {
            return std::find_if(numbers.begin(), numbers.end(), [&](const auto &one) { return one.unit == unit; });
        };
        const auto time = has(Unit::time), chosen = time == numbers.end() ? has(Unit::none) : time;
        if (chosen == numbers.end()) return;
        const auto bare = [](std::string_view text) {
            return text.find_first_not_of(" \t:=,;") == std::string_view::npos;
        };
        const bool is_alone = bare(rest.substr(0, chosen->begin)) && bare(without_unit(rest.substr(chosen->end)));
        const bool has_unit = time != numbers.end();
        const auto rank = is_alone   ? (has_unit ? Rank::alone_with_unit : Rank::alone)
                          : has_unit ? Rank::with_unit
                                     : Rank::among_words;
        const auto words = is_alone ? std::string() : without_numbers(rest);
        auto &known = named_[i];
        if (rank < known.rank) return;
        if (rank > known.rank) {
            known = {};
            known.rank = rank;
            known.words = words;
        }
        known.seconds = chosen->value;
        // Among words it may be anything, unless all lines say the same of it.
        const auto alike = std::count_if(numbers.begin(), numbers.end(),
                                         [&](const auto &number) { return number.unit == chosen->unit; });
        if (!is_alone && (alike > 1 || known.words != words)) known.unclear = text(names_[i], rest);
        known.bad = std::isnan(chosen->value) ? trim(written(rest, *chosen)) : "";
    }

    // The text behind a number alone, without "s" and the like.
    static std::string_view without_unit(std::string_view text)
    {
        text = trim(text);
        const auto end = std::min(text.find_first_of(" \t,;"), text.size());
        return seconds_of_unit(text.substr(0, end)) ? text.substr(end) : text;
    }

    static std::string without_numbers(std::string_view text)
    {
        std::string words;
        for (const char c : text)
            if (std::string_view("0123456789.+-eE \t").find(c) == std::string_view::npos) words += c;
        return words;
    }

    void add(Times &times, std::string_view line, const PrintedNumber &number) const
    {
        ++times.count;
        if (std::isnan(number.value) && times.bad.empty()) times.bad = trim(written(line, number));
        if (times.each.size() < names_.size()) times.each.push_back(number.value);
    }

    // "GPU0 0.31", "GPU0: 0.31 s": the longest name that the line begins with.
    std::optional<std::size_t> index_of(std::string_view line) const
    {
        std::optional<std::size_t> longest;
        for (std::size_t i = 0; i < names_.size(); ++i) {
            const auto &name = names_[i];
            const bool begins = line.starts_with(name) && line.size() > name.size() &&
                                std::string_view(" \t:=,;").find(line[name.size()]) != std::string_view::npos;
            if (begins && (!longest || names_[*longest].size() < name.size())) longest = i;
        }
        return longest;
    }

    const std::vector<std::string> &names_;
    const PrintedTime &pattern_;
    bool has_pattern_, is_run_ = false;
    double unit_;
    std::vector<Named> named_;
    std::string bad_;
    Times line_, singles_, run_; // the last line of several; all lines of one; the last of these in a row
};

class ApplicationProgram final : public Application
{
  public:
    ApplicationProgram(std::vector<std::string> names, std::vector<std::string> words, const ProgramSettings &settings)
        : names_(std::move(names)), places_(words, names_.size()), program_(std::move(words), settings)
    {
        if (settings.stays && places_.are_there())
            fail_argument("command has places for sizes, as {x}, but option 'protocol' is 'lines', where the program "
                          "reads the sizes from its standard input; one of them must go");
        if (!settings.stays && !places_.are_there())
            fail_argument("command has no place for the sizes; {x} is all of them, {x1} the first, {size} their sum, "
                          "and '{x: }' with blanks needs quotes");
    }

    void prepare() override
    {
        gave_one_time_ = false;
        program_.prepare();
    }
    void run(std::span<const std::int64_t> x, std::span<double> seconds) override
    {
        const auto &settings = program_.settings();
        PrintedTimes printed(names_, program_.printed(), settings);
        program_.run(places_.filled(program_.words(), x), joined(x, " ") + "\n",
                     [&](std::string_view line) { printed.take(line); });
        const auto active = std::count_if(x.begin(), x.end(), [](auto size) { return size > 0; });
        std::string failure;
        const bool prints = settings.stays || settings.prints_time;
        const auto times = prints ? printed.found(x, failure) : std::vector<double>{program_.wall_seconds()};
        if (!failure.empty() && active > 0) program_.fail_run(failure);
        for (const auto time : times) {
            if (std::isnan(time)) program_.fail_run(describe_bad_number(printed.bad()));
            program_.check_seconds(time);
        }
        gave_one_time_ = times.size() == 1 && active > 1;
        std::size_t next = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            seconds[i] = x[i] == 0 ? 0 : gave_one_time_ ? times.front() : times[next++];
    }
    bool gave_one_time() const override { return gave_one_time_; }
    bool always_gives_one_time() const override
    {
        const auto &settings = program_.settings();
        return !settings.stays && !settings.prints_time && names_.size() > 1;
    }
    std::string time_doubt() const override { return program_.time_doubt(); }
    std::string description() const override { return program_.description(); }
    bool is_interruptible() const override { return true; }
    void interrupt() noexcept override { program_.interrupt(); }

  private:
    std::vector<std::string> names_;
    Places places_;
    Program program_;
    std::atomic<bool> gave_one_time_ = false; // others look while it runs
};

// A processor of an application, which never runs by itself.
class ApplicationPart final : public Kernel
{
  public:
    explicit ApplicationPart(std::shared_ptr<Application> application) : application_(std::move(application)) {}
    void prepare(const Slice &) override {}
    void run() override { fail(Status::internal, "a processor of an application was run by itself"); }
    void release() noexcept override {}
    bool is_interruptible() const override { return application_->is_interruptible(); }
    void interrupt() noexcept override { application_->interrupt(); }

  private:
    std::shared_ptr<Application> application_;
};

} // namespace

std::unique_ptr<Application> make_application(const std::vector<std::string> &names, std::string_view command,
                                              const Options &options)
{
    return std::make_unique<ApplicationProgram>(names, split_command(command), ProgramSettings::from(options));
}

void set_application(Team &team, const std::vector<std::string> &names, std::shared_ptr<Application> application)
{
    if (team.count() > 0)
        fail_argument("the team has ", pluralise(team.count(), "processor"),
                      " already; an application runs all processors of a team");
    Team made;
    for (const auto &name : names) made.add({name, std::make_unique<ApplicationPart>(application), {}});
    made.set_application(std::move(application));
    made.set_kernel(team.kernel());
    made.set_node_meter(team.node_meter());
    team = std::move(made);
}

std::vector<std::size_t> culprits_of(const Team &team, std::span<const Slice> slices, const std::function<void()> &look)
{
    std::vector<std::size_t> culprits;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        if (slices[i].rows == 0) continue;
        std::vector<Slice> alone(slices.size());
        alone[i] = slices[i];
        try {
            look();
            TeamRun(team, alone).repeat(look);
        } catch (const PointFailure &) {
            culprits.push_back(i);
        }
    }
    return culprits;
}

void require_times_of_each(const Team &team, std::string_view what, const TeamRun *run)
{
    if (team.application() == nullptr || !team.application()->gave_one_time()) return;
    std::vector<std::int64_t> x;
    if (run != nullptr)
        for (const auto &slice : run->slices()) x.push_back(slice.rows);
    throw OneTime(text("the application gave one time for all processors; ", what,
                       " needs the time of each: an application "
                       "prints them on one line, in order, with option time_from=stdout"),
                  std::move(x), run == nullptr ? 0 : run->spans().front().seconds());
}

} // namespace hpart
