#include "out_of_card/fft/fft.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "host/cores.hpp"
#include "out_of_card/fft/device_member.hpp"
#include "out_of_card/in_card/fft.hpp"
#include "out_of_card/pipeline/device_team.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <utility>

namespace hpart
{

namespace
{

// After an allocation that failed although it was within the limit: with less of it, so often.
constexpr double smaller_limit = 0.8;
constexpr int retries = 3;

// Why the devices cannot do a transform; empty where they have done it.
struct FallbackReason {
    std::string reason;
    Status status = Status::unsupported;

    // Another device's: more memory of one would do.
    void add(const FallbackReason &other)
    {
        if (reason.empty() || other.status == Status::out_of_memory) status = other.status;
        reason += text(reason.empty() ? "" : "; ", other.reason);
    }
};

void refuse_contradiction(const Options &options)
{
    const auto place = options.get_text("run_on"), plan = options.get_text("fft_plan");
    if (place == "device" && plan == "host")
        fail_argument("fft_plan is host, but run_on is device; give only one of them");
    if (place == "host" && plan != "host" && plan != "model")
        fail_argument("run_on is host, but fft_plan is ", plan, ", a plan of devices; give only one of them");
}

class CallOnDevices
{
  public:
    CallOnDevices(DeviceGroup &devices, const Options &options)
        : devices_(devices), options_(options), plan_(options.get_text("fft_plan")),
          is_dry_(options.get_int("dry_run") == 1), team_(threads(options)), locks_(devices.lock_all())
    {
    }

    void run(const FftCall &call, FftAccount &account)
    {
        try {
            transform(call, account);
        } catch (const Error &error) {
            if (error.status() == Status::cancelled)
                fail(error.status(), error.what(), began_ ? "; out is undefined" : "; out is as it was");
            if (error.status() != Status::out_of_memory || !began_) throw;
            fail(Status::device, error.what(), "; out is undefined");
        }
    }

  private:
    void transform(const FftCall &call, FftAccount &account)
    {
        const auto before = devices_.setup_seconds();
        if (const auto reason = why_not(call); !reason.empty())
            on_host(call, account, reason);
        else if (const auto hindrance = on_devices(call, account); !hindrance.reason.empty()) {
            if (is_even_line(call))
                run_real_lines(call, account);
            else
                on_host_if_it_may(call, account, hindrance);
        }
        account.setup_seconds = devices_.setup_seconds() - before;
    }

    static std::int64_t threads(const Options &options)
    {
        const auto asked = options.find_int("threads").value_or(0);
        return asked > 0 ? asked : static_cast<std::int64_t>(usable_cores().size());
    }

    // Why the devices cannot make this transform, so that the host must; empty where they can.
    std::string why_not(const FftCall &call) const
    {
        if (devices_.sessions.empty()) return "there is no device";
        if (call.dims == std::vector<std::int64_t>{1}) return "a point is its own transform";
        if (plan_ == "host" || options_.get_text("run_on") == "host") return "as asked for";
        return {};
    }

    std::vector<FftMember> members_for(const FftCall &call)
    {
        std::vector<FftMember> members;
        for (const auto &session : devices_.sessions)
            if (auto member = fft_member(*session, call.is_double, options_)) {
                note_arrays(*member, call);
                members.push_back(std::move(*member));
            }
        return members;
    }

    FallbackReason on_devices(const FftCall &call, FftAccount &account)
    {
        auto members = members_for(call);
        if (members.empty()) {
            const auto &info = devices_.sessions[0]->info();
            const auto missing = missing_precision(info, call.is_double);
            return {missing.empty() ? text("no implementation of transforms for ", info.spec, " is built in")
                                    : missing};
        }
        if (members.size() > 1 && fft_on_several_devices(members, call, options_, account, [&] { begin(); }).empty())
            return {};
        FallbackReason all;
        for (auto &member : members) {
            const auto one = on_device(member, call, account);
            if (one.reason.empty()) return {};
            all.add(one);
        }
        return all;
    }

    FallbackReason on_device(FftMember &member, const FftCall &call, FftAccount &account)
    {
        const auto problem = problem_of(call);
        auto planning = planning_for(member, plan_);
        auto control = Control::from(options_);
        if (is_dry_ && may_be_in_place(member) && can_be_in_host_memory(member, problem)) {
            tell_in_place(member, {}, account);
            account.expected = {0, 0, problem.flops / member.rates.flops};
            return {};
        }
        if (!is_dry_ && may_be_in_place(member)) {
            if (const auto record = transform_in_host_memory(member, problem, control, [&] { begin(); })) {
                tell_in_place(member, *record, account);
                member.session->learn(problem.flops / member.rates.flops, record->seconds);
                return {};
            }
        }
        for (int retry = 0;; ++retry) {
            bool began = false;
            try {
                std::string refusal;
                if (!plan_and_prepare(problem, planning, member, refusal))
                    return refusal.empty() ? too_little(problem, member, planning)
                                           : FallbackReason{std::move(refusal), Status::device};
                if (is_dry_) {
                    time_kernels(member);
                    fill(account, member, {}, 0);
                    account.least_memory = least_memory(call, problem, member, planning);
                    account.advised_memory = advised_memory(problem, member, planning);
                    return {};
                }
                const auto start = Clock::now();
                const auto record = run_plan(member, control, [&] {
                    began = true;
                    begin();
                    return true;
                });
                fill(account, member, record.value_or(FlowRecord()), seconds_since(start));
                member.session->learn(member.plan.seconds, account.seconds);
                account.retries = retry;
                return {};
            } catch (const Error &error) {
                if (error.status() != Status::out_of_memory || began) throw;
                member.engine->forget();
                if (retry == retries) return {error.what(), error.status()};
                planning.memory_limit =
                    static_cast<std::int64_t>(smaller_limit * static_cast<double>(planning.memory_limit));
            }
        }
    }

    bool may_be_in_place(const FftMember &member) const
    {
        return plan_ == "model" && uses_host_memory(*member.session, options_);
    }

    // Before anything of the caller's is read or written.
    void begin()
    {
        began_ = true;
        if (const auto first = std::exchange(first_, nullptr)) first();
    }

    static FallbackReason too_little(const FftProblem &problem, const FftMember &member, const FftPlanning &planning)
    {
        if (!has_plan_in_any_memory(problem, member, planning))
            return {text("there is no plan ", planning.only, planning.only.empty() ? "" : " ",
                         "of a transform of this shape on ", member.session->info().spec, ", whatever its memory")};
        const auto enough = sufficient_bytes(problem, member, planning, planning.memory_limit);
        return {text("no plan ", planning.only, planning.only.empty() ? "" : " ",
                     "of a transform of this shape fits in ", pluralise(planning.memory_limit, "byte"), " of ",
                     member.session->info().spec, enough ? text("; ", *enough, " bytes would do") : ""),
                enough ? Status::out_of_memory : Status::unsupported};
    }

    static bool has_plan_in_any_memory(const FftProblem &problem, const FftMember &member, FftPlanning planning)
    {
        planning.memory_limit = std::int64_t{1} << 60;
        return plan_fft(problem, *member.session, *member.engine, member.rates, planning).has_value();
    }

    // Nearly the fewest bytes, these or more, with which there is a plan; nothing where no memory is enough.
    static std::optional<std::int64_t> sufficient_bytes(const FftProblem &problem, const FftMember &member,
                                                        FftPlanning planning, std::int64_t least)
    {
        const auto &info = member.session->info();
        const auto taken = member.session->used() + member.engine->kept_bytes();
        const auto fits = [&](std::int64_t bytes) {
            planning.memory_limit = bytes;
            return plan_fft(problem, *member.session, *member.engine, member.rates, planning).has_value();
        };
        const auto enough = nearly_least(std::max<std::int64_t>(least, 1), info.memory_bytes, fits);
        return enough ? std::optional(*enough + taken) : std::nullopt;
    }

    // Lines of real numbers may need less as half as many complex ones.
    static std::int64_t least_memory(const FftCall &call, const FftProblem &problem, const FftMember &member,
                                     const FftPlanning &planning)
    {
        const auto whole = sufficient_bytes(problem, member, planning, 1);
        const auto half = is_even_line(call)
                              ? sufficient_bytes(problem_of(half_of(call, call.in, call.out)), member, planning, 1)
                              : std::nullopt;
        return whole && half ? std::min(*whole, *half) : whole.value_or(half.value_or(0));
    }

    static std::int64_t advised_memory(const FftProblem &problem, const FftMember &member, FftPlanning planning)
    {
        const auto taken = member.session->used() + member.engine->kept_bytes();
        const auto seconds = [&](std::int64_t bytes) -> std::optional<double> {
            planning.memory_limit = bytes;
            const auto plan = plan_fft(problem, *member.session, *member.engine, member.rates, planning);
            return plan ? std::optional(plan->seconds) : std::nullopt;
        };
        const auto least = sufficient_bytes(problem, member, planning, 1);
        const auto advised =
            least ? advised_bytes(*least - taken, member.session->whole_memory() - taken, seconds) : std::nullopt;
        return advised ? *advised + taken : 0;
    }

    static void fill(FftAccount &account, const FftMember &member, const FlowRecord &record, double seconds)
    {
        const auto &plan = member.plan;
        account.method = "out-of-card";
        account.plan = plan.name;
        account.tiles = plan.describe();
        account.kernel = member.engine->name();
        account.moved = record;
        account.seconds = seconds;
        account.of_devices = {{member.session, 1, seconds}};
        account.expected = {plan.bytes_in + plan.bytes_out, lower_bound_bytes(plan, member.session->memory_limit()),
                            plan.seconds};
    }

    static void tell_in_place(const FftMember &member, const FlowRecord &record, FftAccount &account)
    {
        account.method = account.plan = member.session->info().backend == Backend::host ? "host" : "zero-copy";
        account.kernel = member.engine->name();
        account.moved = record;
        account.seconds = record.seconds;
        account.of_devices = {{member.session, 1, record.seconds}};
    }

    // A device or a plan that is asked for by name is not the host.
    bool host_may() const { return options_.get_text("run_on") != "device" && plan_ == "model"; }

    void on_host_if_it_may(const FftCall &call, FftAccount &account, const FallbackReason &hindrance)
    {
        if (!host_may()) fail(hindrance.status, hindrance.reason);
        on_host(call, account, hindrance.reason);
    }

    void on_host(const FftCall &call, FftAccount &account, const std::string &reason)
    {
        account.on_host = text("all: ", reason);
        if (is_dry_) return;
        begin();
        const auto start = Clock::now();
        fft_on_host(team_, call);
        account.seconds = seconds_since(start);
        for (const auto &session : devices_.sessions)
            if (session->info().backend == Backend::host) account.of_devices = {{session.get(), 1, account.seconds}};
    }

    // Lines of real numbers that are too long for a device are cut as half as many complex ones.
    static bool is_even_line(const FftCall &call)
    {
        return call.kind != FftKind::complex && call.dims.size() == 1 && call.dims[0] % 2 == 0 &&
               !problem_of(half_of(call, call.in, call.out)).cuts.empty();
    }

    static FftCall half_of(const FftCall &call, const void *in, void *out)
    {
        FftCall half;
        half.is_double = call.is_double;
        half.is_repeated = call.is_repeated;
        half.dims = {call.dims[0] / 2};
        half.sign = call.kind == FftKind::real_to_complex ? -1 : 1;
        half.in = in;
        half.out = out;
        return half;
    }

    void run_real_lines(const FftCall &call, FftAccount &account)
    {
        const auto layout = layout_of(call);
        const auto n = call.dims[0];
        const bool forward = call.kind == FftKind::real_to_complex;
        const auto progress = options_.progress();
        FftAccount sum;
        for (std::int64_t item = 0; item < call.batch; ++item) {
            const auto start = Clock::now();
            const auto setup_before = devices_.setup_seconds();
            const auto *in = static_cast<const unsigned char *>(call.in) + item * layout.in_pitch_bytes;
            auto *out = static_cast<unsigned char *>(call.out) + item * layout.out_pitch_bytes;
            if (progress)
                options_.set_progress(std::make_shared<ProgressCallback>([&, item](double part, const char *what) {
                    return (*progress)((static_cast<double>(item) + part) / static_cast<double>(call.batch), what);
                }));
            if (!forward) first_ = [&] { fold_spectrum(team_, call.is_double, n, in, out); };
            const auto half = half_of(call, forward ? in : out, out);
            account = {};
            if (const auto hindrance = on_devices(half, account); !hindrance.reason.empty())
                on_host_if_it_may(half, account, hindrance);
            if (forward && !is_dry_) unfold_spectrum(team_, call.is_double, n, out);
            account.seconds = is_dry_ ? 0 : seconds_since(start) - (devices_.setup_seconds() - setup_before);
            for (auto &part : account.of_devices) part.share /= static_cast<double>(call.batch);
            sum.add(account);
            if (!is_dry_) continue;
            sum.repeat(call.batch);
            break;
        }
        if (sum.on_host.empty()) sum.on_host = "the pairs of the half spectrum";
        account = sum;
    }

    DeviceGroup &devices_;
    Options options_;        // its progress is a line's where lines come one by one
    const std::string plan_; // asked for
    const bool is_dry_;      // nothing is computed
    OwnThreads team_;
    FftBeginning first_; // if anything is to be done then
    bool began_ = false;
    std::vector<std::unique_lock<DeviceLock>> locks_;
};

} // namespace

void fft(DeviceGroup &devices, const FftCall &call, const Options &options, Report &report)
{
    layout_of(call); // checks
    refuse_contradiction(options);
    FftAccount account;
    if (call.batch > 0) CallOnDevices(devices, options).run(without_ones(call), account);
    account.flops = flops_of(call);
    if (devices.sessions.size() > 1) account.name_all(devices);
    account.report(report);
}

namespace
{

// Complex numbers multiplied as written: the standard's product looks for infinities.
template <typename Real> std::complex<Real> product(const std::complex<Real> &a, const std::complex<Real> &b)
{
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// exp(sign 2 pi i k / n)
class Roots
{
  public:
    Roots(std::int64_t n, int sign)
        : fine_(fine_twiddle_roots(n)), values_(static_cast<std::size_t>(count_twiddle_roots(n)))
    {
        const auto bytes = twiddle_roots(n, sign, true);
        std::memcpy(values_.data(), bytes.data(), bytes.size());
    }
    std::complex<double> operator()(std::int64_t k) const
    {
        return product(values_[static_cast<std::size_t>(k % fine_)],
                       values_[static_cast<std::size_t>(fine_ + k / fine_)]);
    }

  private:
    std::int64_t fine_;
    std::vector<std::complex<double>> values_;
};

template <typename Real> void unfold(OwnThreads &team, std::int64_t n, std::complex<Real> *z)
{
    const auto m = n / 2;
    const Roots root(n, -1);
    const auto first = z[0];
    z[0] = first.real() + first.imag();
    z[m] = first.real() - first.imag();
    team.share(m / 2, [&](std::int64_t begin, std::int64_t some) {
        for (auto k = begin + 1; k <= begin + some; ++k) {
            const std::complex<double> a = z[k], b = std::conj(std::complex<double>(z[m - k]));
            const auto even = 0.5 * (a + b), odd = 0.5 * (a - b);
            const auto turned = product(std::complex<double>(odd.imag(), -odd.real()), root(k)); // -i odd
            z[k] = std::complex<Real>(even + turned);
            z[m - k] = std::complex<Real>(std::conj(even - turned));
        }
    });
}

template <typename Real> void fold(OwnThreads &team, std::int64_t n, const std::complex<Real> *x, std::complex<Real> *z)
{
    const auto m = n / 2;
    const Roots root(n, 1);
    z[0] = {x[0].real() + x[m].real(), x[0].real() - x[m].real()};
    team.share(m / 2, [&](std::int64_t begin, std::int64_t some) {
        for (auto k = begin + 1; k <= begin + some; ++k) {
            const std::complex<double> a = x[k], b = std::conj(std::complex<double>(x[m - k]));
            const auto even = a + b, odd = product(a - b, root(k));
            z[k] = std::complex<Real>(std::complex<double>(even.real() - odd.imag(), even.imag() + odd.real()));
            z[m - k] = std::complex<Real>(std::complex<double>(even.real() + odd.imag(), odd.real() - even.imag()));
        }
    });
}

} // namespace

void unfold_spectrum(OwnThreads &team, bool is_double, std::int64_t n, void *spectrum)
{
    if (is_double)
        unfold(team, n, static_cast<std::complex<double> *>(spectrum));
    else
        unfold(team, n, static_cast<std::complex<float> *>(spectrum));
}

void fold_spectrum(OwnThreads &team, bool is_double, std::int64_t n, const void *spectrum, void *folded)
{
    if (is_double)
        fold(team, n, static_cast<const std::complex<double> *>(spectrum), static_cast<std::complex<double> *>(folded));
    else
        fold(team, n, static_cast<const std::complex<float> *>(spectrum), static_cast<std::complex<float> *>(folded));
}

} // namespace hpart
