// Octave: vectors are rows of doubles, int64 above 2^53; records are structs; [] is an absent argument.
// hpart is a function that returns a struct of functions: hpart.partition_time (p, 31) works in every scope, and no other name is taken.
// SWIG's module would put each function into the global namespace, `help` and `version` too.
#include "functions.hpp"

#include <octave/interpreter.h>
#include <octave/oct-map.h>
#include <octave/oct.h>
#include <octave/ov-builtin.h>
#include <octave/ov-fcn-handle.h>
#include <octave/parse.h>
#include <octave/quit.h>

#include <algorithm>

using namespace hpart_languages;

// A handle as a value of Octave.
class octave_hpart : public octave_base_value
{
  public:
    octave_hpart() = default;
    explicit octave_hpart(Handle shared) : handle(std::move(shared)) {}
    octave_base_value *clone() const override { return new octave_hpart(*this); }
    bool is_defined() const override { return true; }
    dim_vector dims() const override { return dim_vector(1, 1); }
    void print(std::ostream &out, bool current_output) override
    {
        print_raw(out, current_output);
        newline(out);
    }
    void print_raw(std::ostream &out, bool = false) const override { out << shown(handle); }
    // isequal compares objects as structs; of the same handle both have the same state.
    bool isobject() const override { return true; }
    octave_map map_value() const override
    {
        octave_scalar_map map;
        map.setfield("state", octave_uint64(reinterpret_cast<std::uintptr_t>(handle.state.get())));
        return map;
    }
    Handle handle;

  private:
    DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};
DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA(octave_hpart, "hpart", "hpart")

namespace
{

bool is_same(const octave_base_value &left, const octave_base_value &right)
{
    return dynamic_cast<const octave_hpart &>(left).handle.state ==
           dynamic_cast<const octave_hpart &>(right).handle.state;
}

octave_value equal(const octave_base_value &left, const octave_base_value &right) { return is_same(left, right); }

octave_value unequal(const octave_base_value &left, const octave_base_value &right) { return !is_same(left, right); }

octave_value write(const Value &value);
Value read_value(const octave_value &value);

struct OctaveFunction : Callable {
    explicit OctaveFunction(const octave_value &handle) : handle(handle) {}
    Value call(const std::vector<Value> &arguments, Result result) override
    {
        octave_value_list list;
        for (const Value &argument : arguments) list.append(write(argument));
        const octave_value_list results = octave::feval(handle, list, 0);
        if (result == Result::ignored || results.length() == 0 || results(0).is_undefined()) return {};
        return read_value(results(0));
    }
    octave_value handle;
};

// An array of Octave's class, which shares the elements.
template <class Octaves> Operand held(char type, const Octaves &elements)
{
    Operand array;
    array.type = type;
    for (int i = 0; i < elements.ndims(); ++i) array.dims.push_back(elements.dims()(i));
    auto own = std::make_shared<Octaves>(elements);
    array.data = const_cast<void *>(static_cast<const void *>(own->data()));
    array.object = std::move(own);
    return array;
}

Operand read_array(const octave_value &value)
{
    if (value.issparse() || (!value.isnumeric() && !value.islogical()))
        refuse("an array is of Octave's class " + value.class_name() + (value.issparse() ? ", sparse" : "") +
               "; it must be full, and of numbers");
    const NDArray numbers = value.isinteger() ? value.array_value() : NDArray();
    for (octave_idx_type i = 0; i < numbers.numel(); ++i)
        if (std::fabs(numbers.xelem(i)) >= LARGEST)
            refuse("an array of class " + value.class_name() +
                   " has an element of 2^53 or more; doubles do not hold all of them");
    if (value.is_single_type())
        return value.iscomplex() ? held('c', value.float_complex_array_value()) : held('s', value.float_array_value());
    return value.iscomplex() ? held('z', value.complex_array_value()) : held('d', value.array_value());
}

// Written by the library before anything shares it.
template <class Octaves> Operand zeros(char type, const dim_vector &shape)
{
    Octaves elements(shape, 0);
    Operand array = held(type, Octaves());
    *static_cast<Octaves *>(array.object.get()) = std::move(elements);
    array.data = static_cast<Octaves *>(array.object.get())->fortran_vec();
    return array;
}

// A vector is a column.
Operand new_array(char type, const std::vector<int64_t> &dims)
{
    dim_vector shape(dims.at(0), 1);
    shape.resize(std::max(2, static_cast<int>(dims.size())), 1);
    for (size_t i = 0; i < dims.size(); ++i) shape(static_cast<int>(i)) = dims[i];
    Operand array = type == 's'   ? zeros<FloatNDArray>(type, shape)
                    : type == 'd' ? zeros<NDArray>(type, shape)
                    : type == 'c' ? zeros<FloatComplexNDArray>(type, shape)
                                  : zeros<ComplexNDArray>(type, shape);
    array.dims = dims;
    return array;
}

// A matrix row by row, a vector as it is.
template <class List, class Array> List elements(const Array &array)
{
    List list;
    list.reserve(static_cast<size_t>(array.numel()));
    const bool is_matrix = array.ndims() == 2 && array.rows() > 1 && array.cols() > 1;
    const octave_idx_type rows = is_matrix ? array.rows() : array.numel();
    const octave_idx_type columns = is_matrix ? array.cols() : 1;
    for (octave_idx_type i = 0; i < rows; ++i)
        for (octave_idx_type j = 0; j < columns; ++j)
            list.push_back(static_cast<typename List::value_type>(array.xelem(i + j * rows)));
    return list;
}

Value read_value(const octave_value &value)
{
    if (value.is_undefined()) return Nothing{};
    if (value.is_string()) {
        if (value.rows() > 1) refuse("an argument is a text of several rows; it must have one");
        return value.string_value();
    }
    if (value.iscellstr() && !value.isempty()) {
        Elements list;
        const Array<std::string> texts = value.cellstr_value();
        for (octave_idx_type i = 0; i < texts.numel(); ++i) list.add(texts.xelem(i));
        return std::move(list).value();
    }
    if (value.islogical() && value.numel() == 1) return value.bool_value();
    if (value.isinteger()) {
        if (value.is_uint64_type()) {
            const uint64NDArray array = value.uint64_array_value();
            for (octave_idx_type i = 0; i < array.numel(); ++i)
                if (array.xelem(i).value() > static_cast<uint64_t>(INT64_MAX))
                    refuse("an argument of class uint64 is above 2^63 - 1");
        }
        const int64NDArray array = value.int64_array_value();
        if (array.numel() == 1) return static_cast<int64_t>(array.xelem(0).value());
        return elements<Integers>(array);
    }
    if (value.isnumeric() && value.isreal()) {
        if (value.numel() == 1) return value.double_value();
        return elements<Numbers>(value.array_value());
    }
    if (value.is_function_handle()) return Function(std::make_shared<OctaveFunction>(value));
    if (value.type_id() == octave_hpart::static_type_id())
        return dynamic_cast<const octave_hpart &>(value.get_rep()).handle;
    if (value.isstruct() && value.numel() == 1) {
        const octave_scalar_map map = value.scalar_map_value();
        Record record;
        for (const auto &[key, place] : map) record.push_back({key, read_value(map.contents(key))});
        return record;
    }
    refuse("an argument is of Octave's class " + value.class_name() + (value.iscomplex() ? ", complex," : "") +
           " which hpart does not take");
}

struct Written {
    static bool fits(int64_t value) { return value >= -(INT64_C(1) << 53) && value <= INT64_C(1) << 53; }
    octave_value operator()(Nothing) const { return Matrix(); }
    octave_value operator()(bool value) const { return value; }
    octave_value operator()(int64_t value) const
    {
        return fits(value) ? octave_value(static_cast<double>(value)) : octave_value(octave_int64(value));
    }
    octave_value operator()(double value) const { return value; }
    octave_value operator()(const std::string &value) const { return value; }
    octave_value operator()(const Integers &list) const
    {
        const dim_vector shape(1, static_cast<octave_idx_type>(list.size()));
        if (std::all_of(list.begin(), list.end(), fits)) return (*this)(Numbers(list.begin(), list.end()));
        int64NDArray array(shape);
        std::copy(list.begin(), list.end(), array.fortran_vec());
        return array;
    }
    octave_value operator()(const Numbers &list) const
    {
        RowVector row(static_cast<octave_idx_type>(list.size()));
        std::copy(list.begin(), list.end(), row.fortran_vec());
        return row;
    }
    octave_value operator()(const Record &record) const
    {
        octave_scalar_map map;
        for (const Entry &entry : record) map.setfield(entry.name, write(entry.value));
        return map;
    }
    octave_value operator()(const Handle &handle) const { return new octave_hpart(handle); }
    octave_value operator()(const Function &) const { return Matrix(); }
    octave_value operator()(const Operand &array) const
    {
        switch (array.type) {
        case 's': return *static_cast<FloatNDArray *>(array.object.get());
        case 'd': return *static_cast<NDArray *>(array.object.get());
        case 'c': return *static_cast<FloatComplexNDArray *>(array.object.get());
        default: return *static_cast<ComplexNDArray *>(array.object.get());
        }
    }
};

octave_value write(const Value &value) { return std::visit(Written{}, value); }

octave_value_list taken(Outcome *outcome)
{
    if (outcome->has_failed) {
        if (outcome->exception) {
            try {
                std::rethrow_exception(std::exchange(outcome->exception, nullptr));
            } catch (const octave::execution_exception &) {
                throw;
            } catch (const octave::interrupt_exception &) {
                throw;
            } catch (const octave::exit_exception &) {
                throw;
            } catch (const std::exception &) { // not Octave's: it may not pass Octave's frames
            }
        }
        error_with_id(("hpart:" + outcome->status).c_str(), "%s", outcome->text.c_str());
    }
    octave_value_list list;
    for (const Entry &result : outcome->results) list.append(write(result.value));
    outcome->results.clear();
    return list;
}

template <size_t i> octave_value_list called(const octave_value_list &arguments, int)
{
    const Routine &routine = routines[i];
    const auto count = static_cast<int>(arguments.length());
    if (count < routine.least || count > routine.most)
        error_with_id("hpart:invalid_argument", "hpart.%s takes %d to %d arguments, not %d; see hpart.help (\"%s\")",
                      routine.name, routine.least, routine.most, count, routine.name);
    std::vector<octave_value> values(static_cast<size_t>(routine.most) + 1);
    std::vector<Argument> places(values.size(), nullptr);
    for (int k = 0; k < count; ++k) {
        // Options may stand before their place.
        const bool are_options = k == count - 1 && k >= routine.least && arguments(k).isstruct();
        const int place = are_options ? routine.most - 1 : k;
        values[place] = arguments(k);
        places[place] = reinterpret_cast<Argument>(&values[place]);
    }
    return taken(routine.call(places.data()));
}

template <size_t... i> octave_scalar_map module(std::index_sequence<i...>)
{
    octave_scalar_map map;
    const auto add = [&](const char *name, octave_builtin::fcn function) {
        map.setfield(name, octave_value(new octave_fcn_handle(octave_value(new octave_builtin(function, name)))));
    };
    (add(routines[i].name, called<i>), ...);
    for (const Constant &constant : constants) map.setfield(constant.name, constant.value);
    return map;
}

} // namespace

const Language hpart_languages::language = {
    .first_index = 1,
    .read = [](Argument argument) { return read_value(*reinterpret_cast<const octave_value *>(argument)); },
    .read_array = [](Argument argument) { return read_array(*reinterpret_cast<const octave_value *>(argument)); },
    .new_array = new_array,
    .poll = octave_quit,
};

DEFUN_DLD(hpart, , , "hpart: optimal distribution of a workload over heterogeneous processors.\n\n\
p = hpart.platform_read ('functions.csv'); [x, seconds] = hpart.partition_time (p, 31)\n\n\
hpart.help () lists the functions, hpart.help (\"partition_time\") describes one.")
{
    // Never destroyed: at its exit Octave frees values after the interpreter.
    static const auto *functions = [] {
        octave_hpart::register_type();
        auto &types = octave::interpreter::the_interpreter()->get_type_info();
        const int type = octave_hpart::static_type_id();
        types.install_binary_op(octave_value::op_eq, type, type, equal);
        types.install_binary_op(octave_value::op_ne, type, type, unequal);
        octave::interpreter::the_interpreter()->mlock(); // values of its type stay
        return new octave_scalar_map(module(std::make_index_sequence<routine_count>()));
    }();
    return octave_value(*functions);
}
