// B = op(A)^-1 B by blocks of B's columns that stay on the device while A's panels stream past: B goes in and out once.
#include "out_of_card/factorisations/diagonal_blocks.hpp"
#include "out_of_card/factorisations/on_device.hpp"

namespace hpart::on_device
{

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
