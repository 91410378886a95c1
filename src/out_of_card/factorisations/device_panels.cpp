#include "out_of_card/factorisations/device_panels.hpp"

#include "core/error.hpp"
#include "out_of_card/factorisations/panel_kernels.hpp"
#include "out_of_card/in_card/cublas.hpp"
#include "out_of_card/in_card/spans.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace hpart
{

namespace
{

// Calls work(first, count) for parts of `count` columns that span no more elements than cuBLAS's kernels may.
template <typename Work> void in_short_spans(std::int64_t count, std::int64_t ld, const Work &work)
{
    const auto most = std::max<std::int64_t>(1, longest_cublas_span / ld);
    for (std::int64_t first = 0; first < count; first += most) work(first, std::min(most, count - first));
}

} // namespace

PanelResults::PanelResults(DeviceWork &work, std::int64_t panels, std::int64_t bytes_a_panel)
    : work_(work), session_(work.flow().session()), panels_(panels), row_bytes_(head_bytes + bytes_a_panel),
      buffer_(session_.allocate(panels * row_bytes_)), on_host_(session_.device().allocate_pinned(panels * row_bytes_))
{
    std::memset(on_host_->data(), 0, static_cast<std::size_t>(panels * row_bytes_));
    session_.pinned_ranges().add(on_host_->data(), panels * row_bytes_);
    if (!work.is_simulated()) return;
    constexpr std::int64_t first_row = 1; // nothing brings pivots
    for (std::int64_t k = 0; k < panels; ++k)
        for (auto at = head_bytes; at + 8 <= row_bytes_; at += 8) std::memcpy(row(k) + at, &first_row, 8);
}

BufferSide PanelResults::found_on_device(std::int64_t k) const
{
    return {buffer_.get(), k * row_bytes_ + head_bytes, row_bytes_};
}

PanelResults::~PanelResults() { session_.pinned_ranges().remove(on_host_->data()); }

void PanelResults::clear()
{
    if (!is_cleared_) work_.flow().write(on_device(0), on_host_->data(), row_bytes_, {panels_, row_bytes_});
    is_cleared_ = true;
}

void PanelResults::send(std::int64_t k, const void *found, std::int64_t bytes)
{
    clear();
    work_.flow().wait_for({nullptr, host_block(row(k), row_bytes_, {1, row_bytes_})});
    std::memcpy(row(k) + head_bytes, found, static_cast<std::size_t>(bytes));
    work_.flow().write(found_on_device(k), row(k) + head_bytes, bytes, {1, bytes});
}

void PanelResults::fetch(std::int64_t k) { work_.flow().read(on_device(k), row(k), row_bytes_, {1, row_bytes_}); }

bool PanelResults::is_here(std::int64_t k)
{
    return !work_.flow().is_used({nullptr, host_block(row(k), row_bytes_, {1, row_bytes_})});
}

bool PanelResults::await(std::int64_t k)
{
    work_.flow().wait_for({nullptr, host_block(row(k), row_bytes_, {1, row_bytes_})});
    std::uint64_t flag = 0;
    std::int32_t info = 0;
    std::memcpy(&flag, row(k), sizeof flag);
    std::memcpy(&info, row(k) + sizeof flag, sizeof info);
    return flag == 0 && info == 0;
}

namespace
{

Cusolver::Kind kind_of(StepKind method, bool row_major)
{
    if (method == StepKind::lu) return Cusolver::Kind::lu;
    if (method == StepKind::qr) return Cusolver::Kind::qr;
    // A row-major matrix is its conjugate's column-major one, whose upper triangle is this one's lower one.
    return row_major ? Cusolver::Kind::cholesky_upper : Cusolver::Kind::cholesky_lower;
}

CublasOperation as_operation(Transpose transpose)
{
    constexpr CublasOperation operations[] = {CublasOperation::none, CublasOperation::transpose,
                                              CublasOperation::conjugate};
    return operations[static_cast<int>(transpose)];
}

} // namespace

namespace
{

std::shared_ptr<Cublas> cublas_aside(DeviceSession &session)
{
    return session.kept<Cublas>("cublas aside",
                                [&] { return session.with_room([&] { return std::make_shared<Cublas>(session); }); });
}

} // namespace

struct DevicePanels::Tools {
    std::shared_ptr<Cusolver> cusolver;
    std::shared_ptr<Cublas> main_cublas, cublas; // the second one beside the first one, with a workspace of its own
    std::shared_ptr<PanelKernels> kernels;

    // For a panel of this size anywhere. The address is only looked at, if at all.
    std::int64_t room(Cusolver::Kind kind, Scalar type, std::int64_t rows, std::int64_t columns) const
    {
        auto *const some = cublas->workspace();
        return cusolver->room({kind, type, rows, columns, some, padded_row(rows, type), some, nullptr});
    }
    // `to` is `from` in the other layout.
    void turn(Scalar type, const DeviceBlock &from, const DeviceBlock &to, CudaStream stream) const
    {
        with_type(type, [&]<typename Value>() {
            alignas(sizeof(Value)) const Value one = 1;
            alignas(sizeof(Value)) const Value zero = 0;
            const auto size = [](std::int64_t value) { return static_cast<int>(value); };
            const auto *const original = static_cast<const Value *>(address(type, from));
            auto *const target = static_cast<Value *>(address(type, to));
            const auto m = to.row_major ? to.columns : to.rows, n = to.row_major ? to.rows : to.columns;
            auto *const handle = cublas->in_stream(stream);
            in_short_spans(m, from.ld, [&](std::int64_t row, std::int64_t rows) {
                in_short_spans(n, to.ld, [&](std::int64_t column, std::int64_t columns) {
                    auto *const part = target + row + column * to.ld;
                    cublas->check(cublas->library().calls<Value>().geam(
                                      handle, CublasOperation::transpose, CublasOperation::none, size(rows),
                                      size(columns), &one, original + column + row * from.ld, size(from.ld), &zero,
                                      part, size(to.ld), part, size(to.ld)),
                                  "cublasGeam");
                });
            });
        });
    }
};

std::shared_ptr<DevicePanels::Tools> DevicePanels::tools_of(DeviceSession &session)
{
    try {
        const auto cusolver = cusolver_of(session);
        return cusolver ? std::make_shared<Tools>(
                              Tools{cusolver, cublas_of(session), cublas_aside(session), panel_kernels(session)})
                        : nullptr;
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw;
        return nullptr;
    }
}

std::int64_t DevicePanels::bytes_found(const FactorisationStep &problem, std::int64_t width)
{
    switch (problem.method) {
    case StepKind::lu: return width * std::int64_t{8};
    case StepKind::qr: return width * bytes_of(problem.type);
    default: return 0;
    }
}

std::optional<std::int64_t> DevicePanels::bytes(DeviceSession &session, const FactorisationStep &problem,
                                                const LeftLookingShape &shape)
{
    const auto tools = tools_of(session);
    constexpr std::int64_t most = std::numeric_limits<int>::max(); // of cuBLAS's sizes
    if (!tools || shape.rows * 2 > most || shape.panel * 2 > most || shape.resident * 2 > most) return std::nullopt;
    const auto rows = problem.method == StepKind::cholesky ? shape.panel : shape.rows;
    auto sum =
        session.taken_by(tools->room(kind_of(problem.method, problem.row_major), problem.type, rows, shape.panel));
    const auto panels = ceil_div(problem.depth, shape.panel);
    sum += session.taken_by(PanelResults::bytes(panels, bytes_found(problem, shape.panel)));
    if (problem.row_major && problem.method != StepKind::cholesky)
        sum += bytes_of_block(session, problem.type, false, shape.rows, shape.panel);
    return sum;
}

DevicePanels::DevicePanels(DeviceWork &work, const FactorisationStep &problem, const LeftLookingShape &shape,
                           PanelResults &results)
    : work_(work), tools_(tools_of(work.flow().session())), problem_(problem), results_(results),
      room_bytes_(tools_->room(kind_of(problem.method, problem.row_major), problem.type,
                               problem.method == StepKind::cholesky ? shape.panel : shape.rows, shape.panel)),
      room_(work.flow().session().allocate(room_bytes_)),
      refused_(static_cast<std::size_t>(ceil_div(problem.depth, shape.panel)))
{
    if (problem.row_major && problem.method != StepKind::cholesky)
        turned_ = work.allocate(shape.rows, shape.panel, false);
}

void DevicePanels::factor(std::int64_t k, const DeviceBlock &from, const DeviceBlock &to)
{
    results_.clear();
    const auto type = problem_.type;
    auto panel = to;
    if (turned_) {
        panel = turned_->block(0, 0, from.rows, from.columns);
        work_.flow().launch_aside(
            [tools = tools_, type, from, panel](LaunchContext &context) {
                tools->turn(type, from, panel, static_cast<CudaStream>(context.queue));
            },
            {work_.area(from)}, {work_.area(panel)});
    } else {
        work_.copy_aside(from, to);
    }
    const auto kind = kind_of(problem_.method, problem_.row_major);
    auto *const results = static_cast<char *>(address(results_.on_device(k)));
    const Cusolver::Panel what{kind,
                               type,
                               panel.rows,
                               panel.columns,
                               address(type, panel),
                               panel.ld,
                               results + PanelResults::head_bytes,
                               reinterpret_cast<int *>(results + sizeof(std::uint64_t))};
    const auto square = panel.block(0, 0, panel.columns, panel.columns);
    work_.flow().launch_aside(
        [tools = tools_, type, panel, square, what, results, room = room_.get()->native(), bytes = room_bytes_,
         method = problem_.method, this, k](LaunchContext &context) {
            auto *const stream = static_cast<CudaStream>(context.queue);
            if (method != StepKind::cholesky) tools->kernels->find_not_finite(type, panel, results, stream);
            refused_[static_cast<std::size_t>(k)] = !tools->cusolver->factor(what, room, bytes, stream);
            if (method != StepKind::qr) tools->kernels->find_unusable(type, square, results, stream);
        },
        {}, {work_.area(panel), results_.area(k)});
    if (turned_) turn_to(to);
    results_.fetch(k);
}

void DevicePanels::turn_to(const DeviceBlock &to)
{
    const auto panel = turned_->block(0, 0, to.rows, to.columns);
    work_.flow().launch_aside(
        [tools = tools_, type = problem_.type, panel, to](LaunchContext &context) {
            tools->turn(type, panel, to, static_cast<CudaStream>(context.queue));
        },
        {work_.area(panel)}, {work_.area(to)});
}

bool DevicePanels::await(std::int64_t k) { return results_.await(k) && !refused_[static_cast<std::size_t>(k)]; }

void DevicePanels::solve(const Solution &how, const DeviceBlock &a, const DeviceBlock &b)
{
    if (b.rows == 0 || b.columns == 0) return;
    work_.launch(
        [tools = tools_, type = problem_.type, how, a, b](LaunchContext &context) {
            auto *const handle = tools->main_cublas->in_stream(static_cast<CudaStream>(context.queue));
            // Row-major storage is column-major storage of the transposes: b^T = b^T op(a^T)^-1.
            const bool left = (how.side == Side::left) != b.row_major,
                       lower = (how.triangle == Triangle::lower) != b.row_major;
            with_type(type, [&]<typename Value>() {
                alignas(sizeof(Value)) const Value one = 1;
                const auto size = [](std::int64_t value) { return static_cast<int>(value); };
                const auto m = b.row_major ? b.columns : b.rows, n = b.row_major ? b.rows : b.columns;
                const auto solve_columns = [&](std::int64_t first, std::int64_t count) {
                    tools->cublas->check(tools->cublas->library().calls<Value>().trsm(
                                             handle, left ? CublasSide::left : CublasSide::right,
                                             lower ? CublasTriangle::lower : CublasTriangle::upper,
                                             as_operation(how.transpose), how.unit_diagonal ? 1 : 0, size(m),
                                             size(count), &one, static_cast<const Value *>(address(type, a)),
                                             size(a.ld), static_cast<Value *>(address(type, b)) + first * b.ld,
                                             size(b.ld)),
                                         "cublasTrsm");
                };
                if (left)
                    in_short_spans(n, b.ld, solve_columns);
                else
                    solve_columns(0, n); // as many as the triangle has
            });
        },
        {work_.area(a)}, {work_.area(b)});
}

void DevicePanels::make_unit_lower(const DeviceBlock &square)
{
    work_.flow().launch_aside(
        [tools = tools_, type = problem_.type, square](LaunchContext &context) {
            tools->kernels->make_unit_lower(type, square, static_cast<CudaStream>(context.queue));
        },
        {}, {work_.area(square)});
}

void DevicePanels::multiply_reflectors(const DeviceBlock &v, const DeviceBlock &products)
{
    work_.flow().launch_aside(
        [tools = tools_, type = problem_.type, v, products](LaunchContext &context) {
            auto *const handle = tools->cublas->in_stream(static_cast<CudaStream>(context.queue));
            with_type(type, [&]<typename Value>() {
                alignas(sizeof(Value)) const Value one = 1;
                alignas(sizeof(Value)) const Value zero = 0;
                const auto size = [](std::int64_t value) { return static_cast<int>(value); };
                const auto none = CublasOperation::none, turned = CublasOperation::conjugate;
                const auto *const factor = static_cast<const Value *>(address(type, v));
                tools->cublas->check(tools->cublas->library().calls<Value>().gemm(
                                         handle, v.row_major ? none : turned, v.row_major ? turned : none,
                                         size(v.columns), size(v.columns), size(v.rows), &one, factor, size(v.ld),
                                         factor, size(v.ld), &zero, static_cast<Value *>(address(type, products)),
                                         size(products.ld)),
                                     "cublasGemm");
            });
        },
        {work_.area(v)}, {work_.area(products)});
}

std::string name_of_device_panels(StepKind method, Scalar type)
{
    return text("device panels ", static_cast<int>(method), ' ', static_cast<int>(type));
}

namespace
{

// Random numbers with a large diagonal: any of the methods takes them.
std::vector<unsigned char> any_panel(Scalar type, std::int64_t rows, std::int64_t columns, std::int64_t ld)
{
    std::vector<unsigned char> bytes(static_cast<std::size_t>(ld * columns * bytes_of(type)));
    with_type(type, [&]<typename Value>() {
        auto *const values = reinterpret_cast<Value *>(bytes.data());
        for (std::int64_t j = 0; j < columns; ++j) {
            for (std::int64_t i = 0; i < rows; ++i)
                values[i + j * ld] = static_cast<Real<Value>>(std::sin(static_cast<double>(i * columns + j)));
            values[j + j * ld] = static_cast<Real<Value>>(2 * rows);
        }
    });
    return bytes;
}

} // namespace

std::optional<DevicePanelRates> measured_device_panels(DeviceSession &session, StepKind method, Scalar type)
{
    const auto tools = DevicePanels::tools_of(session);
    if (!tools) return std::nullopt;
    using Found = std::optional<DevicePanelRates>;
    // The least of three; seconds of a panel.
    const auto trial_seconds = [&](std::int64_t rows, std::int64_t columns) {
        if (method == StepKind::cholesky) rows = columns;
        const auto kind = kind_of(method, false);
        const auto ld = padded_row(rows, type), bytes = ld * columns * bytes_of(type);
        const auto room_bytes = tools->room(kind, type, rows, columns);
        const auto values = any_panel(type, rows, columns, ld);
        auto &device = session.device();
        const auto panel = session.allocate(bytes), room = session.allocate(room_bytes),
                   found = session.allocate(PanelResults::head_bytes + columns * 16);
        auto *const results = static_cast<char *>(found.get()->native());
        const Cusolver::Panel what{
            kind, type, rows, columns, panel.get()->native(), ld, results + 16, reinterpret_cast<int *>(results)};
        const auto queue = device.make_queue();
        double least = HUGE_VAL;
        for (int run = 0; run < 3; ++run) {
            device.write(*queue, {panel.get(), 0, bytes}, values.data(), bytes, {1, bytes}, {})->wait();
            const auto event = device.launch(*queue,
                                             [&](LaunchContext &context) {
                                                 tools->cusolver->factor(what, room.get()->native(), room_bytes,
                                                                         static_cast<CudaStream>(context.queue));
                                             },
                                             {});
            if (event->wait() != EventState::done) fail(event->failure_status(), event->failure());
            const auto [start, end] = event->interval();
            if (run > 0) least = std::min(least, std::max(end - start, clock_tick_seconds));
        }
        return least;
    };
    return *session.kept_rate<Found>(name_of_device_panels(method, type), [&] {
        constexpr std::int64_t narrow = 64, wide = 256, tallest = 8192;
        const auto free = session.memory_limit() - session.used();
        const auto rows = std::min(tallest, free / (4 * wide * bytes_of(type)));
        if (rows < wide) return std::make_shared<Found>();
        const auto work = [&](std::int64_t width) {
            const auto height = method == StepKind::cholesky ? width : rows;
            return static_cast<double>(height * width * width);
        };
        const auto of_narrow = trial_seconds(rows, narrow), of_wide = trial_seconds(rows, wide);
        // of_narrow = narrow c + work(narrow) / rate, and so of_wide.
        constexpr auto times = static_cast<double>(wide) / narrow;
        const auto rest = std::max(of_wide - times * of_narrow, of_wide / 100);
        DevicePanelRates rates;
        rates.rate = (work(wide) - times * work(narrow)) / rest;
        rates.column_seconds = std::max(0.0, of_narrow - work(narrow) / rates.rate) / static_cast<double>(narrow);
        return std::make_shared<Found>(rates);
    });
}

} // namespace hpart
