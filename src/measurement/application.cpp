#include "measurement/application.hpp"

#include "core/checked.hpp"
#include "core/command_words.hpp"
#include "core/pluralise.hpp"
#include "measurement/program.hpp"
#include "measurement/team_run.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

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
    Places(std::vector<std::string> words, std::size_t processors) : processors_(processors)
    {
        for (const auto &word : words) find_in(word);
    }
    bool are_there() const { return found_; }

    std::vector<std::string> filled(std::vector<std::string> words, std::span<const std::int64_t> x) const
    {
        words = with_text(std::move(words), "{x}", joined(x, ","));
        words = with_text(std::move(words), "{size}", text(std::accumulate(x.begin(), x.end(), std::int64_t{0})));
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
            } else if (const auto number = parse_int(rest)) {
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

// The times that an application prints: each line's numbers, or its matches.
class PrintedTimes
{
  public:
    PrintedTimes(const std::vector<std::string> &names, bool has_pattern)
        : names_(names), named_(names.size()), has_pattern_(has_pattern)
    {
    }

    void take(std::string_view line, const std::vector<double> &numbers)
    {
        if (numbers.empty()) return;
        if (!has_pattern_ && numbers.size() == names_.size()) whole_ = numbers;
        if (numbers.size() == 1)
            if (const auto i = index_of(line)) named_[*i] = numbers.front();
        if (has_pattern_)
            each_.insert(each_.end(), numbers.begin(), numbers.end());
        else
            each_.push_back(numbers.back());
    }

    // The seconds of the processors that have work, in order; one for all of them; or none, if neither was printed.
    std::vector<double> found(std::span<const std::int64_t> x) const
    {
        const auto active =
            static_cast<std::size_t>(std::count_if(x.begin(), x.end(), [](auto size) { return size > 0; }));
        const auto of_active = [&](const auto &all) {
            std::vector<double> seconds;
            for (std::size_t i = 0; i < x.size(); ++i)
                if (x[i] > 0) seconds.push_back(all(i));
            return seconds;
        };
        if (!whole_.empty()) return of_active([&](std::size_t i) { return whole_[i]; });
        bool all_named = true;
        for (std::size_t i = 0; i < x.size(); ++i) all_named = all_named && (x[i] == 0 || named_[i]);
        if (all_named) return of_active([&](std::size_t i) { return *named_[i]; });
        const bool are_rounds = has_pattern_ && !each_.empty() && each_.size() % x.size() == 0;
        if (are_rounds || each_.size() == x.size()) {
            const auto last = std::span(each_).last(x.size());
            return of_active([&](std::size_t i) { return last[i]; });
        }
        if (each_.size() == active || each_.size() == 1) return each_;
        return {};
    }
    std::size_t count() const { return each_.size(); }

  private:
    // "GPU0 0.31", "GPU0: 0.31 s"
    std::optional<std::size_t> index_of(std::string_view line) const
    {
        line = trim(line);
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (line.starts_with(names_[i]) && line.size() > names_[i].size() &&
                std::string_view(" \t:=,").find(line[names_[i].size()]) != std::string_view::npos)
                return i;
        return std::nullopt;
    }

    const std::vector<std::string> &names_;
    std::vector<double> whole_;                // the last line with a number a processor
    std::vector<std::optional<double>> named_; // lines that begin with a name
    std::vector<double> each_;                 // all matches, or the last number of each line
    bool has_pattern_;
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

    void prepare() override { program_.prepare(); }
    void run(std::span<const std::int64_t> x, std::span<double> seconds) override
    {
        const auto &settings = program_.settings();
        PrintedTimes printed(names_, !settings.pattern.empty());
        const auto wall =
            program_.run(places_.filled(program_.words(), x), joined(x, " ") + "\n",
                         [&](std::string_view line) { printed.take(line, program_.printed().all_in(line)); });
        const bool prints = settings.stays || settings.prints_time;
        const auto times = prints ? printed.found(x) : std::vector<double>{wall.value_or(0)};
        const auto active = std::count_if(x.begin(), x.end(), [](auto size) { return size > 0; });
        if (times.empty() && active > 0)
            program_.fail_run("printed ", printed.count() == 0 ? "no time" : text(pluralise(printed.count(), "time")),
                              "; there must be one for each of ", pluralise(x.size(), "processor"),
                              ", in order, or one for all");
        for (const auto time : times) program_.check_seconds(time);
        gave_one_time_ = times.size() == 1 && active > 1;
        std::size_t next = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            seconds[i] = x[i] == 0 ? 0 : gave_one_time_ ? times.front() : times[next++];
    }
    bool gave_one_time() const override { return gave_one_time_; }
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
    if (options.is_set("cores"))
        fail_argument("option 'cores' belongs to the program of one processor, and the command runs all of them");
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

std::size_t culprit_of(const Team &team, std::span<const Slice> slices)
{
    std::size_t last = 0;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        if (slices[i].rows == 0) continue;
        last = i;
        std::vector<Slice> alone(slices.size());
        alone[i] = slices[i];
        try {
            TeamRun(team, alone).repeat([] {});
        } catch (const PointFailure &) {
            return i;
        }
    }
    return last;
}

void require_times_of_each(const Team &team, std::string_view what)
{
    if (team.application() == nullptr || !team.application()->gave_one_time()) return;
    fail(Status::unsupported, "the application gave one time for all processors; ", what,
         " needs the time of each: print them on one line, in order, and set option 'time_from' to 'stdout'");
}

} // namespace hpart
