#include "measurement/program.hpp"

#include "core/child_process.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <utility>

namespace hpart
{

namespace
{

constexpr std::string_view place_of_size = "{size}";

// A size that is never written makes every size equally fast.
void refuse_like_place(const std::vector<std::string> &words)
{
    for (const std::string_view like : {"{sizes}", "{Size}", "{SIZE}", "{n}", "{N}", "{x}"})
        for (const auto &word : words)
            if (word.find(like) != std::string::npos)
                fail_parameter("command", " has ", like, ", and no ", place_of_size, ", the place of the size; write ",
                               place_of_size);
}

// NAME=VALUE, as a shell has it before a command.
bool is_assignment(std::string_view word)
{
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto name = word.substr(0, word.find('='));
    return name.size() < word.size() && !name.empty() && is_letter(name.front()) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

// The work of one processor.
class ProgramKernel final : public Kernel
{
  public:
    ProgramKernel(std::vector<std::string> words, const ProgramSettings &settings)
        : program_(std::move(words), settings)
    {
        program_.command_file();
    }
    void prepare(const Slice &slice) override
    {
        size_ = slice.rows;
        program_.prepare();
    }
    void run() override
    {
        const auto &settings = program_.settings();
        const bool answers_alone = settings.stays && settings.pattern.empty(); // the whole line is the number
        std::optional<PrintedNumber> printed;
        std::string written;
        program_.run(with_text(program_.words(), place_of_size, text(size_)), text(size_, '\n'),
                     [&](std::string_view lines) {
                         any_line_from_end(lines, [&](std::string_view line) {
                             const auto found = answers_alone ? parse_seconds(line, settings.unit_seconds())
                                                              : program_.printed().last_in(line);
                             if (!found || (printed && found->flaw == Flaw::unnamed)) return false;
                             printed = found;
                             written = line.substr(found->begin, found->end - found->begin);
                             return found->flaw != Flaw::unnamed; // the time may stand above "error = 1e-13"
                         });
                     });
        if ((settings.stays || settings.prints_time) && !printed)
            program_.fail_run(settings.pattern.empty() ? "printed no number on its standard output"
                                                       : "printed nothing that the time pattern matches");
        if (printed && std::isnan(printed->value) && answers_alone)
            program_.fail_run("answered ", in_quotes(written), ", which is no number of seconds");
        if (printed && std::isnan(printed->value))
            program_.fail_run(describe_bad_number(written, printed->flaw, settings.quantity));
        if (!printed) program_.check_seconds(program_.seconds(), std::nullopt);
        seconds_ = printed ? program_.checked_seconds(printed->value, printed->step, size_) : program_.seconds();
    }
    void release() noexcept override {}
    std::optional<double> own_seconds() const override { return seconds_; }
    std::optional<double> printed_step() const override { return program_.printed_step(); }
    std::string time_doubt() const override { return program_.time_doubt(); }
    double waited_seconds() const override { return program_.waited_seconds(); }
    std::vector<std::string> origins() const override { return program_.origins(); }
    bool is_interruptible() const override { return true; }
    void interrupt() noexcept override { program_.interrupt(); }
    std::string description() const override { return program_.description(); }

  private:
    Program program_;
    std::int64_t size_ = 0;
    double seconds_ = 0;
};

} // namespace

ProgramSettings ProgramSettings::from(const Options &options)
{
    ProgramSettings settings;
    settings.pattern = options.get_text("time_pattern");
    settings.unit = options.get_text("time_unit");
    settings.stays = options.get_text("protocol") == "lines";
    const auto from = options.is_set("time_from") ? options.get_text("time_from") : "stdout";
    settings.takes_processor_time = from == "cpu";
    const bool is_rate = from == "rate";
    settings.quantity = is_rate ? Printed::rate : Printed::time;
    if (from != "stdout" && settings.stays)
        fail_option("time_from", " is ", in_quotes(from),
                    ", but by protocol lines the program answers its seconds; give only one of them");
    if (from != "stdout" && !is_rate && !settings.pattern.empty())
        fail_option("time_from", " is ", in_quotes(from), "; with a time pattern it must be 'stdout' or 'rate'");
    settings.prints_time = !settings.pattern.empty() || is_rate || options.get_text("time_from") == "stdout";
    if (options.is_set("time_unit") && is_rate)
        fail_option("time_unit", " is ", in_quotes(settings.unit),
                    ", but a rate is in units a second; give only one of them");
    if (options.is_set("time_unit") && !settings.prints_time && !settings.stays)
        fail_option("time_unit", " is ", in_quotes(settings.unit),
                    ", but the program prints no time; take the time from stdout, or give a time pattern");
    settings.timeout = options.find_double("timeout").value_or(settings.timeout);
    return settings;
}

double ProgramSettings::unit_seconds() const { return seconds_of_unit(unit).value(); }

Program::Program(std::vector<std::string> words, const ProgramSettings &settings)
    : words_(std::move(words)), settings_(settings),
      printed_(settings.pattern, settings.unit_seconds(), settings.quantity)
{
    if (std::all_of(words_.begin(), words_.end(), is_assignment))
        fail_parameter("command", " is ", in_quotes(join_command(words_)), "; it must name a program");
    if (is_assignment(words_.front())) words_.insert(words_.begin(), "env");
    words_now_ = words_;
}

std::string Program::command_file() const
{
    const bool has_environment = words_.front() == "env";
    const auto program = std::find_if_not(words_.begin() + (has_environment ? 1 : 0), words_.end(), is_assignment);
    if (program == words_.end() || program->find('{') != std::string::npos) return ""; // sizes name it
    if (has_environment && program->starts_with('-')) return "";                       // an option of env
    try {
        return find_program(*program);
    } catch (const Error &error) {
        fail_argument(in_quotes(join_command(words_)), " ", error.what());
    }
}

std::vector<std::string> Program::origins() const
{
    std::vector<std::string> all = {command_file()};
    for (const auto &word : words_) {
        std::error_code ignored;
        if (word != all.front() && std::filesystem::is_regular_file(word, ignored)) all.push_back(word);
    }
    std::erase(all, "");
    for (auto &file : all) file = describe_file(file);
    return all;
}

Program::~Program()
{
    if (session_) session_->close_input();
}

void Program::prepare()
{
    interruption_.clear();
    if (!settings_.stays) return;
    if (session_ && session_->has_ended()) session_.reset();
    if (session_) return;
    answers_.clear();
    start(true, [this](std::string_view lines) {
        any_line(lines, [this](std::string_view line) {
            answers_.emplace_back(line);
            return false;
        });
    });
}

void Program::run(const std::vector<std::string> &words, const std::string &line, const TextReader::OnText &on_text)
{
    if (settings_.stays) {
        if (session_) session_->begin_waits();
        const auto begin = Clock::now();
        const auto answer = ask(line);
        seconds_ = wall_seconds_ = seconds_since(begin);
        waited_seconds_ += session_->waited_seconds();
        return on_text(answer);
    }
    words_now_ = words;
    start(false, settings_.prints_time ? on_text : TextReader::OnText());
    check(session_->wait([] { return false; }, limit(), interruption_), "end");
    if (const auto failure = session_->how_it_ended().value_or(""); !failure.empty()) fail_run(failure);
    wall_seconds_ = session_->seconds();
    waited_seconds_ += session_->waited_seconds();
    seconds_ = settings_.takes_processor_time ? session_->processor_seconds() : wall_seconds_;
}

void Program::check_seconds(double seconds, std::optional<double> step)
{
    // Clocks and decimals of programs are coarser than ours.
    constexpr double longer = 1.05, more_seconds = 0.05;
    if (std::isnan(seconds) && settings_.takes_processor_time)
        fail_run("has a processor time that the system does not tell");
    if (std::isnan(seconds)) fail_run("prints a time that is no number, or none that a double can hold");
    if (!std::isfinite(seconds) || seconds < 0)
        fail_run("says that it took ", seconds, " s; that must be a finite number, 0 or more");
    if (step) printed_step_ = std::min(*step, printed_step_.value_or(*step));
    const bool is_rate = settings_.quantity == Printed::rate; // a pattern does not choose its unit
    if (step && time_doubt_.empty() && (is_rate || settings_.pattern.empty()) &&
        seconds > longer * wall_seconds_ + more_seconds)
        time_doubt_ = text(in_quotes(join_command(words_now_)), " says that it took ",
                           is_rate ? brief_seconds(seconds) + " by its rate" : given_seconds(seconds),
                           ", but its run took ", brief_seconds(wall_seconds_),
                           is_rate ? "; the rate must be units of the size a second"
                                   : "; print seconds, or a unit such as ms, or give the time unit");
}

double Program::checked_seconds(double printed, double step, std::int64_t units)
{
    double seconds = printed;
    if (settings_.quantity == Printed::rate) {
        if (!std::isfinite(printed) || printed <= 0)
            fail_run("printed a rate of ", printed, " units a second; that must be a finite number above 0");
        seconds = static_cast<double>(units) / printed;
        step *= seconds / printed;
    }
    check_seconds(seconds, step);
    return seconds;
}

std::string Program::description() const
{
    auto line = printable(join_command(words_));
    if (settings_.stays) line += " (protocol lines)";
    if (settings_.prints_time && !settings_.stays)
        line += text(" (time from ", settings_.quantity == Printed::rate ? "rate" : "stdout", ")");
    if (settings_.takes_processor_time) line += " (processor time)";
    if (settings_.unit != "s") line += text(" (time unit ", settings_.unit, ")");
    if (!settings_.pattern.empty()) line += text(" (time pattern ", printable(settings_.pattern), ")");
    return line;
}

void Program::fail_run_with(const std::string &reason)
{
    std::string last = session_ ? session_->last_error_line() : "";
    std::replace(last.begin(), last.end(), '\t', ' '); // as a shell's time prints it
    session_.reset(); // whatever it would answer now is of no use: the next point starts it anew
    throw RunFailure(text(in_quotes(join_command(words_now_)), " ", reason,
                          last.empty() ? "" : "; the last line of its standard error is " + in_quotes(last)));
}

namespace
{

// A larger file is known by its length and its time alone.
constexpr std::uintmax_t most_hashed_bytes = std::uintmax_t{64} << 20;

std::optional<std::size_t> hash_of_content(const std::string &path)
{
    std::error_code error;
    if (std::filesystem::file_size(path, error) > most_hashed_bytes || error) return std::nullopt;
    return std::hash<std::string>()(content_of_file(path));
}

} // namespace

// A new time alone, as touch makes it, is no change.
bool Program::Watched::has_changed()
{
    auto now = describe_file(path);
    if (now == state) return false;
    if (!content || hash_of_content(path) != content) return true;
    state = std::move(now);
    return false;
}

void Program::require_same_files()
{
    if (starts_++ == 0) {
        std::vector<std::string> paths = {command_file()};
        const auto is_file = [&](const std::string &word) {
            std::error_code ignored;
            return word != words_.front() && word != paths.front() && std::filesystem::is_regular_file(word, ignored);
        };
        const auto script = std::find_if(words_.begin(), words_.end(), is_file);
        if (script != words_.end()) paths.push_back(*script);
        for (const auto &path : paths)
            if (!path.empty()) watched_.push_back({path, describe_file(path), hash_of_content(path)});
        return;
    }
    if (starts_ == 2 && watched_.size() == 2 && watched_.back().has_changed()) watched_.pop_back();
    for (auto &file : watched_)
        if (file.has_changed())
            fail(Status::callback, in_quotes(file.path),
                 " was changed while its program was measured: times of two programs must not be mixed; call again");
}

void Program::start(bool asked, TextReader::OnText on_output)
{
    require_same_files();
    try {
        session_.emplace(words_now_, asked, std::move(on_output));
    } catch (const Error &error) {
        const bool is_wrong_command = error.status() == Status::invalid_argument && words_now_[0] == words_[0];
        if (is_wrong_command) fail_argument(in_quotes(join_command(words_now_)), " ", error.what());
        fail_run(error.what());
    }
}

std::string Program::ask(const std::string &line)
{
    if (!session_) fail_run("has ended");
    session_->read_output();
    if (!answers_.empty()) fail_run("wrote ", in_quotes(answers_.front()), " before it had a size");
    const auto sent = session_->send(line, limit(), interruption_);
    check(sent, "read the sizes");
    const auto is_over = [this] { return !answers_.empty() || !session_->output_is_open(); };
    check(session_->wait(is_over, limit(), interruption_), "answer");
    if (answers_.empty()) fail_run(why_no_answer(sent == Wakeup::done));
    auto answer = std::move(answers_.front());
    answers_.erase(answers_.begin());
    return answer;
}

std::string Program::why_no_answer(bool was_read)
{
    const auto end = session_->how_it_ended();
    if (end && !end->empty()) return *end;
    if (end) return "ended before it answered";
    return was_read ? "closed its standard output" : "closed its standard input";
}

Clock::time_point Program::limit() const
{
    const auto now = Clock::now();
    const std::chrono::duration<double> left = Clock::time_point::max() - now;
    if (settings_.timeout >= left.count()) return Clock::time_point::max();
    return now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(settings_.timeout));
}

void Program::check(Wakeup wakeup, std::string_view what)
{
    if (wakeup == Wakeup::timeout) fail_run("did not ", what, " within ", settings_.timeout, " s");
    if (wakeup == Wakeup::interrupted) fail_run("was interrupted");
}

std::vector<std::string> with_text(std::vector<std::string> words, std::string_view place, std::string_view replacement)
{
    for (auto &word : words)
        for (auto at = word.find(place); at != std::string::npos; at = word.find(place, at + replacement.size()))
            word.replace(at, place.size(), replacement);
    return words;
}

std::unique_ptr<Kernel> make_program(std::vector<std::string> words, const ProgramSettings &settings)
{
    const bool has_place = std::any_of(words.begin(), words.end(),
                                       [](const auto &word) { return word.find(place_of_size) != std::string::npos; });
    if (settings.stays && has_place)
        fail_parameter(
            "command", " has ", place_of_size,
            ", but by protocol lines the program reads sizes from its standard input; give only one of them");
    if (!settings.stays && !has_place) refuse_like_place(words);
    return std::make_unique<ProgramKernel>(std::move(words), settings);
}

} // namespace hpart
