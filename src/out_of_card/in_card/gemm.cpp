#include "out_of_card/in_card/gemm.hpp"

#include "core/error.hpp"
#include "out_of_card/in_card/gemm_rates.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

namespace
{

std::vector<GemmKind> kinds_of(DeviceSession &session, Scalar type)
{
    if (is_double(type) && !session.info().double_precision) return {};
    switch (session.info().backend) {
    case Backend::host:
#ifdef HPART_HAVE_OPENBLAS
        return {{"openblas", make_host_gemm}};
#else
        return {};
#endif
    case Backend::opencl:
#ifdef HPART_HAVE_OPENCL
        return opencl_gemm_kinds(session);
#else
        return {};
#endif
    case Backend::cuda: return {{"cublas", make_cublas_gemm}};
    }
    return {};
}

constexpr std::string_view gemm_kernels_anywhere[] = {"openblas", "blocked", "tiled", "clblast", "cublas"};

std::shared_ptr<InCardGemm> kept_kernel(DeviceSession &session, Scalar type, const GemmKind &kind)
{
    return session.kept<InCardGemm>(text("gemm ", kind.name, " ", static_cast<int>(type)),
                                    [&] { return kind.make(session, type); });
}

// The best guess of those that the device can run.
std::string_view best_kind(DeviceSession &session, Scalar type, const std::vector<GemmKind> &kinds)
{
    for (const auto &kind : kinds) {
        try {
            kept_kernel(session, type, kind);
            return kind.name;
        } catch (const Error &error) {
            if (error.status() == Status::out_of_memory || &kind == &kinds.back()) throw;
        }
    }
    return {};
}

} // namespace

SessionBuffer allocate_scratch(DeviceSession &session, const InCardGemm &kernel, std::int64_t m, std::int64_t n,
                               std::int64_t k)
{
    const auto bytes = kernel.scratch_bytes(m, n, k);
    return bytes > 0 ? session.allocate(bytes) : SessionBuffer();
}

std::int64_t scratch_taken(const DeviceSession &session, const InCardGemm &kernel, std::int64_t m, std::int64_t n,
                           std::int64_t k)
{
    const auto bytes = kernel.scratch_bytes(m, n, k);
    if (bytes == 0) return 0;
    const auto taken = session.taken_by(bytes);
    return taken <= session.info().largest_buffer_bytes ? taken : std::numeric_limits<std::int64_t>::max() / 2;
}

std::vector<std::string> in_card_gemm_names(DeviceSession &session, Scalar type)
{
    std::vector<std::string> names;
    for (const auto &kind : kinds_of(session, type)) names.emplace_back(kind.name);
    return names;
}

namespace
{

// Those that may be asked for by this name. Fails if there are none.
std::vector<GemmKind> checked_kinds(DeviceSession &session, Scalar type, std::string_view name)
{
    if (const auto missing = missing_precision(session.info(), is_double(type)); !missing.empty())
        fail(Status::unsupported, missing);
    auto kinds = kinds_of(session, type);
    if (kinds.empty())
        fail(Status::unsupported, session.info().spec, " has no kernel for products of this type in this build");
    if (name.empty() || name == "auto") return kinds;
    const auto found = std::ranges::find(kinds, name, &GemmKind::name);
    if (found == kinds.end())
        fail_missing_kernel(session, name, gemm_kernels_anywhere, kinds,
                            session.info().backend == Backend::opencl
                                ? ", or your own: user, source:FILE or binary:FILE"
                                : ", or your own: user");
    return {*found};
}

} // namespace

bool is_gemm_of_file(std::string_view name) { return name.starts_with("source:") || name.starts_with("binary:"); }

std::string name_of_best_gemm(Scalar type) { return text("best gemm ", static_cast<int>(type)); }

std::string name_of_user_gemm(Scalar type) { return text("gemm user ", static_cast<int>(type)); }

void check_in_card_gemm(DeviceSession &session, Scalar type, std::string_view name)
{
    if (is_gemm_of_file(name) || name == "user")
        in_card_gemm(session, type, name);
    else
        checked_kinds(session, type, name);
}

std::shared_ptr<InCardGemm> in_card_gemm(DeviceSession &session, Scalar type, std::string_view name)
{
#ifdef HPART_HAVE_OPENCL
    if (is_gemm_of_file(name) && session.info().backend == Backend::opencl) {
        checked_kinds(session, type, "auto");
        std::shared_ptr<InCardGemm> made;
        try {
            return session.kept<InCardGemm>(text("gemm ", name, " ", static_cast<int>(type)), [&] {
                made = make_gemm_of_file(session, type, std::string(name));
                check_gemm(session, *made);
                return made;
            });
        } catch (const Error &error) {
            // A limit too low for the least check is too low for any plan. The plan's error then has a sufficient limit.
            if (error.status() != Status::out_of_memory || !made || !session.is_limited()) throw;
            return made;
        }
    }
#endif
    const bool any = name.empty() || name == "auto";
    if (any || name == "user") {
        if (auto own = session.find<InCardGemm>(name_of_user_gemm(type))) return own;
        if (!any)
            fail(Status::unsupported, "kernel is 'user', but ", session.info().spec,
                 " has none for this type; hpart_device_set_gemm sets it");
    }
    const auto kinds = checked_kinds(session, type, name);
    if (!any) return kept_kernel(session, type, kinds.front());
    const auto best = session.kept<const std::string>(
        name_of_best_gemm(type), [&] { return std::make_shared<const std::string>(best_kind(session, type, kinds)); });
    return kept_kernel(session, type, *std::ranges::find(kinds, *best, &GemmKind::name));
}

// Products by a function of the caller's.

namespace
{

class GemmOfUser final : public InCardGemm
{
  public:
    GemmOfUser(DeviceSession &session, Scalar type, UserGemm kernel)
        : session_(session), type_(type), kernel_(std::move(kernel))
    {
        if (kernel_.scratch_bytes > 0) scratch_ = session.allocate(kernel_.scratch_bytes);
    }

    std::string_view name() const override { return "user"; }
    Scalar type() const override { return type_; }
    std::int64_t row_multiple() const override { return kernel_.row_multiple; }
    std::int64_t column_multiple() const override { return kernel_.column_multiple; }
    std::int64_t largest_side() const override { return kernel_.largest_side; }
    // Its scratch is there already: the queue of kernels runs one product at a time.
    std::int64_t scratch_bytes(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }

    Launch product(const DeviceGemm &what) override
    {
        auto asked = what;
        asked.scratch = scratch_.get();
        return [enqueue = kernel_.enqueue, asked, &lock = session_.in_use()](LaunchContext &context) {
            const DeviceLock::Callback callback(lock);
            enqueue(context.queue, asked);
        };
    }

  private:
    DeviceSession &session_;
    Scalar type_;
    UserGemm kernel_;
    SessionBuffer scratch_;
};

} // namespace

std::shared_ptr<InCardGemm> checked_user_gemm(DeviceSession &session, Scalar type, UserGemm kernel)
{
    const std::lock_guard lock(session.in_use());
    check_in_card_gemm(session, type, "auto");
    auto made = std::make_shared<GemmOfUser>(session, type, std::move(kernel));
    check_gemm(session, *made);
    return made;
}

void set_user_gemm(DeviceSession &session, Scalar type, std::shared_ptr<InCardGemm> kernel)
{
    const std::lock_guard lock(session.in_use());
    session.forget(name_of_user_gemm(type));
    session.forget(name_of_gemm_rates("user", type));
    if (kernel) session.kept<InCardGemm>(name_of_user_gemm(type), [&] { return std::move(kernel); });
}

} // namespace hpart
