// hpart_mpi_optimize: rank 0 runs hpart_team_optimize over an application with the processors of all ranks. All ranks do its runs
// together. The search, its certificate, its file and its report are thus the same as a team's.
#include "c_api/handles.hpp"
#include "core/text.hpp"
#include "measurement/application.hpp"
#include "mpi/communicator.hpp"
#include "mpi/platform.hpp"
#include "mpi/rank_run.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>

using namespace hpart;
using namespace hpart::mpi;

namespace
{

struct TeamDestroy {
    void operator()(hpart_team *team) const { hpart_team_destroy(team); }
};
using TeamHandle = std::unique_ptr<hpart_team, TeamDestroy>;

// The arguments of the call on every rank, and its results.
struct MpiSearch {
    std::int64_t size = 0;
    std::vector<std::int64_t> sizes;
    OptionsHandle options;

    std::vector<std::int64_t> x; // of all ranks
    double seconds = 0;
    PlatformHandle measured; // on rank 0
    ReportHandle report;
};

// The processors of all ranks as an application.
class RanksApplication final : public Application
{
  public:
    // Runs x and writes the seconds; returns why it failed, "" if it did not.
    using Run = std::function<std::string(const std::int64_t *x, double *seconds)>;
    RanksApplication(Run run, std::size_t processors) : run_(std::move(run)), steps_(processors) {}

    void prepare() override {}
    void run(std::span<const std::int64_t> x, std::span<double> seconds) override
    {
        const auto reason = run_(x.data(), seconds.data());
        if (!reason.empty()) throw RunFailure(reason);
    }
    bool stays_alive() const override { return true; }
    std::optional<double> printed_step_of(std::size_t processor) const override { return steps_[processor]; }
    std::string time_doubt() const override { return time_doubt_; }

    // first: the index of the first processor of the rank.
    void take_printed(const RankResult &result, std::int64_t first)
    {
        if (time_doubt_.empty()) time_doubt_ = result.time_doubt;
        for (std::size_t i = 0; i < result.printed_steps.size(); ++i) {
            auto &step = steps_[static_cast<std::size_t>(first) + i];
            const double printed = result.printed_steps[i];
            if (!std::isnan(printed)) step = std::min(printed, step.value_or(printed));
        }
    }

  private:
    Run run_;
    std::vector<std::optional<double>> steps_;
    std::string time_doubt_;
};

// Rank 0's view of all processors.
class WholeTeam
{
  public:
    WholeTeam(const Communicator &all, RankRun &run, const WholePlatform &whole) : all_(all), run_(run)
    {
        const auto &platform = whole.handle->value;
        for (std::int64_t i = 0; i < platform.count(); ++i) names_.push_back(platform.processor(i).name);
        first_of_ = whole.first_of;
        hpart_team *made = nullptr;
        check_status(hpart_team_create(&made));
        team_.reset(made);
        application_ = std::make_shared<RanksApplication>(
            [this](const std::int64_t *x, double *seconds) {
                const int stop = (*ask_)([&] { return repeat(x, seconds); });
                return stop == 0 ? std::string() : text(reason_.empty() ? "the search has ended" : reason_);
            },
            names_.size());
        set_application(made->value, names_, application_);
        check_status(hpart_team_set_kernel(made, platform.kernel().c_str()));
    }

    void optimize(MpiSearch &search)
    {
        auto &settings = search.options->value;
        const auto users = settings.progress();
        if (users != nullptr)
            settings.set_progress(std::make_shared<const ProgressCallback>([&](double fraction, const char *what) {
                return (*ask_)([&] { return guard([&] { return (*users)(fraction, what); }); });
            }));
        search.x.resize(names_.size());
        const auto failure = SearchThread().run([&](const auto &ask) {
            ask_ = &ask;
            hpart_platform *measured = nullptr;
            hpart_report *report = nullptr;
            check_status(hpart_team_optimize(
                team_.get(), HPART_OBJECTIVE_TIME, search.size, static_cast<std::int64_t>(search.sizes.size()),
                search.sizes.data(), search.options.get(), search.x.data(), &search.seconds, &measured, &report));
            search.measured.reset(measured);
            search.report.reset(report);
        });
        fatal_.check();
        failure.check();
    }

  private:
    // A failure that ends the search, whatever the search makes of it.
    template <typename Body> int guard(Body &&body)
    {
        if (fatal_.status != HPART_SUCCESS) return 1;
        int result = 1;
        fatal_ = failure_of([&] { result = body(); });
        return result;
    }

    int repeat(const std::int64_t *x, double *seconds)
    {
        return guard([&] {
            command(x);
            const auto results = run_.repeat({x, x + first_of_[1]});
            reason_.clear();
            for (std::size_t r = 0; r < results.size(); ++r) {
                const auto &result = results[r];
                if (result.failure.status == HPART_SUCCESS) {
                    application_->take_printed(result, first_of_[r]);
                    std::copy(result.seconds.begin(), result.seconds.end(), seconds + first_of_[r]);
                    continue;
                }
                if (!result.is_of_point) result.failure.check(results.size() > 1 ? text("rank ", r, ": ") : "");
                if (reason_.empty()) reason_ = result.failure.message.data();
            }
            return reason_.empty() ? 0 : 1;
        });
    }

    // All ranks are to run x.
    void command(const std::int64_t *x) const
    {
        std::vector<std::int64_t> words(x, x + names_.size());
        all_.wait_for_all();
        check(MPI_Bcast(words.data(), static_cast<int>(words.size()), MPI_INT64_T, 0, all_.get()), "MPI_Bcast");
    }

    const Communicator &all_;
    RankRun &run_;
    std::vector<std::string> names_;     // of all processors
    std::vector<std::int64_t> first_of_; // rank
    TeamHandle team_;
    std::shared_ptr<RanksApplication> application_;
    const std::function<int(const SearchThread::Job &)> *ask_ = nullptr;
    std::string reason_; // of a run that failed
    Failure fatal_;
};

// The ranks but the first run their parts until it sends the end.
void follow(const Communicator &all, RankRun &run, const WholePlatform &whole, std::vector<std::int64_t> &words)
{
    const auto first = whole.first_of[static_cast<std::size_t>(all.rank())];
    for (;;) {
        all.wait_for_all();
        check(MPI_Bcast(words.data(), static_cast<int>(words.size()), MPI_INT64_T, 0, all.get()), "MPI_Bcast");
        if (words.front() < 0) return;
        const auto begin = words.begin() + first;
        // Rank 0 has the same failure, and sends the end.
        (void)failure_of([&] { run.repeat({begin, begin + static_cast<std::ptrdiff_t>(run.processors())}); });
    }
}

// Every rank gets the results of rank 0.
void share_results(const Communicator &all, MpiSearch &search)
{
    Bytes bytes;
    all.on_root([&] {
        put(bytes, search.x);
        put(bytes, search.seconds);
        put_report(bytes, search.report.get());
    });
    all.broadcast(bytes);
    all.together([&] {
        Reader in(bytes);
        search.x = in.get_vector<std::int64_t>();
        search.seconds = in.get<double>();
        search.report = get_report(in);
    });
}

void check_arguments(const hpart_team *mine, const hpart_options *options, const std::int64_t *x)
{
    if (mine == nullptr || mine->value.count() == 0) return;
    c_api::require(x, "x");
    std::vector<std::size_t> together(mine->value.count());
    std::iota(together.begin(), together.end(), std::size_t{0});
    c_api::check_cores(mine->value, options == nullptr ? Options() : options->value, together);
}

} // namespace

extern "C" {

hpart_status hpart_mpi_optimize(MPI_Comm comm, hpart_team *mine, int64_t size, int64_t points, const int64_t *sizes,
                                const hpart_options *options, int64_t *x, double *seconds, hpart_platform **measured,
                                hpart_report **report)
{
    return c_api::guarded([&] {
        const Communicator all(comm);
        RankRun run(all, mine);
        MpiSearch search;
        PlatformPart part;
        all.together([&] {
            check_arguments(mine, options, x);
            if (points < 1) fail_argument("points is ", points, "; it must be at least 1");
            const auto given = c_api::array(sizes, points, "sizes");
            search.sizes.assign(given.begin(), given.end());
            search.size = size;
            search.options = copy_of(options);
            part = part_of_team(mine);
        });
        all.require_equal("size", size);
        Bytes shared;
        all.on_root([&] { put(shared, search.sizes); });
        all.broadcast(shared);
        all.together([&] { require_same_sizes(search.sizes, Reader(shared).get_vector<std::int64_t>()); });
        if (!all.any(run.processors() > 0)) fail_argument("no rank has a team; at least one must have one");
        auto whole = gather_platform(all, part);
        shared.clear();
        all.on_root([&] { put(shared, whole.first_of); });
        all.broadcast(shared);
        std::vector<std::int64_t> words;
        all.together([&] {
            whole.first_of = Reader(shared).get_vector<std::int64_t>();
            words.assign(static_cast<std::size_t>(whole.first_of.back()), -1);
        });
        Failure failure;
        if (all.is_root()) {
            failure = failure_of([&] { WholeTeam(all, run, whole).optimize(search); });
            all.wait_for_all();
            check(MPI_Bcast(words.data(), static_cast<int>(words.size()), MPI_INT64_T, 0, all.get()), "MPI_Bcast");
        } else {
            follow(all, run, whole, words);
        }
        all.on_root([&] { failure.check(); });
        share_results(all, search);
        const auto begin = search.x.begin() + whole.first_of[static_cast<std::size_t>(all.rank())];
        if (run.processors() > 0) std::copy(begin, begin + static_cast<std::ptrdiff_t>(run.processors()), x);
        if (seconds != nullptr) *seconds = search.seconds;
        if (measured != nullptr) *measured = search.measured.release();
        if (report != nullptr) *report = search.report.release();
    });
}

} // extern "C"
