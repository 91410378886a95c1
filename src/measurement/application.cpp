#include "measurement/application.hpp"

#include "core/child_process.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "measurement/application_times.hpp"
#include "measurement/program.hpp"
#include "measurement/team_run.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
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
            fail_parameter("command", " has places for sizes, as {x}, but 'protocol' is 'lines', where the program "
                                      "reads the sizes from its standard input; give only one of them");
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
    explicit ApplicationPart(std::shared_ptr<Application> application) : application_(std::move(application)) {}
    void prepare(const Slice &) override {}
    void run() override { fail(Status::internal, "a processor of an application was run by itself"); }
    void release() noexcept override {}
    std::optional<double> printed_step() const override { return application_->printed_step(); }
    double waited_seconds() const override { return application_->waited_seconds(); }
    std::vector<std::string> origins() const override { return application_->origins(); }
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
