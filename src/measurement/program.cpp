#include "measurement/program.hpp"

#include "core/characters.hpp"
#include "core/command_words.hpp"
#include "measurement/program_session.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace hpart
{

namespace
{

constexpr std::string_view place_of_size = "{size}";

std::vector<std::string> with_size(std::vector<std::string> words, std::int64_t size)
{
    const auto digits = text(size);
    for (auto &word : words)
        for (auto at = word.find(place_of_size); at != std::string::npos; at = word.find(place_of_size, at))
            word.replace(at, place_of_size.size(), digits);
    return words;
}

// Shared by both kinds of programs: a command, its failures, and a stop from another thread.
class ProgramKernel : public Kernel
{
  public:
    ProgramKernel(std::vector<std::string> words, const ProgramSettings &settings)
        : words_(std::move(words)), settings_(settings), printed_(settings.pattern)
    {
    }
    void prepare(const Slice &slice) override
    {
        interruption_.clear();
        size_ = slice.rows;
    }
    void release() noexcept override {}
    std::optional<double> own_seconds() const override { return seconds_; }
    bool is_interruptible() const override { return true; }
    void interrupt() noexcept override { interruption_.set(); }

    std::string description() const override
    {
        auto line = printable(join_command(words_));
        if (settings_.stays) line += " (protocol lines)";
        if (settings_.prints_time && !settings_.stays) line += " (time from stdout)";
        if (!settings_.pattern.empty()) line += text(" (time pattern ", printable(settings_.pattern), ")");
        return line;
    }

  protected:
    Clock::time_point limit() const
    {
        const auto now = Clock::now();
        const std::chrono::duration<double> left = Clock::time_point::max() - now;
        if (settings_.timeout >= left.count()) return Clock::time_point::max();
        return now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(settings_.timeout));
    }
    template <typename... Parts> [[noreturn]] void fail_run(const ProgramSession *session, const Parts &...reason) const
    {
        const std::string last = session == nullptr ? "" : session->last_error_line();
        throw RunFailure(text(in_quotes(join_command(with_size(words_, size_))), " ", reason...,
                              last.empty() ? "" : "; the last line of its standard error is " + in_quotes(last)));
    }
    void check(Wakeup wakeup, const ProgramSession &session, std::string_view what) const
    {
        if (wakeup == Wakeup::timeout) fail_run(&session, "did not ", what, " within ", settings_.timeout, " s");
        if (wakeup == Wakeup::interrupted) fail_run(&session, "was interrupted");
    }
    void set_seconds(const ProgramSession &session, double seconds)
    {
        if (std::isnan(seconds)) fail_run(&session, "prints a time that is no number, or none that a double can hold");
        if (!std::isfinite(seconds) || seconds < 0)
            fail_run(&session, "says that it took ", seconds, " s; that must be a finite number, 0 or more");
        seconds_ = seconds;
    }
    void start(std::optional<ProgramSession> &session, const std::vector<std::string> &words, bool asked,
               LineReader::OnLine on_output) const
    {
        try {
            session.emplace(words, asked, std::move(on_output));
        } catch (const Error &error) {
            fail_run(nullptr, error.what());
        }
    }

    const std::vector<std::string> &words() const { return words_; }
    const ProgramSettings &settings() const { return settings_; }
    const PrintedTime &printed() const { return printed_; }
    const Interruption &interruption() const { return interruption_; }
    std::int64_t size() const { return size_; }

  private:
    std::vector<std::string> words_;
    ProgramSettings settings_;
    PrintedTime printed_;
    Interruption interruption_;
    std::int64_t size_ = 0;
    double seconds_ = 0;
};

// One start a run.
class RestartedProgram final : public ProgramKernel
{
  public:
    using ProgramKernel::ProgramKernel;
    void run() override
    {
        std::optional<double> printed_seconds;
        LineReader::OnLine on_output;
        if (settings().prints_time)
            on_output = [&](std::string_view line) {
                if (const auto seconds = printed().last_in(line)) printed_seconds = seconds;
            };
        std::optional<ProgramSession> session;
        start(session, with_size(words(), size()), false, std::move(on_output));
        check(session->wait([] { return false; }, limit(), interruption()), *session, "end");
        if (const auto failure = session->how_it_ended().value_or(""); !failure.empty()) fail_run(&*session, failure);
        if (settings().prints_time && !printed_seconds)
            fail_run(&*session,
                     settings().pattern.empty() ? "printed no number" : "printed nothing that time_pattern matches");
        set_seconds(*session, settings().prints_time ? *printed_seconds : session->seconds());
    }
};

// One start for all runs: protocol lines.
class StayingProgram final : public ProgramKernel
{
  public:
    using ProgramKernel::ProgramKernel;
    ~StayingProgram() override
    {
        if (session_) session_->close_input();
    }
    StayingProgram(const StayingProgram &) = delete;
    StayingProgram &operator=(const StayingProgram &) = delete;

    void prepare(const Slice &slice) override
    {
        ProgramKernel::prepare(slice);
        if (session_ && session_->has_ended()) session_.reset();
        if (session_) return;
        answers_.clear();
        start(session_, words(), true, [this](std::string_view line) { answers_.emplace_back(line); });
    }
    void run() override
    {
        try {
            ask();
        } catch (...) {
            session_.reset(); // whatever it would answer now is of no use: the next point starts it anew
            throw;
        }
    }

  private:
    void ask()
    {
        if (!session_) fail_run(nullptr, "has ended");
        session_->read_output();
        if (!answers_.empty()) fail_run(&*session_, "wrote ", in_quotes(answers_.front()), " before it had a size");
        const bool was_read = session_->send(text(size(), '\n'));
        const auto is_over = [this] { return !answers_.empty() || !session_->output_is_open(); };
        check(session_->wait(is_over, limit(), interruption()), *session_, "answer");
        if (answers_.empty()) fail_run(&*session_, why_no_answer(was_read));
        const auto answer = answers_.front();
        answers_.erase(answers_.begin());
        const auto seconds = settings().pattern.empty() ? parse_double(trim(answer)) : printed().last_in(answer);
        if (!seconds) fail_run(&*session_, "answered ", in_quotes(answer), ", which is no number of seconds");
        set_seconds(*session_, *seconds);
    }
    std::string why_no_answer(bool was_read)
    {
        const auto end = session_->how_it_ended();
        if (end && !end->empty()) return *end;
        if (end) return "ended before it answered";
        return was_read ? "closed its standard output" : "closed its standard input";
    }

    std::vector<std::string> answers_;
    std::optional<ProgramSession> session_; // the first to go: it writes answers
};

bool has_place_of_size(const std::vector<std::string> &words)
{
    return std::any_of(words.begin(), words.end(),
                       [](const auto &word) { return word.find(place_of_size) != std::string::npos; });
}

} // namespace

ProgramSettings ProgramSettings::from(const Options &options)
{
    ProgramSettings settings;
    settings.pattern = options.get_text("time_pattern");
    settings.stays = options.get_text("protocol") == "lines";
    const bool takes_wall_time = options.is_set("time_from") && options.get_text("time_from") == "wall";
    if (takes_wall_time && settings.stays)
        fail_argument("option 'time_from' is 'wall', but 'protocol' is 'lines', where the program answers its seconds; "
                      "one of them must go");
    if (takes_wall_time && !settings.pattern.empty())
        fail_argument("option 'time_from' is 'wall', but 'time_pattern' is set; time_from must be 'stdout'");
    settings.prints_time = !settings.pattern.empty() || options.get_text("time_from") == "stdout";
    settings.timeout = options.find_double("timeout").value_or(settings.timeout);
    return settings;
}

std::unique_ptr<Kernel> make_program(std::vector<std::string> words, const ProgramSettings &settings)
{
    if (!settings.stays) return std::make_unique<RestartedProgram>(std::move(words), settings);
    if (has_place_of_size(words))
        fail_argument("command has ", place_of_size,
                      ", but option 'protocol' is 'lines', where the program reads sizes "
                      "from its standard input; one of them must go");
    return std::make_unique<StayingProgram>(std::move(words), settings);
}

} // namespace hpart
