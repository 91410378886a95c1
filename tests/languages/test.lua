-- The worked problem in Lua: arguments are the platform file and a folder for files.
local hpart = require "hpart"
local file, folder = arg[1], arg[2]

local function same(expected, found)
    if type(expected) == "table" and type(found) == "table" then
        assert(#expected == #found, "lengths " .. #expected .. " and " .. #found)
        for i = 1, #expected do same(expected[i], found[i]) end
    else
        assert(expected == found, tostring(expected) .. " was expected, " .. tostring(found) .. " found")
    end
end

local function fails(pattern, call, ...)
    local ok, message = pcall(call, ...)
    assert(not ok, "no error; expected: " .. pattern)
    assert(message:find(pattern), message)
end

local platform = hpart.platform_read(file)
local x, seconds = hpart.partition_time(platform, 31)
same({9, 9, 7, 6}, x)
same("integer", math.type(x[1]))
same(3.0, seconds)
same(4, hpart.platform_processors(platform))
same("3", hpart.platform_get_name(platform, 4))

-- A front, a schedule, a report.
local front = hpart.front_compute(platform, 31, hpart.ENERGY_DYNAMIC)
same(1, hpart.front_count(front))
local time, energy, parts = hpart.front_point(front, 1)
same(3.0, time)
same(0.0, energy)
same(31, parts[1] + parts[2] + parts[3] + parts[4])
local _, _, _, report = hpart.partition(platform, hpart.OBJECTIVE_TIME, 31, {max_active = 4})
same("exact", report.method)
same(1, report.optimal)
same(4, #report.utilisation)
local schedule = hpart.schedule_compute(platform, 31)
local processor, size, repeats = hpart.schedule_task(schedule, 1)
assert(processor >= 1 and processor <= 4 and size >= 1 and repeats >= 1)

-- Errors of the library and of types.
hpart.schedule_write(schedule, folder .. "/lua-schedules.csv", "app")
local renamed = hpart.platform_read(file)
hpart.platform_set_name(renamed, 2, "other")
fails("processors%[2%] is '1', in the platform 'other'", hpart.schedule_read, folder .. "/lua-schedules.csv", "app", 31, renamed)
fails("hpart infeasible: no distribution of size 1000 exists", hpart.partition_time, platform, 1000)
fails("size is 1.5; it must be an integer", hpart.partition_time, platform, 1.5)
fails("from %-2%^53 to 2%^53", hpart.partition_time, platform, 2.0 ^ 54)
fails("at most 9223372036854775806", hpart.partition_time, platform, math.maxinteger)
fails("must be a number", hpart.platform_set_base_power, platform, "31")
fails("from %-2%^53", hpart.partition_time, platform, 0 / 0)
fails("platform is nothing", hpart.partition_time, nil, 31)
fails("platform is a handle of kind front", hpart.partition_time, front, 31)
fails("platform is a record", hpart.partition_time, {}, 31)
fails("expected 2..3 args", hpart.partition_time, platform)
fails("did you mean 'method'", hpart.partition_time, platform, 31, {metod = "exact"})
fails("takes an integer", hpart.partition_time, platform, 31, {max_active = 2.5})
fails("options is an array", hpart.partition_time, platform, 31, {1, 2})
fails("processor is 0; it must be 1 to 4", hpart.platform_get_name, platform, 0)
fails("processor is 5; it must be 1 to 4", hpart.platform_get_name, platform, 5)
fails("k is 2; it must be 1 to 1", hpart.front_point, front, 2)
fails("io: ", hpart.platform_read, folder .. "/absent.csv")
fails("cannot read", hpart.platform_read, "")
fails("no call has reached a limit", hpart.limit_results)

-- Functions as arrays, 64 bits of an integer, and back.
local own = hpart.platform_create(2)
local large = 2 ^ 53 // 1 | 0
hpart.platform_set_time_function(own, 1, {1, large + 1}, {1.0, 2.0})
hpart.platform_set_time_function(own, 2, {}, {})
local sizes, times, joules = hpart.platform_get_function(own, 1)
same({1, large + 1}, sizes)
same({1.0, 2.0}, times)
assert(joules[1] ~= joules[1])
same({large + 1, 0}, (hpart.partition_time(own, large + 1)))
fails("they must have equally many", hpart.platform_set_time_function, own, 1, {1, 2}, {1.0})
fails("seconds", hpart.platform_set_time_function, own, 1, {1}, {0 / 0})
fails("sizes is a list of texts", hpart.platform_set_time_function, own, 1, {"a"}, {1.0})
fails("an element of an array is the text 'a'", hpart.platform_set_time_function, own, 1, {1, "a"}, {1.0, 2.0})
fails("x has", hpart.platform_evaluate, own, {1})
hpart.platform_write(own, folder .. "/lua.csv")
same({1, large + 1}, (hpart.platform_get_function(hpart.platform_read(folder .. "/lua.csv"), 1)))
same("x, seconds = partition_time", hpart.help("partition_time"):sub(1, 27))

-- Destroyed handles.
hpart.platform_destroy(own)
hpart.platform_destroy(own)
hpart.platform_destroy(nil)
fails("platform was destroyed", hpart.partition_time, own, 1)

-- A meter of the whole node, which a team keeps open.
local meter = hpart.meter_open("estimate:12")
local metered = hpart.team_create()
hpart.team_add(metered, "counts", function() for _ = 1, 100000 do end end)
hpart.team_set_meter(metered, 0, meter)
hpart.meter_close(meter)
fails("meter was destroyed", hpart.meter_start, meter)
local options = {max_repetitions = 10, max_seconds = 1, base_power = 0}
local _, node_joules, energy = hpart.team_measure(metered, {1}, options)
same(1, #node_joules)
same("estimated", energy.energy_method)
hpart.team_set_meter(metered, 0)
same({}, select(2, hpart.team_measure(metered, {1}, options)))
fails("processor is %-1; it must be 0 to 1", hpart.team_set_meter, metered, -1)
same("estimate:W", (hpart.meter_describe(hpart.meter_count()):match("^%S+")))
same("success", select(2, hpart.meter_describe(hpart.meter_count())))

-- A matrix in rectangles: rows and columns count from 1. The least distribution known when the time is over.
local rows, columns = hpart.matrix_partition({1, 0, 1}, 4, 2)
same(1, math.min(rows[1], rows[3]))
same({1, 1}, {rows[2], columns[2]})
local wide = hpart.platform_create(40)
for processor = 1, 40 do
    local all, least = {}, {}
    for k = 1, 200 do all[k], least[k] = k, (k * processor * 7919) % 1009 / 1000 end
    hpart.platform_set_time_function(wide, processor, all, least)
    hpart.platform_set_energy_function(wide, processor, all, least)
end
fails("hpart limit: .*limit_results", hpart.partition_energy, wide, 4001, {time_limit = 1e-9})
local best, cost = hpart.limit_results()
same(40, #best)
assert(cost > 0)
fails("no call has reached a limit", hpart.limit_results)

-- Kernels, in turn; their errors come back as they are.
local team = hpart.team_create()
local sum = 0
for processor = 1, 2 do
    hpart.team_add(team, "processor " .. processor, function(size) sum = sum + size end)
end
local each, _, about = hpart.team_measure(team, {2, 3}, {max_repetitions = 10})
same(2, #each)
same(0, about.simultaneous)
assert(sum >= 50)
local measured = hpart.team_profile(team, {1, 2, 4}, {max_repetitions = 10})
same({1, 2, 4}, (hpart.platform_get_function(measured, 2)))
fails("which run in turn", hpart.team_compare, team, {{1, 2}, {2, 1}})
local broken = hpart.team_create()
hpart.team_add(broken, "broken", function() error({code = 7}) end)
local _, value = pcall(hpart.team_execute, broken, {3})
same(7, value.code)
hpart.team_add(broken, "nested", function() hpart.team_destroy(broken) end)
fails("team is running", hpart.team_execute, broken, {0, 3})
fails("stop here", hpart.team_profile, team, {1, 2}, {max_repetitions = 10, progress = function() error("stop here") end})
fails("hpart cancelled", hpart.team_profile, team, {1, 2}, {max_repetitions = 10, progress = function() return true end})

-- Foreign objects, and containers within themselves.
fails("of Lua's type userdata", hpart.platform_processors, io.stdout)
local circle = {}
circle[1] = circle
fails("nested more than 20 levels deep", hpart.platform_processors, circle)
fails("a key with a NUL", hpart.partition, hpart.platform_create(1), hpart.OBJECTIVE_TIME, 1, {["ties\0x"] = "fewest"})
-- Names as a table.
local application = hpart.team_create()
hpart.team_set_application_function(application, {"CPU", "GPU"}, function(x) return {x[1] / 2, x[2] / 2} end)
same("GPU", hpart.platform_get_name(hpart.team_profile(application, {2, 4}, {max_repetitions = 10}), 2))

-- Its results: a time for each processor, or one for all.
local function execute(result)
  local team = hpart.team_create()
  hpart.team_set_application_function(team, {"A", "B"}, function() return result end)
  return hpart.team_execute(team, {3, 4})
end
same(7, execute(7)[2])
same(7, execute({7})[2])
fails("the application's result is the text 's'; it must be an array of numbers", execute, "s")
fails("the application's time of processor 'B' is nan s", execute, {3, 0 / 0})
fails("the application's time of processor 'A' is nan s", execute, 0 / 0)
fails("result has 3 elements and x has 2", execute, {1, 2, 3})

-- The result of a kernel is not looked at; messages count from 1.
local kernels = hpart.team_create()
hpart.team_add(kernels, "a", function() return coroutine.create(print) end, "0")
hpart.team_execute(kernels, {3})
fails("seconds%[2%] is nan", hpart.platform_set_time_function, hpart.platform_create(1), 1, {1, 2}, {1, 0 / 0})
fails("sizes%[1%] is %-1", hpart.platform_set_time_function, hpart.platform_create(1), 1, {-1}, {1})
-- Kernels run in turn for a sum of times.
local x = hpart.team_optimize(team, hpart.OBJECTIVE_SUM_TIME, 3, {1, 2, 3}, {max_total_seconds = 5, confirm = 0, precision = 1})
same(3, x[1] + x[2])

print "all passed"
