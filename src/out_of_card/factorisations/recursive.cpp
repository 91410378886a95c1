#include "out_of_card/factorisations/recursive.hpp"

#include "out_of_card/factorisations/device_work.hpp"

namespace hpart::on_device
{

// C = alpha op(A) op(A)^T + beta C by blocks of C's columns that stay on the device. One panel of A is both factors; only the
// triangle moves, and the squares on its diagonal come to a workspace first, as half of each is not ours to write.

namespace
{

class Update
{
  public:
    struct Call {
        SyrkShape shape;
        Coefficient alpha, beta;
        HostMatrix a;
    };
    Update(DeviceWork &work, const LeftLookingShape &shape, const HostMatrix &c, const Call &call)
        : work_(work), shape_(shape), call_(call), c_(c), squares_(c.type, shape.resident, shape.panel, c.row_major),
          resident_(work.allocate(shape.rows, shape.resident))
    {
        if (is_plain())
            work.make_slots(shape.rows, shape.panel);
        else
            work.make_slots(shape.panel, shape.rows);
    }

    std::int64_t run()
    {
        for (first_ = 0; first_ < shape_.columns; first_ += shape_.resident) {
            columns_ = std::min(shape_.resident, shape_.columns - first_);
            if (call_.beta != 0.0) send();
            for (std::int64_t depth = 0; depth < this->depth(); depth += shape_.panel) {
                apply(depth);
                const auto before = triangle_before(first_), here = triangle_before(end()) - before;
                const auto done =
                    std::min(1.0, static_cast<double>(depth + shape_.panel) / static_cast<double>(this->depth()));
                work_.next_step((before + done * here) / triangle_before(shape_.columns));
            }
            fetch();
        }
        return 0;
    }
    double panel_seconds() const { return 0; }

  private:
    bool is_plain() const { return call_.shape.transpose == Transpose::none; }
    std::int64_t depth() const { return is_plain() ? call_.a.columns : call_.a.rows; }
    std::int64_t end() const { return first_ + columns_; }
    // Elements of the triangle on the left of a column.
    double triangle_before(std::int64_t column) const
    {
        return static_cast<double>(column) * (static_cast<double>(shape_.rows) - static_cast<double>(column) / 2);
    }
    // From the diagonal down, of columns of the matrix.
    DeviceBlock on_device(std::int64_t column, std::int64_t count) const
    {
        return resident_.block(column - first_, column - first_, c_.rows - column, count);
    }

    void send()
    {
        for (auto column = first_; column < end(); column += shape_.panel) {
            const auto width = std::min(shape_.panel, end() - column);
            work_.send(on_device(column, width), c_.block(column, column, c_.rows - column, width));
        }
    }

    void apply(std::int64_t depth)
    {
        const auto &slot = work_.next_slot();
        const auto deep = std::min(shape_.panel, this->depth() - depth), rest = c_.rows - first_;
        const auto panel = is_plain() ? slot.block(0, 0, rest, deep) : slot.block(0, 0, deep, rest);
        work_.send(panel,
                   is_plain() ? call_.a.block(first_, depth, rest, deep) : call_.a.block(depth, first_, deep, rest));
        const auto turned = call_.shape.hermitian ? Transpose::conjugate : Transpose::transpose;
        const auto beta = depth == 0 ? call_.beta : 1;
        const DeviceFactor left{panel, is_plain() ? Transpose::none : turned},
            right{panel, is_plain() ? turned : Transpose::none};
        work_.multiply_lower(call_.alpha, left, right.some_columns(0, columns_), beta, on_device(first_, columns_));
    }

    // Waits for the squares.
    void fetch()
    {
        for (auto column = first_; column < end(); column += shape_.panel) {
            const auto width = std::min(shape_.panel, end() - column);
            const auto part = on_device(column, width);
            work_.fetch(part.block(0, 0, width, width), square(column, width));
            work_.fetch(part.block(width, 0, part.rows - width, width),
                        c_.block(column + width, column, part.rows - width, width));
        }
        for (auto column = first_; column < end(); column += shape_.panel) {
            const auto width = std::min(shape_.panel, end() - column);
            work_.wait_for(square(column, width));
            merge(column, width);
        }
    }

    HostMatrix square(std::int64_t column, std::int64_t width) const
    {
        return squares_.matrix().block(column - first_, 0, width, width);
    }

    void merge(std::int64_t column, std::int64_t width) const
    {
        on_host::copy_lower(square(column, width), c_.block(column, column, width, width), call_.shape.hermitian);
    }

    DeviceWork &work_;
    const LeftLookingShape shape_;
    const Call call_;
    const HostMatrix c_;
    const Workspace squares_;
    const DeviceBlock resident_;
    std::int64_t first_ = 0, columns_ = 0; // on the device
};

} // namespace

bool update_triangle(FactorisationContext &context, const SyrkShape &shape, Coefficient alpha, const HostMatrix &a,
                     Coefficient beta, const HostMatrix &c)
{
    const auto k = shape.transpose == Transpose::none ? a.columns : a.rows;
    if (alpha == 0.0) return false;
    const typename Update::Call call{shape, Coefficient(alpha), Coefficient(beta), a};
    const auto problem = update_of(c, k, beta != 0.0, a);
    return run_on_device<Update>(context, problem, c, call).has_value();
}

// B = op(A)^-1 B by blocks of B's columns that stay on the device while A's panels stream past: B goes in and out once.

namespace
{

class Solve
{
  public:
    Solve(DeviceWork &work, const LeftLookingShape &shape, const HostMatrix &b, const TrsmShape &call,
          const HostMatrix &a)
        : work_(work), shape_(shape), call_(call), a_(a), b_(b), squares_(a.type, panels(), shape.panel, a.row_major),
          inverted_(static_cast<std::size_t>(panels())), resident_(work.allocate(shape.rows, shape.resident))
    {
        if (is_plain())
            work.make_slots(shape.rows, shape.panel);
        else
            work.make_slots(shape.panel, shape.rows);
        for (auto &row : solved_) row = work.allocate(shape.panel, shape.resident);
    }

    std::int64_t run()
    {
        for (std::int64_t first = 0; first < shape_.columns; first += shape_.resident) {
            const auto columns = std::min(shape_.resident, shape_.columns - first);
            const auto block = b_.block(0, first, b_.rows, columns);
            work_.send(resident_.block(0, 0, b_.rows, columns), block);
            for (std::int64_t step = 0; step < panels(); ++step) {
                apply(is_lower() ? step : panels() - 1 - step, block);
                const auto done =
                    static_cast<double>(first) + static_cast<double>(columns * step) / static_cast<double>(panels());
                work_.next_step(done / static_cast<double>(shape_.columns));
            }
        }
        return 0;
    }
    double panel_seconds() const { return panel_seconds_; }

  private:
    bool is_plain() const { return call_.transpose == Transpose::none; }
    // True if op(A) is lower.
    bool is_lower() const { return (call_.triangle == Triangle::lower) == is_plain(); }
    std::int64_t panels() const { return (shape_.rows + shape_.panel - 1) / shape_.panel; }

    void apply(std::int64_t k, const HostMatrix &block)
    {
        const auto begin = k * shape_.panel, end = std::min(begin + shape_.panel, shape_.rows), deep = end - begin;
        // The rows that are not solved for yet.
        const auto rest = is_lower() ? end : 0, left = is_lower() ? shape_.rows - end : begin;
        const auto &slot = work_.next_slot();
        const auto square = slot.block(0, 0, deep, deep);
        const auto others = is_plain() ? slot.block(deep, 0, left, deep) : slot.block(0, deep, deep, left);
        if (!inverted_[static_cast<std::size_t>(k)]) invert(k, a_.block(begin, begin, deep, deep));
        work_.send(square, squares_.inverse(k));
        work_.send(others, is_plain() ? a_.block(rest, begin, left, deep) : a_.block(begin, rest, deep, left));

        const auto x = solved_[next_solved_++ % solved_.size()].block(0, 0, deep, block.columns);
        squares_.solve(work_, k, {square, call_.transpose}, resident_.block(begin, 0, deep, block.columns), x,
                       block.block(begin, 0, deep, block.columns));
        work_.multiply(-1, {others, call_.transpose}, {x}, 1, resident_.block(rest, 0, left, block.columns));
    }

    void invert(std::int64_t k, const HostMatrix &square)
    {
        const auto start = Clock::now();
        std::optional<SingleThreadedBlas> one_thread;
        if (competes_with_host(work_.flow().session())) one_thread.emplace();
        squares_.invert(k, square, {call_.triangle, call_.unit_diagonal});
        inverted_[static_cast<std::size_t>(k)] = true;
        panel_seconds_ += seconds_since(start);
    }

    DeviceWork &work_;
    const LeftLookingShape shape_;
    const TrsmShape call_;
    const HostMatrix a_, b_;
    DiagonalBlocks squares_;
    std::vector<bool> inverted_;
    const DeviceBlock resident_;
    std::array<DeviceBlock, 2> solved_; // rows of X: one is fetched while the other is made
    std::size_t next_solved_ = 0;
    double panel_seconds_ = 0;
};

} // namespace

bool solve_triangle(FactorisationContext &context, const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b)
{
    const auto matrix = b, triangle = a;
    return run_on_device<Solve>(context, solution_of(matrix, triangle), matrix, shape, triangle).has_value();
}

} // namespace hpart::on_device

namespace hpart::recursive
{

namespace
{

// A triangular system in halves; the second one of B depends on the first one, which is on top where op(A) is lower.
struct Halves {
    Halves(const RecursionRules &rules, const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b)
    {
        const auto n = a.rows, top = rules.half_of(n), rest = n - top;
        const bool lower = shape.triangle == Triangle::lower;
        corner = {lower ? a.block(top, 0, rest, top) : a.block(0, top, top, rest), shape.transpose};
        a1 = a.block(0, 0, top, top), a2 = a.block(top, top, rest, rest);
        b1 = b.block(0, 0, top, b.columns), b2 = b.block(top, 0, rest, b.columns);
        if (lower == (shape.transpose == Transpose::none)) return;
        std::swap(a1, a2);
        std::swap(b1, b2);
    }
    Factor corner;
    HostMatrix a1, a2, b1, b2;
};

} // namespace

void solve_triangle(FactorisationContext &context, const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b)
{
    if (b.is_empty()) return;
    if (a.rows <= context.rules().host_width)
        return context.on_host({a.rows, b.columns, a.rows}, 0.5, [&] { on_host::solve_triangle(shape, a, b); });
    const Halves halves(context.rules(), shape, a, b);
    solve_triangle(context, shape, halves.a1, halves.b1);
    context.multiply(-1, halves.corner, {halves.b1}, 1, halves.b2);
    solve_triangle(context, shape, halves.a2, halves.b2);
}

void multiply_triangle(FactorisationContext &context, const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b)
{
    if (b.is_empty()) return;
    if (a.rows <= context.rules().host_width)
        return context.on_host({a.rows, b.columns, a.rows}, 0.5, [&] { on_host::multiply_triangle(shape, a, b); });
    const Halves halves(context.rules(), shape, a, b);
    multiply_triangle(context, shape, halves.a2, halves.b2);
    context.multiply(1, halves.corner, {halves.b1}, 1, halves.b2);
    multiply_triangle(context, shape, halves.a1, halves.b1);
}

void update_triangle(FactorisationContext &context, const SyrkShape &shape, Coefficient alpha, const HostMatrix &a,
                     Coefficient beta, const HostMatrix &c)
{
    const bool plain = shape.transpose == Transpose::none;
    const auto n = c.rows, k = plain ? a.columns : a.rows;
    const auto flops = context.flops({n, n, k}) / 2;
    if (n <= context.rules().host_width || context.rules().is_one_call(flops))
        return context.on_host({n, n, k}, 0.5, [&] { on_host::update_triangle(shape, alpha, a, beta, c); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto a1 = plain ? a.block(0, 0, first, k) : a.block(0, 0, k, first);
    const auto a2 = plain ? a.block(first, 0, rest, k) : a.block(0, first, k, rest);
    const auto turned = shape.hermitian ? Transpose::conjugate : Transpose::transpose;
    context.multiply(alpha, {a2, plain ? Transpose::none : turned}, {a1, plain ? turned : Transpose::none}, beta,
                     c.block(first, 0, rest, first));
    update_triangle(context, shape, alpha, a1, beta, c.block(0, 0, first, first));
    update_triangle(context, shape, alpha, a2, beta, c.block(first, first, rest, rest));
}

void multiply_symmetric(FactorisationContext &context, const SymmShape &shape, Coefficient alpha, const HostMatrix &a,
                        const HostMatrix &b, Coefficient beta, const HostMatrix &c)
{
    const auto n = c.rows, others = c.columns;
    if (c.is_empty()) return;
    if (n <= context.rules().host_width)
        return context.on_host({n, others, n}, 1, [&] { on_host::multiply_symmetric(shape, alpha, a, b, beta, c); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto b1 = b.block(0, 0, first, others), b2 = b.block(first, 0, rest, others),
               c1 = c.block(0, 0, first, others), c2 = c.block(first, 0, rest, others);
    const bool lower = shape.triangle == Triangle::lower;
    const auto corner = lower ? a.block(first, 0, rest, first) : a.block(0, first, first, rest);
    const auto turned = shape.hermitian ? Transpose::conjugate : Transpose::transpose;
    multiply_symmetric(context, shape, alpha, a.block(0, 0, first, first), b1, beta, c1);
    context.multiply(alpha, {corner, lower ? turned : Transpose::none}, {b2}, 1, c1);
    multiply_symmetric(context, shape, alpha, a.block(first, first, rest, rest), b2, beta, c2);
    context.multiply(alpha, {corner, lower ? Transpose::none : turned}, {b1}, 1, c2);
}

void multiply_to_triangle(FactorisationContext &context, Coefficient alpha, const Factor &a, const Factor &b,
                          Coefficient beta, const HostMatrix &c)
{
    const auto n = c.rows;
    if (n == 0) return;
    if (n <= context.rules().host_width)
        return context.on_host({n, n, a.columns()}, 1, [&] { on_host::multiply_to_triangle(alpha, a, b, beta, c); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto a1 = a.some_rows(0, first), a2 = a.some_rows(first, rest);
    const auto b1 = b.some_columns(0, first), b2 = b.some_columns(first, rest);
    context.multiply(alpha, a2, b1, beta, c.block(first, 0, rest, first));
    multiply_to_triangle(context, alpha, a1, b1, beta, c.block(0, 0, first, first));
    multiply_to_triangle(context, alpha, a2, b2, beta, c.block(first, first, rest, rest));
}

// A = P L U with partial pivoting, by columns: the left half, then the right one (Toledo, SIAM J. Matrix Anal. 18, 1997).
std::int64_t factor_lu(FactorisationContext &context, const HostMatrix &a, std::span<std::int64_t> pivots)
{
    const auto m = a.rows, n = a.columns, least = std::min(m, n);
    if (least == 0) return 0;
    const auto &rules = context.rules();
    if (n <= rules.host_width)
        return context.factor_on_host({StepKind::lu, m, n}, [&] { return on_host::factor_lu(a, pivots); });
    const auto first = least <= rules.host_width ? least : rules.half_of(least), rest = n - first;
    const bool is_counted = context.is_counting(); // then there may be no pivots
    const auto pivots1 = is_counted ? pivots : pivots.subspan(0, static_cast<std::size_t>(first)),
               pivots2 = is_counted ? pivots : pivots.subspan(static_cast<std::size_t>(first));
    const auto upper = a.block(0, first, first, rest), below = a.block(first, first, m - first, rest),
               left = a.block(first, 0, m - first, first);
    auto info = recursive::factor_lu(context, a.block(0, 0, m, first), pivots1);
    context.change([&] { on_host::swap_rows(a.block(0, first, m, rest), std::span<const std::int64_t>(pivots1)); });
    solve_triangle(context, {.unit_diagonal = true}, a.block(0, 0, first, first), upper);
    context.multiply(-1, {left}, {upper}, 1, below);
    const auto info2 = recursive::factor_lu(context, below, pivots2);
    if (info == 0 && info2 > 0) info = first + info2;
    context.change([&] {
        on_host::swap_rows(left, std::span<const std::int64_t>(pivots2));
        for (auto &pivot : pivots2) pivot += first;
    });
    return info;
}

// A = L L^H.
std::int64_t factor_cholesky(FactorisationContext &context, const HostMatrix &a)
{
    const auto n = a.rows;
    if (n == 0) return 0;
    if (n <= context.rules().host_width)
        return context.factor_on_host({StepKind::cholesky, n, n}, [&] { return on_host::factor_cholesky(a); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto a1 = a.block(0, 0, first, first), corner = a.block(first, 0, rest, first),
               a2 = a.block(first, first, rest, rest);
    if (const auto info = recursive::factor_cholesky(context, a1); info > 0) return info;
    // X L^H = B is conj(L) X^T = B^T; the memory of L and B is L^T and B^T in the other layout, conj(L) = (L^T)^H.
    solve_triangle(context, {.triangle = Triangle::upper, .transpose = Transpose::conjugate}, a1.transposed(),
                   corner.transposed());
    update_triangle(context, {.hermitian = true}, -1, corner, 1, a2);
    const auto info = recursive::factor_cholesky(context, a2);
    return info > 0 ? first + info : 0;
}

} // namespace hpart::recursive
