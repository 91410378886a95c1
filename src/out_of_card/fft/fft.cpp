#include "out_of_card/fft/fft.hpp"

#include "core/aligned.hpp"
#include "core/error.hpp"
#include "host/cores.hpp"
#include "out_of_card/fft/fft_layout.hpp"
#include "out_of_card/fft/host_fft_call.hpp"
#include "out_of_card/fft/plan.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

// After an allocation that failed although it was within the limit: with less of it, so often.
constexpr double smaller_limit = 0.8;
constexpr int retries = 3;

std::int64_t host_threads(const Options &options)
{
    const auto asked = options.find_int("threads").value_or(0);
    return asked > 0 ? asked : static_cast<std::int64_t>(usable_cores().size());
}

// A call on one card.
class CallOnCard
{
  public:
    CallOnCard(Card &card, const FftCall &call, const Options &options, Report &report)
        : card_(card), call_(call), options_(options), report_(report), control_(Control::from(options)),
          team_(host_threads(options))
    {
    }

    // Empty when it was done; else why the card cannot.
    std::string run()
    {
        const auto engine = in_card_fft(card_, options_.get_text("kernel"));
        if (!engine) return text("no implementation of transforms for ", card_.info().spec, " is built in");
        const auto problem = problem_of(call_);
        const auto rates = rates_of(card_, *engine, call_.is_double);
        const auto only = options_.get_text("fft_plan");
        FftPlanning planning;
        planning.only = only == "model" ? std::string_view() : std::string_view(only);
        // A card on the host's cores is the host.
        if (only == "hybrid" || !card_.info().on_host_cores)
            planning.host_flops = measured_host_flops(team_, call_.is_double);
        auto limit = card_.memory_limit() - card_.used();
        for (int retry = 0;; ++retry) {
            planning.memory_limit = limit;
            auto plan = plan_fft(problem, card_, *engine, rates, planning);
            if (!plan)
                return text("no plan of a transform of this shape fits in ", limit, " bytes of ", card_.info().spec);
            began_ = false;
            try {
                if (const auto reason = prepare(*engine, *plan); !reason.empty()) return reason;
                execute(*engine, *plan);
                report_.set("retries", std::int64_t{retry});
                return {};
            } catch (const Error &error) {
                if (error.status() != Status::out_of_memory || began_ || retry == retries) throw;
                limit = static_cast<std::int64_t>(smaller_limit * static_cast<double>(limit));
            }
        }
    }

  private:
    void execute(InCardFft &engine, const FftPlan &plan)
    {
        const auto start = Clock::now();
        FlowRecord record;
        if (plan.one_pass != nullptr)
            run_one_pass(engine, plan, record);
        else
            run_two_pass(engine, plan, record);
        report_.set("plan", std::string(plan.name));
        report_.set("plan_details", plan.describe());
        report_.set("engine", std::string(engine.name()));
        record.report(report_);
        report_.set("seconds", seconds_since(start));
        report_.set("predicted_seconds", plan.seconds);
        report_.set("bytes_planned", plan.bytes_in + plan.bytes_out);
        report_.set("lower_bound_bytes", lower_bound(plan));
        std::string host = plan.first_on_host ? "the first pass" : plan.second_on_host ? "the second pass" : "";
        report_.set("on_host", host);
    }

    void run_one_pass(InCardFft &engine, const FftPlan &plan, FlowRecord &record)
    {
        const auto memory = OnePassMemory(card_, *plan.one_pass, plan.one);
        began_ = true;
        Flow flow(card_, control_);
        give_one_pass(flow, engine, *plan.one_pass, plan.one, memory);
        flow.finish();
        record = flow.record();
    }

    void run_two_pass(InCardFft &engine, const FftPlan &plan, FlowRecord &record)
    {
        auto what = *plan.two_pass;
        AlignedVector<unsigned char> workspace;
        if (what.middle.data == nullptr) {
            workspace.resize(static_cast<std::size_t>(what.numbers() * what.complex_bytes()));
            what.middle.data = workspace.data();
        }
        TwoPassMemory memory(card_, what, plan.two);
        began_ = true;
        Flow flow(card_, control_);
        TwoPassRun run(flow, engine, what, plan.two, memory);
        for (std::int64_t item = 0; item < what.items; ++item) {
            if (plan.first_on_host) {
                run.wait_for_second_loads();
                first_pass_on_host(team_, what, item, {0, what.first_extent()});
            }
            run.first_pass(item);
            if (plan.second_on_host) {
                run.wait_for_first_pass();
                second_pass_on_host(team_, what, item, {0, what.second_extent()});
            }
            run.second_pass(item);
        }
        flow.finish();
        record = flow.record();
    }

    // In and out once each; twice what does not fit where the card makes both passes.
    std::int64_t lower_bound(const FftPlan &plan) const
    {
        if (plan.one_pass != nullptr) return plan.bytes_in + plan.bytes_out;
        const auto &what = *plan.two_pass;
        const auto ends = what.in_bytes(what.first_extent()) + what.out_bytes(what.second_extent());
        const auto all = what.numbers() * what.complex_bytes();
        const bool both = !plan.first_on_host && !plan.second_on_host;
        return what.items * (ends + (both ? 2 * std::max<std::int64_t>(0, all - card_.memory_limit()) : 0));
    }

    // Makes all plans of the implementation before anything is written; what they take is known then. Why it cannot.
    std::string prepare(InCardFft &engine, FftPlan &plan)
    {
        const auto shapes =
            plan.one_pass != nullptr ? shapes_of(*plan.one_pass, plan.one) : shapes_of(*plan.two_pass, plan.two);
        auto &scratch = plan.one_pass != nullptr ? plan.one.scratch_bytes : plan.two.scratch_bytes;
        auto &tables = plan.one_pass != nullptr ? plan.one.table_bytes : plan.two.table_bytes;
        scratch = tables = 0;
        for (const auto &shape : shapes) {
            try {
                engine.prepare(shape);
            } catch (const Error &error) {
                if (error.status() == Status::out_of_memory) throw;
                return error.what();
            }
            scratch = std::max(scratch, engine.scratch_bytes(shape));
            tables += engine.table_bytes(shape);
        }
        const auto needed =
            plan.one_pass != nullptr ? plan.one.memory(*plan.one_pass, card_) : plan.two.memory(*plan.two_pass, card_);
        const auto left = card_.memory_limit() - card_.used();
        if (needed > left)
            fail(Status::out_of_memory, card_.info().spec, " has ", left, " bytes left; a transform by ", engine.name(),
                 " needs ", needed);
        return {};
    }

    Card &card_;
    const FftCall &call_;
    const Options &options_;
    Report &report_;
    Control control_;
    HostTeam team_;
    bool began_ = false;
};

} // namespace

void fft(Cards &cards, const FftCall &given, const Options &options, Report &report)
{
    layout_of(given); // checks
    if (given.batch == 0) return;
    const auto call = without_ones(given);
    std::string reason;
    if (cards.cards.empty()) {
        reason = "there is no card";
    } else if (call.dims == std::vector<std::int64_t>{1}) {
        reason = "a point is its own transform";
    } else if (options.get_text("fft_plan") == "host") {
        reason = "as asked for";
    } else {
        auto &card = *cards.cards.front();
        const std::lock_guard lock(card.in_use());
        reason = CallOnCard(card, call, options, report).run();
    }
    if (reason.empty()) return;
    HostTeam team(host_threads(options));
    const auto start = Clock::now();
    fft_on_host(team, call);
    report.set("plan", "host");
    report.set("on_host", text("all: ", reason));
    report.set("seconds", seconds_since(start));
    for (const auto *key : {"bytes_to_device", "bytes_from_device", "bytes_planned"}) report.set(key, std::int64_t{0});
}

} // namespace hpart
