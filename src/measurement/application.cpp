#include "measurement/application.hpp"

#include "core/child_process.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "measurement/program.hpp"
#include "measurement/team_run.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

namespace hpart
{

namespace
{

std::string_view written(std::string_view line, const PrintedNumber &number)
{
    return line.substr(number.begin, number.end - number.begin);
}

// The text behind a number alone, without "s" and the like.
std::string_view without_unit(std::string_view text)
{
    text = trim(text);
    const auto end = std::min(text.find_first_of(" \t,;"), text.size());
    return seconds_of_unit(text.substr(0, end)) ? text.substr(end) : text;
}

std::string without_numbers(std::string_view text)
{
    std::string words;
    for (const char c : text)
        if (std::string_view("0123456789.+-eE \t").find(c) == std::string_view::npos) words += c;
    return words;
}

} // namespace

void ApplicationTimes::take(std::string_view line)
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
    take_whole(line);
    const auto numbers = numbers_alone(is_cut ? line.substr(0, line.size() - cut_mark.size()) : line, unit_, quantity_);
    is_run_ = is_run_ && numbers.size() == 1;
    if (numbers.empty()) return;
    const auto is_whole = [](const auto &one) { return one.unit == Unit::none && !std::isnan(one.value); };
    if (std::ranges::all_of(numbers, is_whole)) numbers_line_ = line;
    if (numbers.size() > 1) {
        // "0 0.5 0.1": a whole number before others.
        const auto &first = numbers.front();
        const bool begins_whole = first.unit == Unit::none && first.step == unit_ &&
                                  std::ranges::any_of(numbers, [&](const auto &one) { return one.step < unit_; });
        const bool is_like_last = begins_whole && line_begins_whole_ && line_.count == numbers.size();
        has_counts_ = is_like_last && (has_counts_ || first.value > 0 || first.value != line_.each.front());
        line_begins_whole_ = begins_whole;
        line_ = {};
        line_.is_cut = is_cut;
        for (const auto &number : numbers) add(line_, line, number);
        return;
    }
    if (!std::exchange(is_run_, true)) run_ = {};
    for (auto *times : {&run_, &singles_}) add(*times, line, numbers.front());
}

std::vector<double> ApplicationTimes::found(std::span<const std::int64_t> x, std::string &failure)
{
    const auto active = static_cast<std::size_t>(std::count_if(x.begin(), x.end(), [](auto size) { return size > 0; }));
    const auto of_active = [&](const auto &all) {
        std::vector<double> seconds;
        for (std::size_t i = 0; i < x.size(); ++i)
            if (x[i] > 0) seconds.push_back(all(i));
        return seconds;
    };
    const auto &times = chosen(active);
    if (std::ranges::any_of(named_, [](const auto &named) { return named.rank != Rank::none; })) {
        std::size_t first = x.size();
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (x[i] == 0) continue;
            const auto &time = named_[i];
            if (time.rank == Rank::none)
                failure = text("printed no line that begins with processor ", in_quotes(names_[i]),
                               " and has its time; behind the name print a number alone, or one with its unit");
            first = std::min(first, i);
            if (is_mixed_ && time.lines != named_[first].lines)
                failure =
                    text("printed ", pluralise(named_[first].lines, "time"), " of processor ", in_quotes(names_[first]),
                         ", but ", time.lines, " of ", in_quotes(names_[i]), "; print as many of each, or each once");
            if (time.rank == Rank::alone && !line_with_unit_.empty()) failure = mixed_units(time.line);
            if (!time.unclear.empty())
                failure = text("printed ", in_quotes(time.unclear),
                               ", which does not say which number is the time; print its unit, or give a time pattern");
            step_ = std::min(step_, time.step);
            if (bad_.empty()) bad_ = time.bad, flaw_ = time.flaw;
        }
        if (!failure.empty()) return {};
        return of_active([&](std::size_t i) { return named_[i].seconds; });
    }
    const auto count = times.count;
    bad_ = times.bad;
    flaw_ = times.flaw;
    step_ = times.step;
    if (times.is_cut)
        failure = text("printed a line of times of more than ", longest_line,
                       " bytes, which is cut; print a line a processor");
    else if (&times == &line_ && has_counts_)
        failure =
            "printed lines that begin with whole numbers, as ranks, sizes or counts; print a line of the times alone";
    // "4 4" and "took 3 us": a grid of processes, or times.
    else if (!has_pattern_ && !numbers_line_.empty() && !line_with_unit_.empty() && times.bad.empty() &&
             (times.has_units ? times.has_bare && &times != &line_ : count > 1))
        failure = mixed_units(numbers_line_);
    else if (has_pattern_ && count == 1)
        return times.each;
    // One time: of the whole run, or of the only processor that works.
    else if (!has_pattern_ && count <= 1 && lines_with_time_ > 0 &&
             (active == 1 || count == 1 || lines_with_time_ == 1))
        return found_whole(failure);
    else if (count == x.size())
        return of_active([&](std::size_t i) { return times.each[i]; });
    else if (count == active)
        return times.each;
    else
        failure =
            text("printed ", count == 0 ? text("no ", what()) : pluralise(count, what()),
                 count == 0 || has_pattern_ || numbers_line_.empty() ? "" : text(", as ", in_quotes(numbers_line_)),
                 "; there must be one for each of ", pluralise(x.size(), "processor"), ", in order, or one for all",
                 count == 0 && !has_pattern_
                     ? text(", on lines of numbers alone or after names; a time pattern finds them in other text",
                            example_pattern(whole_line_, quantity_))
                     : "");
    return {};
}

const ApplicationTimes::Times &ApplicationTimes::chosen(std::size_t active) const
{
    const auto fits = [&](const Times &times) {
        return times.count == names_.size() || (times.count == active && active > 1);
    };
    const auto &singles = !fits(singles_) && fits(run_) ? run_ : singles_;
    // A line without units, as of a grid of processes, is none beside a line with a unit for each processor.
    const bool has_line = line_.count > 0 && (line_.has_units || singles.has_bare || !fits(singles));
    return has_line ? line_ : singles;
}

std::string ApplicationTimes::mixed_units(const std::string &without) const
{
    return text("printed ", in_quotes(without), " without a unit, but ", in_quotes(line_with_unit_),
                " with one; print a unit behind each ", what(), ", or give a time pattern",
                example_pattern(line_with_unit_, quantity_));
}

void ApplicationTimes::take_whole(std::string_view line)
{
    const auto time = time_in(line, unit_, quantity_);
    if (time && time->unit == Unit::sought && !std::isnan(time->value)) line_with_unit_ = line;
    if (!time || time->flaw == Flaw::unnamed) return;
    ++lines_with_time_;
    whole_ = *time;
    whole_line_ = line;
}

std::vector<double> ApplicationTimes::found_whole(std::string &failure)
{
    if (lines_with_time_ > 1) {
        failure = text("printed ", lines_with_time_, " lines that may have the ", what(), ", the last ",
                       in_quotes(whole_line_), "; print one, or give a time pattern",
                       example_pattern(whole_line_, quantity_));
        return {};
    }
    step_ = whole_.step;
    if (std::isnan(whole_.value)) {
        bad_ = trim(written(whole_line_, whole_));
        flaw_ = whole_.flaw;
    }
    return {whole_.value};
}

void ApplicationTimes::take_named(std::size_t i, std::string_view rest)
{
    const auto numbers = numbers_in(rest, unit_, true, quantity_);
    const auto has = [&](Unit unit) {
        return std::find_if(numbers.begin(), numbers.end(), [&](const auto &one) { return one.unit == unit; });
    };
    const auto time = has(Unit::sought), chosen = time == numbers.end() ? has(Unit::none) : time;
    if (chosen == numbers.end()) return;
    const auto bare = [](std::string_view text) { return text.find_first_not_of(" \t:=,;") == std::string_view::npos; };
    const bool is_alone = bare(rest.substr(0, chosen->begin)) && bare(without_unit(rest.substr(chosen->end)));
    const bool has_unit = time != numbers.end();
    if (!is_alone && !has_unit) return; // "GPU0 rank 3"
    const auto rank = !is_alone ? Rank::with_unit : has_unit ? Rank::alone_with_unit : Rank::alone;
    const auto words = is_alone ? std::string() : without_numbers(rest);
    auto &known = named_[i];
    if (rank < known.rank) return;
    if (rank > known.rank) {
        known = {};
        known.rank = rank;
        known.words = words;
    }
    is_mixed_ = is_mixed_ || (known.lines > 0 && last_named_ != i);
    last_named_ = i;
    ++known.lines;
    known.seconds = chosen->value;
    // Among words it may be a time of anything, unless all lines say the same of it.
    const auto alike =
        std::count_if(numbers.begin(), numbers.end(), [&](const auto &number) { return number.unit == chosen->unit; });
    if (rank == Rank::alone) known.line = text(names_[i], rest);
    if (!is_alone && (alike > 1 || known.words != words)) known.unclear = text(names_[i], rest);
    known.bad = std::isnan(chosen->value) ? trim(written(rest, *chosen)) : "";
    known.flaw = chosen->flaw;
    known.step = chosen->step;
}

void ApplicationTimes::add(Times &times, std::string_view line, const PrintedNumber &number) const
{
    ++times.count;
    if (std::isnan(number.value) && times.bad.empty())
        times.bad = trim(written(line, number)), times.flaw = number.flaw;
    times.step = std::min(times.step, number.step);
    (number.unit == Unit::sought ? times.has_units : times.has_bare) = true;
    if (times.each.size() < names_.size()) times.each.push_back(number.value);
}

std::optional<std::size_t> ApplicationTimes::index_of(std::string_view line) const
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
                    fail_parameter("command", " has {", place, "}, but there are ", pluralise(processors_, "processor"),
                                   ": {x1} is the size of the first");
                found_ = true;
            }
        }
    }

    std::size_t processors_;
    std::vector<std::string> separators_;
    bool found_ = false;
};

class ApplicationProgram final : public Application
{
  public:
    ApplicationProgram(std::vector<std::string> names, std::vector<std::string> words, const ProgramSettings &settings)
        : names_(std::move(names)), places_(words, names_.size()), program_(std::move(words), settings)
    {
        if (settings.stays && places_.are_there())
            fail_parameter("command", " has places for sizes, as {x}, but by protocol lines the program reads the "
                                      "sizes from its standard input; give only one of them");
        if (settings.takes_processor_time)
            fail_option("time_from", " is 'cpu', which is a time of one processor's program; for an application it "
                                     "must be 'stdout', 'rate' or 'wall'");
        if (!settings.stays && !places_.are_there())
            fail_parameter("command",
                           " has no place for the sizes; {x} is all of them, {x1} the first, {size} their sum, "
                           "and '{x: }' with blanks needs quotes");
        program_.command_file();
    }

    void prepare() override
    {
        gave_one_time_ = false;
        program_.prepare();
    }
    void run(std::span<const std::int64_t> x, std::span<double> seconds) override
    {
        const auto &settings = program_.settings();
        ApplicationTimes printed(names_, program_.printed(), settings);
        program_.run(places_.filled(program_.words(), x), joined(x, " ") + "\n", [&](std::string_view lines) {
            any_line(lines, [&](std::string_view line) {
                printed.take(line);
                return false;
            });
        });
        const auto active = std::count_if(x.begin(), x.end(), [](auto size) { return size > 0; });
        std::string failure;
        const bool prints = settings.stays || settings.prints_time;
        const auto times = prints ? printed.found(x, failure) : std::vector<double>{program_.seconds()};
        if (!failure.empty() && active > 0) program_.fail_run(failure);
        gave_one_time_ = times.size() == 1 && active > 1;
        const auto checked = [&](double time, std::int64_t units) {
            if (std::isnan(time))
                program_.fail_run(describe_bad_number(printed.bad(), printed.flaw(), settings.quantity));
            if (prints) return program_.checked_seconds(time, printed.step(), units);
            program_.check_seconds(time, std::nullopt);
            return time;
        };
        const auto sum = std::accumulate(x.begin(), x.end(), std::int64_t{0});
        const double of_all = gave_one_time_ ? checked(times.front(), sum) : 0;
        std::size_t next = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            seconds[i] = x[i] == 0 ? 0 : gave_one_time_ ? of_all : checked(times[next++], x[i]);
    }
    bool gave_one_time() const override { return gave_one_time_; }
    bool always_gives_one_time() const override
    {
        const auto &settings = program_.settings();
        return !settings.stays && !settings.prints_time && names_.size() > 1;
    }
    bool stays_alive() const override { return program_.settings().stays; }
    std::optional<double> printed_step() const override { return program_.printed_step(); }
    std::string time_doubt() const override { return program_.time_doubt(); }
    double waited_seconds() const override { return program_.waited_seconds(); }
    std::vector<std::string> origins() const override { return program_.origins(); }
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
    ApplicationPart(std::shared_ptr<Application> application, std::size_t processor)
        : application_(std::move(application)), processor_(processor)
    {
    }
    void prepare(const Slice &) override {}
    void run() override { fail(Status::internal, "a processor of an application was run by itself"); }
    void release() noexcept override {}
    std::optional<double> printed_step() const override { return application_->printed_step_of(processor_); }
    double waited_seconds() const override { return application_->waited_seconds(); }
    std::vector<std::string> origins() const override { return application_->origins(); }
    bool is_interruptible() const override { return application_->is_interruptible(); }
    void interrupt() noexcept override { application_->interrupt(); }

  private:
    std::shared_ptr<Application> application_;
    std::size_t processor_;
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
    for (std::size_t i = 0; i < names.size(); ++i)
        made.add({names[i], std::make_unique<ApplicationPart>(application, i), {}});
    made.set_application(std::move(application));
    made.set_kernel(team.kernel());
    made.set_node_meter(team.node_meter());
    team = std::move(made);
}

std::vector<std::size_t> culprits_of(const Team &team, std::span<const Slice> slices, const Poll &poll)
{
    std::vector<std::size_t> culprits;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        if (slices[i].rows == 0) continue;
        std::vector<Slice> alone(slices.size());
        alone[i] = slices[i];
        try {
            TeamRun(team, alone).repeat(poll);
        } catch (const PointFailure &) {
            culprits.push_back(i);
        }
    }
    return culprits;
}

void require_times_of_each(const Team &team, std::string_view what, const TeamRun *run)
{
    if (team.application() == nullptr || !team.application()->gave_one_time()) return;
    std::optional<ApplicationRun> one_time;
    if (run != nullptr) one_time = ApplicationRun{run->sizes(), run->spans().front().seconds(), ""};
    throw NoTimesOfEach(Status::unsupported,
                        text("the application gave one time for all processors; ", what,
                             " needs the time of each: an application "
                             "prints them on one line, in order, and its times are taken from stdout"),
                        std::move(one_time));
}

} // namespace hpart
