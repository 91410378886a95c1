#include "out_of_card/factorisations/device_panels.hpp"

#include "core/error.hpp"
#include "out_of_card/in_card/cublas.hpp"
#include "out_of_card/in_card/spans.hpp"
#ifdef HPART_HAVE_OPENCL
#include "out_of_card/in_card/opencl_kernel.hpp"
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <tuple>

namespace hpart
{

namespace
{

class HostRowSwaps final : public RowSwaps
{
  public:
    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others, const BufferSide &) override
    {
        const auto bytes = block.offset * bytes_of(type);
        const HostMatrix rows{
            type,    block.row_major, block.rows, block.columns, static_cast<char *>(block.buffer->native()) + bytes,
            block.ld};
        for (auto &other : others) ++other; // as LAPACK counts
        return [=](LaunchContext &) { on_host::swap_rows(rows, others); };
    }
};

#ifdef HPART_HAVE_OPENCL

// A work-item does all exchanges of its column. Elements are moved as integers of their size. The row numbers are arguments that no
// loop indexes: some drivers (Mesa 22.3) cannot index them.
constexpr const char *source = R"(
#if BYTES == 4
typedef uint element;
#elif BYTES == 8
typedef ulong element;
#else
typedef ulong2 element;
#endif
#define SWAP(k, row) \
    if ((k) < count) { \
        const long one = (first + (k)) * row_stride, other = (row) * row_stride; \
        const element kept = top[one]; \
        top[one] = top[other]; \
        top[other] = kept; \
    }
#define SWAP_4(k, rows) SWAP(k, rows.x) SWAP(k + 1, rows.y) SWAP(k + 2, rows.z) SWAP(k + 3, rows.w)
kernel void swap_rows(global element *a, long offset, long row_stride, long column_stride, long columns, long first, int count,
                      long4 r0, long4 r1, long4 r2, long4 r3, long4 r4, long4 r5, long4 r6, long4 r7,
                      long4 r8, long4 r9, long4 r10, long4 r11, long4 r12, long4 r13, long4 r14, long4 r15)
{
    const long column = get_global_id(0);
    if (column >= columns) return;
    global element *const top = a + offset + column * column_stride;
    SWAP_4(0, r0) SWAP_4(4, r1) SWAP_4(8, r2) SWAP_4(12, r3) SWAP_4(16, r4) SWAP_4(20, r5) SWAP_4(24, r6) SWAP_4(28, r7)
    SWAP_4(32, r8) SWAP_4(36, r9) SWAP_4(40, r10) SWAP_4(44, r11) SWAP_4(48, r12) SWAP_4(52, r13) SWAP_4(56, r14) SWAP_4(60, r15)
}
)";

// The row numbers of a launch, as the kernel takes them.
using Rows = std::array<cl_long4, 16>;
constexpr std::size_t most_rows = 64;

class OpenClRowSwaps final : public RowSwaps
{
  public:
    explicit OpenClRowSwaps(const OpenClNative &native) : native_(native) {}

    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others, const BufferSide &) override
    {
        auto &kernel = kernels_[bytes_of(type)];
        if (!kernel)
            kernel = std::make_shared<OpenClKernel>(native_, source, OpenClDefinitions().set("BYTES", bytes_of(type)),
                                                    "swap_rows");
        return [kernel, block, others = std::move(others)](LaunchContext &context) {
            for (std::size_t first = 0; first < others.size(); first += most_rows)
                add(*kernel, block, std::span(others).subspan(first), first, context);
        };
    }

  private:
    static void add(OpenClKernel &kernel, const DeviceBlock &block, std::span<const std::int64_t> others,
                    std::size_t first, LaunchContext &context)
    {
        constexpr std::size_t group = 32;
        const auto count = std::min(most_rows, others.size());
        Rows rows{};
        for (std::size_t k = 0; k < count; ++k) rows[k / 4].s[k % 4] = others[k];
        const OpenClRange range{{(static_cast<std::size_t>(block.columns) + group - 1) / group, 1, 1}, {group, 1}};
        const auto launch = [&](const auto &...fours) {
            kernel.launch(context, range, opencl_native(*block.buffer), cl_long{block.offset},
                          cl_long{block.row_major ? block.ld : 1}, cl_long{block.row_major ? 1 : block.ld},
                          cl_long{block.columns}, static_cast<cl_long>(first), static_cast<cl_int>(count), fours...);
        };
        std::apply(launch, rows);
    }

    OpenClNative native_;
    std::map<std::int64_t, std::shared_ptr<OpenClKernel>> kernels_; // by the bytes of an element
};

#endif

// Calls work(first, count) for parts of `count` columns that span no more elements than cuBLAS's kernels may.
template <typename Work> void in_short_spans(std::int64_t count, std::int64_t ld, const Work &work)
{
    const auto most = std::max<std::int64_t>(1, longest_cublas_span / ld);
    for (std::int64_t first = 0; first < count; first += most) work(first, std::min(most, count - first));
}

unsigned long long as_unsigned(std::int64_t size) { return static_cast<unsigned long long>(size); }

void *address(const BufferSide &side) { return static_cast<char *>(side.buffer->native()) + side.offset_bytes; }
void *address(Scalar type, const DeviceBlock &block)
{
    return address({block.buffer, block.offset * bytes_of(type), 0});
}

} // namespace

// The library's kernels of cuda_kernels.cu for factorisations.
class PanelKernels
{
  public:
    explicit PanelKernels(std::shared_ptr<CudaContext> context) : module_(std::move(context), cuda_kernels_ptx) {}

    void swap_rows(Scalar type, const DeviceBlock &block, const BufferSide &list, std::int64_t rows,
                   CudaStream stream) const
    {
        constexpr int column_threads = 64;
        void *top = address(type, block), *pivots = address(list);
        auto count = as_unsigned(rows), columns = as_unsigned(block.columns),
             row_stride = as_unsigned(block.row_major ? block.ld : 1),
             column_stride = as_unsigned(block.row_major ? 1 : block.ld);
        void *parameters[] = {&top, &pivots, &count, &columns, &row_stride, &column_stride};
        const auto bytes = bytes_of(type);
        const auto *const name = bytes == 4 ? "swap_rows_4" : bytes == 8 ? "swap_rows_8" : "swap_rows_16";
        module_.launch(module_.function(name), ceil_div(block.columns, std::int64_t{column_threads}), column_threads,
                       stream, parameters);
    }

    // The columns are contiguous.
    void find_not_finite(Scalar type, const DeviceBlock &block, void *flag, CudaStream stream) const
    {
        void *a = address(type, block);
        auto rows = as_unsigned(block.rows * parts(type)), ld = as_unsigned(block.ld * parts(type));
        void *parameters[] = {&a, &rows, &ld, &flag};
        launch("find_not_finite_", type, block.columns, stream, parameters);
    }

    void find_unusable(Scalar type, const DeviceBlock &square, void *flag, CudaStream stream) const
    {
        void *a = address(type, square);
        auto count = as_unsigned(square.columns), step = as_unsigned((square.ld + 1) * parts(type)),
             numbers = as_unsigned(parts(type));
        auto least = std::numeric_limits<double>::min();
        auto least_float = std::numeric_limits<float>::min();
        void *parameters[] = {
            &a, &count, &step, &numbers, is_double(type) ? static_cast<void *>(&least) : &least_float, &flag};
        launch("find_unusable_", type, ceil_div(square.columns, std::int64_t{threads}), stream, parameters);
    }

    void make_unit_lower(Scalar type, const DeviceBlock &square, CudaStream stream) const
    {
        void *a = address(type, square);
        auto row_step = as_unsigned((square.row_major ? square.ld : 1) * parts(type)),
             column_step = as_unsigned((square.row_major ? 1 : square.ld) * parts(type)),
             numbers = as_unsigned(parts(type));
        void *parameters[] = {&a, &row_step, &column_step, &numbers};
        launch("make_unit_lower_", type, square.columns, stream, parameters);
    }

  private:
    static constexpr int threads = 256;
    static std::int64_t parts(Scalar type) { return is_complex(type) ? 2 : 1; }
    void launch(const std::string &name, Scalar type, std::int64_t blocks, CudaStream stream, void **parameters) const
    {
        module_.launch(module_.function((name + (is_double(type) ? "double" : "float")).c_str()), blocks, threads,
                       stream, parameters);
    }

    CudaModule module_;
};

namespace
{

std::shared_ptr<PanelKernels> panel_kernels(DeviceSession &session)
{
    return session.kept<PanelKernels>("panel kernels", [&] {
        return session.with_room([&] { return std::make_shared<PanelKernels>(cuda_context(session.device())); });
    });
}

class CudaRowSwaps final : public RowSwaps
{
  public:
    explicit CudaRowSwaps(std::shared_ptr<PanelKernels> kernels) : kernels_(std::move(kernels)) {}

    bool reads_list() const override { return true; }
    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others,
                const BufferSide &list) override
    {
        return [kernels = kernels_, type, block, rows = std::ssize(others), list](LaunchContext &context) {
            kernels->swap_rows(type, block, list, rows, static_cast<CudaStream>(context.queue));
        };
    }

  private:
    std::shared_ptr<PanelKernels> kernels_;
};

std::shared_ptr<RowSwaps> make_row_swaps(DeviceSession &session)
{
    switch (session.info().backend) {
    case Backend::host: return std::make_shared<HostRowSwaps>();
#ifdef HPART_HAVE_OPENCL
    case Backend::opencl: return std::make_shared<OpenClRowSwaps>(opencl_native(session.device()));
#endif
    default: return std::make_shared<CudaRowSwaps>(panel_kernels(session));
    }
}

} // namespace

std::shared_ptr<RowSwaps> row_swaps(DeviceSession &session)
{
    return session.kept<RowSwaps>("row swaps", [&] { return make_row_swaps(session); });
}

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
    if (turned_)
        work_.flow().launch_aside(
            [tools = tools_, type, panel, to](LaunchContext &context) {
                tools->turn(type, panel, to, static_cast<CudaStream>(context.queue));
            },
            {work_.area(panel)}, {work_.area(to)});
    results_.fetch(k);
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
