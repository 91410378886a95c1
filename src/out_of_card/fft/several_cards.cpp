#include "out_of_card/fft/several_cards.hpp"

#include "core/error.hpp"
#include "out_of_card/fft/meeting_point.hpp"

#include <algorithm>
#include <thread>

namespace hpart
{

namespace
{

// Of a card's plans for all of one way to cut the transform.
double seconds_alone(const FftProblem &problem, const FftMember &member)
{
    FftPlanning planning;
    planning.memory_limit = memory_left(member);
    planning.only = problem.two_pass.empty() ? "in-card" : "slabs";
    const auto plan = plan_fft(problem, *member.card, *member.engine, member.rates, planning);
    return plan ? plan->seconds : std::numeric_limits<double>::infinity();
}

// Each way to cut the transform by itself.
std::vector<FftProblem> ways_of(const FftCall &call, std::size_t members)
{
    const auto problem = problem_of(call);
    std::vector<FftProblem> ways;
    if (problem.one_pass.rows >= static_cast<std::int64_t>(members)) {
        ways.push_back(problem);
        ways.back().two_pass.clear();
    }
    for (const auto &cut : problem.two_pass) {
        auto way = problem;
        way.one_pass.rows = 0;
        way.two_pass = {cut};
        ways.push_back(std::move(way));
    }
    return ways;
}

// The parts of the work, by the speed of each alone.
std::vector<double> shares_of(const FftProblem &problem, const std::vector<FftMember> &members, double &seconds)
{
    std::vector<double> shares;
    double sum = 0;
    for (const auto &member : members) {
        shares.push_back(1 / seconds_alone(problem, member));
        sum += shares.back();
    }
    seconds = 1 / sum;
    for (auto &share : shares) share *= sum > 0 ? 1 / sum : 0;
    return shares;
}

class Team
{
  public:
    Team(std::vector<FftMember> members, FftProblem problem, const Options &options)
        : members_(std::move(members)), problem_(std::move(problem)), options_(options), records_(members_.size()),
          meeting_(static_cast<std::int64_t>(members_.size()))
    {
        if (!problem_.two_pass.empty()) workspace_.emplace(problem_.two_pass[0]);
    }

    std::vector<FftMember> &members() { return members_; }
    const FftProblem &problem() const { return problem_; }
    const std::vector<FlowRecord> &records() const { return records_; }

    void run()
    {
        std::vector<std::thread> threads;
        try {
            for (std::size_t k = 1; k < members_.size(); ++k)
                threads.emplace_back([this, k] {
                    const auto stop = [this](double, const char *) { return meeting_.is_given_up() ? 1 : 0; };
                    Control control(std::make_shared<ProgressCallback>(stop), std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<std::int64_t>::max());
                    guard([&] { part(k, control); });
                });
        } catch (const std::system_error &error) {
            guard([&] { fail(Status::out_of_memory, "a thread for a card cannot be started: ", error.what()); });
        }
        auto control = Control::from(options_);
        if (threads.size() + 1 == members_.size()) guard([&] { part(0, control); });
        for (auto &thread : threads) thread.join();
        if (error_) std::rethrow_exception(error_);
    }

  private:
    // The first error is the cause of the others.
    template <typename Work> void guard(const Work &work) noexcept
    {
        try {
            work();
        } catch (...) {
            const std::lock_guard lock(error_mutex_);
            if (!error_) error_ = std::current_exception();
            meeting_.give_up();
        }
    }

    void part(std::size_t k, Control &control)
    {
        auto &member = members_[k];
        const auto &plan = member.plan;
        if (plan.one_pass != nullptr) {
            const OnePassMemory memory(*member.card, *plan.one_pass, plan.one);
            if (!meeting_.arrive()) return;
            Flow flow(*member.card, control, member.flow);
            give_one_pass(flow, *member.engine, *plan.one_pass, plan.one, memory);
            flow.finish();
            records_[k] = flow.record();
            return;
        }
        const auto &what = *plan.two_pass;
        const TwoPassMemory memory(*member.card, what, plan.two);
        if (!meeting_.arrive()) return; // nothing is written before all have what they need
        Flow flow(*member.card, control, member.flow);
        TwoPassRun run(flow, *member.engine, what, plan.two, memory);
        for (std::int64_t item = 0; item < what.items; ++item) {
            run.first_pass(item);
            run.wait_for_first_pass();
            if (!meeting_.arrive()) return;
            run.second_pass(item);
            run.wait_for_second_loads();
            if (!meeting_.arrive()) return; // what is between the passes may be overwritten
        }
        flow.finish();
        records_[k] = flow.record();
    }

    std::vector<FftMember> members_;
    FftProblem problem_;
    const Options &options_;
    std::optional<FftWorkspace> workspace_;
    std::vector<FlowRecord> records_;
    MeetingPoint meeting_;
    std::mutex error_mutex_;
    std::exception_ptr error_;
};

void report_on(Team &team, double seconds, double predicted, const std::vector<double> &shares, Report &report)
{
    std::int64_t to = 0, from = 0, planned = 0;
    std::string details;
    const FlowRecord *slowest = team.records().data();
    for (const auto &record : team.records()) {
        to += record.bytes_to_device;
        from += record.bytes_from_device;
        if (record.seconds > slowest->seconds) slowest = &record;
    }
    for (const auto &member : team.members()) {
        planned += member.plan.bytes_in + member.plan.bytes_out;
        details += text(details.empty() ? "" : "; ", member.card->info().spec, ": ", member.plan.describe());
    }
    slowest->report(report);
    report.set("plan", "shares");
    report.set("plan_details", details);
    report.set("shares", shares);
    report.set("bytes_to_device", to);
    report.set("bytes_from_device", from);
    report.set("bytes_planned", planned);
    report.set("seconds", seconds);
    report.set("predicted_seconds", predicted);
    std::int64_t memory = 0;
    for (const auto &member : team.members()) memory += member.card->memory_limit();
    report.set("lower_bound_bytes", lower_bound_bytes(team.members().front().plan, memory));
    report.set("on_host", "");
}

} // namespace

std::string fft_on_several_cards(std::vector<FftMember> members, const FftCall &call, const Options &options,
                                 Report &report)
{
    const FftProblem *chosen = nullptr;
    std::vector<double> shares;
    double least = std::numeric_limits<double>::infinity();
    const auto ways = ways_of(call, members.size());
    for (const auto &way : ways) {
        double seconds = 0;
        const auto parts = shares_of(way, members, seconds);
        if (!(seconds < least)) continue;
        least = seconds;
        chosen = &way;
        shares = parts;
    }
    if (chosen == nullptr) return "no plan of a transform of this shape fits on several cards";
    // Cards on which nothing fits take no part.
    std::vector<FftMember> used;
    std::vector<double> parts;
    for (std::size_t k = 0; k < members.size(); ++k) {
        if (shares[k] <= 0) continue;
        used.push_back(std::move(members[k]));
        parts.push_back(shares[k]);
    }
    if (used.size() < 2) return "a transform of this shape fits on one card only";
    Team team(std::move(used), *chosen, options);
    double from = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        auto &member = team.members()[k];
        FftPlanning planning;
        planning.memory_limit = memory_left(member);
        planning.share = {from, k + 1 == parts.size() ? 1 : from + parts[k]};
        from += parts[k];
        const auto plan = plan_fft(team.problem(), *member.card, *member.engine, member.rates, planning);
        if (!plan) return text("no share of a transform of this shape fits on ", member.card->info().spec);
        member.plan = *plan;
        if (auto reason = prepare(member); !reason.empty()) return reason;
    }
    const auto start = Clock::now();
    team.run();
    report_on(team, seconds_since(start), least, parts, report);
    return {};
}

} // namespace hpart
