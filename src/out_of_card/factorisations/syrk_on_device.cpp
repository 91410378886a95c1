// C = alpha op(A) op(A)^T + beta C by blocks of C's columns that stay on the device. One panel of A is both factors; only the
// triangle moves, and the squares on its diagonal come to a workspace first, as half of each is not ours to write.
#include "out_of_card/factorisations/on_device.hpp"

namespace hpart::on_device
{

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

} // namespace hpart::on_device
