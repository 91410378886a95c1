#include "out_of_card/fft/passes.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

DeviceFftShape complex_shape(const FftPasses &what)
{
    DeviceFftShape shape;
    shape.is_double = what.type.is_double;
    shape.sign = what.type.sign;
    shape.is_repeated = what.type.is_repeated;
    return shape;
}

} // namespace

FftWorkspace::FftWorkspace(FftPasses &what)
{
    if (what.middle.data != nullptr) return;
    bytes_ = allocate_ready_pages(what.numbers() * what.complex_bytes());
    what.middle.data = static_cast<unsigned char *>(bytes_.get());
}

std::vector<DeviceFftShape> row_shapes(const FftType &type, const std::vector<RowStep> &steps, std::int64_t rows)
{
    std::vector<DeviceFftShape> shapes;
    for (const auto &step : steps) {
        DeviceFftShape shape;
        shape.is_double = type.is_double;
        shape.sign = type.sign;
        shape.is_repeated = type.is_repeated;
        shape.kind = step.kind;
        shape.outer = rows * step.outer;
        shape.length = step.length;
        shape.inner = shape.pitch = step.inner;
        shapes.push_back(shape);
    }
    return shapes;
}

std::vector<ColumnStep> column_steps(const FftPasses &what, std::int64_t columns, std::int64_t pitch)
{
    std::vector<ColumnStep> steps;
    std::int64_t outer = 1, below = what.rows;
    for (const auto length : what.column_dims) {
        below /= length;
        ColumnStep step{complex_shape(what)};
        const bool together = below == 1 || pitch == columns;
        step.shape.outer = outer;
        step.shape.length = length;
        step.shape.inner = together ? below * columns : columns;
        step.shape.pitch = below * pitch;
        step.times = together ? 1 : below;
        step.distance = pitch;
        steps.push_back(step);
        outer *= length;
    }
    return steps;
}

DeviceFftShape twiddled_shape(const FftPasses &what, std::int64_t count)
{
    auto shape = complex_shape(what);
    shape.length = what.columns;
    shape.inner = shape.pitch = count;
    return shape;
}

DeviceTwiddle twiddle_of(const FftPasses &what, const FftRange &rows)
{
    DeviceTwiddle twiddle;
    twiddle.is_double = what.type.is_double;
    twiddle.sign = what.type.sign;
    twiddle.n = what.numbers();
    twiddle.rows = what.columns;
    twiddle.columns = rows.count;
    twiddle.first = rows.first;
    return twiddle;
}

std::int64_t FftPasses::in_bytes(std::int64_t first_count) const
{
    if (!in.is_real) return first_count * second_extent() * complex_bytes();
    return first_count * in.lines * in.line_bytes; // the pass along the rows is the first
}

std::int64_t FftPasses::out_bytes(std::int64_t second_count) const
{
    if (!out.is_real) return second_count * first_extent() * complex_bytes();
    return second_count * out.lines * out.line_bytes;
}

std::int64_t PassesPlan::bytes_in(const FftPasses &what) const
{
    const auto again = second.count * what.first_extent() - resident_count() * first.count;
    return what.items * (what.in_bytes(first.count) + again * what.complex_bytes()) +
           (first.count > 0 ? what.root_bytes() : 0);
}

std::int64_t PassesPlan::bytes_out(const FftPasses &what) const
{
    if (what.is_one_pass()) return what.out.bytes_of_rows(first.count);
    const auto between = first.count * (what.second_extent() - resident_count());
    return what.items * (between * what.complex_bytes() + what.out_bytes(second.count));
}

std::int64_t PassesPlan::shortest_row_bytes(const FftPasses &what) const
{
    auto shortest = what.columns;
    const auto consider = [&](std::int64_t columns, std::int64_t count) {
        if (count > 0) shortest = std::min({shortest, columns, count});
    };
    if (what.twiddled || !what.rows_first) consider(band, first.count);
    if (what.rows_first) consider(block, second.count - resident_count());
    if (what.rows_first && !whole) consider(resident_block, resident_count());
    if (what.rows_first && whole) consider(block, second.count);
    return shortest * what.complex_bytes();
}

std::int64_t PassesPlan::memory(const FftPasses &what, const DeviceSession &session) const
{
    const auto bytes = what.complex_bytes();
    auto sum = slots * session.taken_by(slot_numbers * bytes);
    if (!whole) sum += resident * session.taken_by(resident_block * what.first_extent() * bytes);
    if (whole) sum += session.taken_by(what.numbers() * bytes);
    if (scratch_bytes > 0) sum += session.taken_by(scratch_bytes);
    if (what.twiddled) sum += session.taken_by(what.root_bytes());
    return sum + table_bytes;
}

std::vector<DeviceFftShape> shapes_of(const FftPasses &what, const PassesPlan &plan)
{
    std::vector<DeviceFftShape> shapes;
    const auto add_columns = [&](std::int64_t count, bool in_whole) {
        for (const auto &step : column_steps(what, count, in_whole ? what.columns : count))
            shapes.push_back(step.shape);
    };
    const auto add_rows = [&](std::int64_t count) {
        for (const auto &shape : row_shapes(what.type, what.row_steps, count)) shapes.push_back(shape);
    };
    const auto add_both = [&](std::int64_t slab, std::int64_t count, const auto &add) {
        if (count >= slab) add(slab);
        if (count % slab != 0) add(count % slab);
    };
    const auto add_first = [&](std::int64_t count) {
        if (what.twiddled)
            shapes.push_back(twiddled_shape(what, count));
        else if (what.rows_first)
            add_rows(count);
        else
            add_columns(count, plan.whole);
    };
    add_both(plan.band, plan.first.count, add_first);
    const auto add_second = [&](std::int64_t count) {
        if (what.rows_first)
            add_columns(count, plan.whole);
        else
            add_rows(count);
    };
    const auto kept = plan.whole ? 0 : plan.resident_count();
    add_both(plan.resident_block, kept, add_second);
    add_both(plan.block, plan.second.count - kept, add_second);
    return shapes;
}

PassesMemory::PassesMemory(DeviceSession &session, const FftPasses &what, const PassesPlan &plan)
{
    const auto bytes = what.complex_bytes();
    if (plan.whole) whole = session.allocate(what.numbers() * bytes);
    for (std::int64_t k = 0; k < plan.slots; ++k) slots.push_back(session.allocate(plan.slot_numbers * bytes));
    for (std::int64_t k = 0; k < (plan.whole ? 0 : plan.resident); ++k)
        resident.push_back(session.allocate(plan.resident_block * what.first_extent() * bytes));
    if (plan.scratch_bytes > 0) scratch = session.allocate(plan.scratch_bytes);
    if (!what.twiddled) return;
    root_values = twiddle_roots(what.numbers(), what.type.sign, what.type.is_double);
    roots = session.allocate(what.root_bytes());
}

PassesRun::PassesRun(Flow &flow, InCardFft &engine, const FftPasses &what, const PassesPlan &plan,
                     const PassesMemory &memory)
    : flow_(flow), engine_(engine), what_(what), plan_(plan), memory_(memory)
{
    if (!what.twiddled || plan.first.count == 0) return;
    const auto bytes = what.root_bytes();
    flow.write({memory.roots.get(), 0, bytes}, memory.root_values.data(), bytes, {1, bytes});
}

std::int64_t PassesRun::band_count() const { return (plan_.first.count + plan_.band - 1) / plan_.band; }

FftRange PassesRun::band(std::int64_t k) const
{
    const auto first = plan_.first.first + k * plan_.band;
    return {first, std::min(plan_.band, plan_.first.end() - first)};
}

std::int64_t PassesRun::resident_blocks() const { return static_cast<std::int64_t>(memory_.resident.size()); }

std::int64_t PassesRun::block_count() const
{
    const auto others = plan_.second.count - (plan_.whole ? 0 : plan_.resident_count());
    return resident_blocks() + (others + plan_.block - 1) / plan_.block;
}

// Those that stay come first.
FftRange PassesRun::block(std::int64_t k) const
{
    const bool stays = k < resident_blocks();
    const auto before = stays ? k * plan_.resident_block
                              : (plan_.whole ? 0 : plan_.resident_count()) + (k - resident_blocks()) * plan_.block;
    return {plan_.second.first + before,
            std::min(stays ? plan_.resident_block : plan_.block, plan_.second.count - before)};
}

FftRange PassesRun::resident_range() const { return {plan_.second.first, plan_.resident_count()}; }

PassesRun::Rect PassesRun::rect(const FftRange &first, const FftRange &second) const
{
    return what_.rows_first ? Rect{first, second} : Rect{second, first};
}

// A slab by itself is dense.
PassesRun::Place PassesRun::slab_place(DeviceBuffer *buffer, const Rect &rect)
{
    return {buffer, 0, rect.columns.count};
}

PassesRun::Place PassesRun::place_in_whole(const Rect &rect) const
{
    return {memory_.whole.get(), rect.rows.first * what_.columns + rect.columns.first, what_.columns};
}

PassesRun::Place PassesRun::inside(const Place &place, const Rect &outer, const Rect &inner)
{
    return {place.buffer,
            place.offset + (inner.rows.first - outer.rows.first) * place.pitch + inner.columns.first -
                outer.columns.first,
            place.pitch};
}

PassesRun::Place PassesRun::next_place(const Rect &rect, std::int64_t numbers)
{
    const auto in_slot = plan_.slot_numbers / numbers;
    const auto place = place_ % plan_.places(numbers);
    place_ = place + 1;
    return {memory_.slots[static_cast<std::size_t>(place / in_slot)].get(), place % in_slot * numbers,
            rect.columns.count};
}

Area PassesRun::area(const Place &place, const Rect &rect) const
{
    const auto bytes = what_.complex_bytes();
    return area_of({place.buffer, place.offset * bytes, place.pitch * bytes},
                   {rect.rows.count, rect.columns.count * bytes});
}

void PassesRun::write(const FftSide &from, std::int64_t item, const Rect &rect, const Place &to)
{
    if (from.data == nullptr) return; // a trial of the kernels
    const auto bytes = what_.complex_bytes();
    const auto *data = from.data + item * from.item_bytes + rect.rows.first * from.lines * from.pitch_bytes;
    if (from.is_real) // whole rows, whose lines are padded on the device
        flow_.write({to.buffer, to.offset * bytes, to.pitch / from.lines * bytes}, data, from.pitch_bytes,
                    {rect.rows.count * from.lines, from.line_bytes});
    else
        flow_.write({to.buffer, to.offset * bytes, to.pitch * bytes}, data + rect.columns.first * bytes,
                    from.pitch_bytes, {rect.rows.count, rect.columns.count * bytes});
}

void PassesRun::read(const FftSide &to, std::int64_t item, const Rect &rect, const Place &from)
{
    if (to.data == nullptr) return; // a trial of the kernels
    const auto bytes = what_.complex_bytes();
    auto *data = to.data + item * to.item_bytes + rect.rows.first * to.lines * to.pitch_bytes;
    if (to.is_real)
        flow_.read({from.buffer, from.offset * bytes, from.pitch / to.lines * bytes}, data, to.pitch_bytes,
                   {rect.rows.count * to.lines, to.line_bytes});
    else
        flow_.read({from.buffer, from.offset * bytes, from.pitch * bytes}, data + rect.columns.first * bytes,
                   to.pitch_bytes, {rect.rows.count, rect.columns.count * bytes});
}

// Rows of a slab of columns are short. Other slabs move at once.
std::vector<PassesRun::Rect> PassesRun::pieces_of(const Place &place, const Rect &rect) const
{
    const auto count = place.pitch == what_.columns ? 1 : std::min(plan_.pieces, rect.rows.count);
    std::vector<Rect> pieces;
    for (std::int64_t k = 0; k < count; ++k) {
        const auto first = k * rect.rows.count / count, end = (k + 1) * rect.rows.count / count;
        pieces.push_back({{rect.rows.first + first, end - first}, rect.columns});
    }
    return pieces;
}

void PassesRun::transform_rows(const Place &place, const Rect &rect)
{
    const DevicePlace data{place.buffer, place.offset * what_.complex_bytes()};
    for (const auto &shape : row_shapes(what_.type, what_.row_steps, rect.rows.count))
        flow_.launch(engine_.transform(shape, data, memory_.scratch.get()), {}, {area(place, rect)});
}

void PassesRun::transform_columns(const Place &place, const Rect &rect)
{
    for (const auto &step : column_steps(what_, rect.columns.count, place.pitch))
        for (std::int64_t k = 0; k < step.times; ++k) {
            const DevicePlace data{place.buffer, (place.offset + k * step.distance) * what_.complex_bytes()};
            flow_.launch(engine_.transform(step.shape, data, memory_.scratch.get()), {}, {area(place, rect)});
        }
}

// The rows `range` of the matrix: columns of `in`, transformed and twiddled.
PassesRun::Place PassesRun::load_twiddled(std::int64_t item, const FftRange &range)
{
    const Rect columns{{0, what_.columns}, range}, target = rect(range, {0, what_.second_extent()});
    const auto loaded = next_place(columns, plan_.slot_numbers);
    write(what_.in, item, columns, loaded);
    const DevicePlace data{loaded.buffer, 0};
    flow_.launch(engine_.transform(twiddled_shape(what_, range.count), data, memory_.scratch.get()), {},
                 {area(loaded, columns)});
    const auto place = plan_.whole ? place_in_whole(target) : next_place(target, plan_.slot_numbers);
    auto twiddle = twiddle_of(what_, range);
    twiddle.from = data;
    twiddle.to = {place.buffer, place.offset * what_.complex_bytes()};
    twiddle.roots = {memory_.roots.get(), 0};
    const auto roots = what_.root_bytes();
    flow_.launch(engine_.twiddle(twiddle),
                 {area(loaded, columns), area_of({memory_.roots.get(), 0, roots}, {1, roots})}, {area(place, target)});
    return place;
}

// The part of a slab that resident blocks hold goes there, the rest to the host.
void PassesRun::keep_or_read(std::int64_t item, const FftRange &range, const Place &place)
{
    const auto slab = rect(range, {0, what_.second_extent()});
    const auto bytes = what_.complex_bytes();
    for (std::size_t k = 0; k < memory_.resident.size(); ++k) {
        const auto second = block(static_cast<std::int64_t>(k));
        const auto part = rect(range, second);
        const auto from = inside(place, slab, part);
        auto to = slab_place(memory_.resident[k].get(), rect({0, what_.first_extent()}, second));
        to = inside(to, rect({0, what_.first_extent()}, second), part);
        flow_.copy({from.buffer, from.offset * bytes, from.pitch * bytes},
                   {to.buffer, to.offset * bytes, to.pitch * bytes}, {part.rows.count, part.columns.count * bytes});
    }
    const auto kept = resident_range();
    for (const auto &second : {FftRange{0, kept.first}, FftRange{kept.end(), what_.second_extent() - kept.end()}}) {
        const auto part = rect(range, second);
        if (second.count == 0) continue;
        for (const auto &piece : pieces_of(place, part)) read(what_.middle, item, piece, inside(place, slab, piece));
    }
}

void PassesRun::first_pass(std::int64_t item)
{
    for (std::int64_t k = 0; k < band_count(); ++k) do_band(item, k);
}

double PassesRun::first_slab()
{
    do_band(0, 0);
    return static_cast<double>(band(0).count) / static_cast<double>(plan_.first.count);
}

double PassesRun::second_slab()
{
    do_block(0, 0);
    return static_cast<double>(block(0).count) / static_cast<double>(plan_.second.count);
}

void PassesRun::do_band(std::int64_t item, std::int64_t k)
{
    const auto range = band(k);
    const auto slab = rect(range, {0, what_.second_extent()});
    Place place;
    if (what_.twiddled) {
        place = load_twiddled(item, range);
    } else {
        place = plan_.whole ? place_in_whole(slab) : next_place(slab, band_numbers());
        for (const auto &piece : pieces_of(place, slab)) write(what_.in, item, piece, inside(place, slab, piece));
        if (what_.rows_first)
            transform_rows(place, slab);
        else
            transform_columns(place, slab);
    }
    if (!plan_.whole) keep_or_read(item, range, place);
    report_progress(what_.is_one_pass() ? "transforms" : "first pass");
}

void PassesRun::wait_for_middle(std::int64_t item)
{
    const auto &middle = what_.middle;
    const auto rows = what_.rows * middle.lines;
    flow_.wait_for(
        {nullptr, host_block(middle.data + item * middle.item_bytes, middle.pitch_bytes, {rows, middle.pitch_bytes})});
}

void PassesRun::do_block(std::int64_t item, std::int64_t k)
{
    const auto second = block(k);
    const auto slab = rect({0, what_.first_extent()}, second);
    Place place;
    if (plan_.whole) {
        place = place_in_whole(slab);
    } else if (k < resident_blocks()) {
        place = slab_place(memory_.resident[static_cast<std::size_t>(k)].get(), slab);
        const auto end = what_.first_extent() - plan_.first.end();
        for (const auto &missing : {FftRange{0, plan_.first.first}, FftRange{plan_.first.end(), end}}) {
            const auto part = rect(missing, second);
            write(what_.middle, item, part, inside(place, slab, part));
        }
    } else {
        place = next_place(slab, block_numbers());
        for (const auto &piece : pieces_of(place, slab)) write(what_.middle, item, piece, inside(place, slab, piece));
    }
    if (what_.rows_first)
        transform_columns(place, slab);
    else
        transform_rows(place, slab);
    for (const auto &piece : pieces_of(place, slab)) read(what_.out, item, piece, inside(place, slab, piece));
    report_progress("second pass");
}

// Resident blocks, which need the link out of the device only, among the others.
void PassesRun::second_pass(std::int64_t item)
{
    const auto blocks = block_count();
    const auto resident = resident_blocks();
    const auto others = blocks - resident;
    std::int64_t done_resident = 0, done_others = 0;
    for (std::int64_t k = 0; k < blocks; ++k) {
        // As far as possible in equal parts. Blocks in the device come first: their data need not be waited for.
        if (done_resident < resident && done_resident * others <= done_others * resident)
            do_block(item, done_resident++);
        else
            do_block(item, resident + done_others++);
    }
}

void PassesRun::report_progress(const char *what)
{
    ++steps_;
    const auto all = what_.items * (band_count() + block_count());
    flow_.next_step(static_cast<double>(steps_) / static_cast<double>(all), what);
}

} // namespace hpart
