// Lua 5.3 and 5.4: tables are arrays and records. A handle's memory is freed with the last variable that has it.
%{
namespace {

thread_local lua_State *current = nullptr; // of the running call

// An error value of Lua's, kept in the registry.
struct LuaError : std::exception {
    LuaError() : place(luaL_ref(current, LUA_REGISTRYINDEX)) {}
    int place;
};

void write(lua_State *L, const Value &value);
Value read_at(lua_State *L, int place);

struct LuaFunction : Callable {
    explicit LuaFunction(int index)
    {
        lua_pushvalue(current, index);
        place = luaL_ref(current, LUA_REGISTRYINDEX);
        lua_rawgeti(current, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
        main = lua_tothread(current, -1);
        lua_pop(current, 1);
    }
    ~LuaFunction() override { luaL_unref(main, LUA_REGISTRYINDEX, place); }
    Value call(const std::vector<Value> &arguments, Result result) override
    {
        lua_State *L = current;
        luaL_checkstack(L, 10, nullptr);
        lua_rawgeti(L, LUA_REGISTRYINDEX, place);
        for (const Value &argument : arguments) write(L, argument);
        const int status = lua_pcall(L, static_cast<int>(arguments.size()), 1, 0);
        current = L; // the function may have called hpart from another coroutine
        if (status != LUA_OK) throw LuaError();
        Value value;
        if (result == Result::wanted) value = read_at(L, lua_gettop(L));
        lua_pop(L, 1);
        return value;
    }
    int place = 0;
    lua_State *main = nullptr;
};

Value read_table(lua_State *L, int place)
{
    const Nesting nesting;
    Elements elements;
    Record record;
    const auto length = static_cast<lua_Integer>(lua_rawlen(L, place));
    if (!lua_checkstack(L, 10)) refuse("a table is nested too deeply");
    for (lua_Integer i = 1; i <= length; ++i) {
        lua_rawgeti(L, place, i);
        elements.add(read_at(L, lua_gettop(L)));
        lua_pop(L, 1);
    }
    if (length > 0) return std::move(elements).value();
    lua_pushnil(L);
    while (lua_next(L, place) != 0) {
        if (lua_type(L, -2) != LUA_TSTRING) refuse("a table has a key that is no text");
        size_t size = 0;
        const char *key = lua_tolstring(L, -2, &size);
        if (std::string(key).size() != size) refuse("a table has a key with a NUL");
        record.push_back({std::string(key, size), read_at(L, lua_gettop(L))});
        lua_pop(L, 1);
    }
    return record;
}

// SWIG takes every userdata for one of its own.
bool is_handle(lua_State *L, int place)
{
    if (lua_type(L, place) != LUA_TUSERDATA || lua_getmetatable(L, place) == 0) return false;
    SWIG_Lua_get_class_metatable(L, static_cast<swig_lua_class *>(SWIGTYPE_p_hpart_languages__Handle->clientdata)->fqname);
    const bool is_own = lua_rawequal(L, -1, -2) != 0;
    lua_pop(L, 2);
    return is_own;
}

Value read_at(lua_State *L, int place)
{
    switch (lua_type(L, place)) {
    case LUA_TNIL:
    case LUA_TNONE: return Nothing{};
    case LUA_TBOOLEAN: return lua_toboolean(L, place) != 0;
    case LUA_TNUMBER:
        if (lua_isinteger(L, place)) return static_cast<int64_t>(lua_tointeger(L, place));
        return static_cast<double>(lua_tonumber(L, place));
    case LUA_TSTRING: {
        size_t length = 0;
        const char *text = lua_tolstring(L, place, &length);
        return std::string(text, length);
    }
    case LUA_TTABLE: return read_table(L, place);
    case LUA_TFUNCTION: return Function(std::make_shared<LuaFunction>(place));
    default: break;
    }
    void *handle = nullptr;
    if (is_handle(L, place) && SWIG_IsOK(SWIG_ConvertPtr(L, place, &handle, SWIGTYPE_p_hpart_languages__Handle, 0)) && handle != nullptr)
        return *static_cast<Handle *>(handle);
    refuse(std::string("an argument is of Lua's type ") + luaL_typename(L, place) + ", which hpart does not take");
}

struct Written {
    lua_State *L;
    void operator()(Nothing) const { lua_pushnil(L); }
    void operator()(bool value) const { lua_pushboolean(L, value); }
    void operator()(int64_t value) const { lua_pushinteger(L, value); }
    void operator()(double value) const { lua_pushnumber(L, value); }
    void operator()(const std::string &value) const { lua_pushlstring(L, value.data(), value.size()); }
    template <class T> void operator()(const std::vector<T> &list) const
    {
        lua_createtable(L, static_cast<int>(list.size()), 0);
        for (size_t i = 0; i < list.size(); ++i) {
            (*this)(list[i]);
            lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
        }
    }
    void operator()(const Record &record) const
    {
        lua_newtable(L);
        for (const Entry &entry : record) {
            write(L, entry.value);
            lua_setfield(L, -2, entry.name.c_str());
        }
    }
    void operator()(const Handle &handle) const { SWIG_NewPointerObj(L, new Handle(handle), SWIGTYPE_p_hpart_languages__Handle, 1); }
    void operator()(const Function &) const { lua_pushnil(L); }
    void operator()(const Operand &) const { lua_pushnil(L); }
};

void write(lua_State *L, const Value &value)
{
    luaL_checkstack(L, 10, nullptr);
    std::visit(Written{L}, value);
}

// Pushes the results, or the error and returns -1.
int push(lua_State *L, Outcome *outcome)
{
    if (!outcome->has_failed) {
        const auto count = static_cast<int>(outcome->results.size());
        for (const Entry &result : outcome->results) write(L, result.value);
        outcome->results.clear();
        return count;
    }
    try {
        if (outcome->exception) std::rethrow_exception(outcome->exception);
    } catch (const LuaError &error) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, error.place);
        luaL_unref(L, LUA_REGISTRYINDEX, error.place);
        outcome->exception = nullptr;
        return -1;
    } catch (...) {
    }
    luaL_where(L, 1);
    lua_pushfstring(L, "hpart %s: %s", outcome->status.c_str(), outcome->text.c_str());
    lua_concat(L, 2);
    return -1;
}

} // namespace

const Language hpart_languages::language = {
    .first_index = 1,
    .read = [](Argument argument) { return read_at(current, static_cast<int>(reinterpret_cast<intptr_t>(argument))); },
};
%}

%typemap(in) hpart_languages::Argument "$1 = reinterpret_cast<Argument>(static_cast<intptr_t>($input));"
%exception "current = L; $action"
%typemap(out) hpart_languages::Outcome * {
    const int count = push(L, $1);
    if (count < 0) SWIG_fail;
    SWIG_arg += count;
}
