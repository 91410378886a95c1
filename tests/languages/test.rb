# The worked problem in Ruby: the argument is the platform file. Errors that all languages share are in test.lua.
require 'hpart'
file = ARGV[0]

def same(expected, found)
  raise "expected #{expected.inspect}, found #{found.inspect}" unless expected == found
end

def fails(status, pattern, call, *arguments)
  begin
    Hpart.send(call, *arguments)
  rescue Hpart::Error => e
    same(status, e.status)
    raise "expected #{pattern}, found #{e.message}" unless pattern =~ e.message
    return
  end
  raise "no error; expected #{pattern}"
end

platform = Hpart.platform_read(file)
x, seconds = Hpart.partition_time(platform, 31)
same([9, 9, 7, 6], x)
same(3.0, seconds)
same(4, Hpart.platform_processors(platform))
same('3', Hpart.platform_get_name(platform, 3))

# A front, a schedule, a report.
front = Hpart.front_compute(platform, 31, Hpart::ENERGY_DYNAMIC)
same(1, Hpart.front_count(front))
time, energy, parts = Hpart.front_point(front, 0)
same([3.0, 0.0, 31], [time, energy, parts.sum])
report = Hpart.partition(platform, Hpart::OBJECTIVE_TIME, 31, { max_active: 4 })[3]
same('exact', report[:method])
same(4, report[:utilisation].size)
same(0, Hpart.schedule_task(Hpart.schedule_compute(platform, 31), 0)[0])

# Errors of the library and of types.
invalid = 'invalid_argument'
fails('infeasible', /no distribution of size 1000 exists/, :partition_time, platform, 1000)
fails(invalid, /size is 1.5; it must be an integer/, :partition_time, platform, 1.5)
fails(invalid, /from -2\^53 to 2\^53/, :partition_time, platform, 2.0**70)
fails(invalid, /beyond 64 bits/, :partition_time, platform, 2**63)
fails(invalid, /beyond 64 bits/, :partition_time, platform, -2**63 - 1)
fails(invalid, /size is -9223372036854775808/, :partition_time, platform, -2**63)
fails(invalid, /at most 9223372036854775806/, :partition_time, platform, 2**63 - 1)
fails(invalid, /size is the text '31'/, :partition_time, platform, '31')
fails(invalid, /size is nothing/, :partition_time, platform, nil)
fails(invalid, /class Object/, :partition_time, platform, Object.new)
fails(invalid, /platform is a handle of kind front/, :partition_time, front, 31)
fails(invalid, /did you mean 'method'/, :partition_time, platform, 31, { metod: 'exact' })
fails(invalid, /options is an array/, :partition_time, platform, 31, [1, 2])
fails(invalid, /neither a symbol nor a text/, :partition_time, platform, 31, { 1 => 2 })
fails(invalid, /processor is 4; it must be 0 to 3/, :platform_get_name, platform, 4)
begin
  Hpart.partition_time(platform)
rescue ArgumentError
  one_argument = true
end
same(true, one_argument)

# Functions as arrays, 64 bits of an integer, and back.
own = Hpart.platform_create(2)
large = 2**63 - 8
Hpart.platform_set_time_function(own, 0, [1, large], [1, 2])
Hpart.platform_set_time_function(own, 1, [], [])
same([1, large], Hpart.platform_get_function(own, 0)[0])
same([large, 0], Hpart.partition_time(own, large)[0])
fails(invalid, /seconds/, :platform_set_time_function, own, 0, [1], [Float::NAN])
fails(invalid, /an element of an array is nothing/, :platform_set_time_function, own, 0, [nil], [1])
same('x, seconds = partition_time', Hpart.help('partition_time')[0, 27])

# Destroyed handles.
2.times { Hpart.platform_destroy(own) }
fails(invalid, /platform was destroyed/, :partition_time, own, 1)

# Kernels, in turn; their exceptions come back as they are.
sum = 0
team = Hpart.team_create
%w[first second].each { |name| Hpart.team_add(team, name, ->(size) { sum += size }) }
each, _, about = Hpart.team_measure(team, [2, 3], { max_repetitions: 10 })
same(2, each.size)
same(0, about[:simultaneous])
raise 'the kernels did not run' unless sum >= 50
broken = Hpart.team_create
Hpart.team_add(broken, 'broken', ->(_) { raise KeyError, 'mine' })
begin
  Hpart.team_execute(broken, [3])
rescue KeyError => e
  message = e.message
end
same('mine', message)
Hpart.team_add(broken, 'nested', ->(_) { Hpart.team_destroy(broken) })
fails(invalid, /team is running/, :team_execute, broken, [0, 3])

# Handles are freed.
# The result of a kernel is not looked at.
kernels = Hpart.team_create
Hpart.team_add(kernels, 'any', proc { |_| Thread.new { nil }.join }, '0')
Hpart.team_execute(kernels, [3])

# An application's times: one for each processor, or one for all.
def execute(result)
  team = Hpart.team_create
  Hpart.team_set_application_function(team, 'A,B', proc { |_| result })
  Hpart.team_execute(team, [3, 4])[0]
end
same([7.0, 7.0], execute(7))
def refused(result)
  execute(result)
  'none'
rescue Hpart::Error => e
  e.message
end
same("the application's result is the text 's'; it must be an array of numbers", refused('s'))
raise refused([3, Float::NAN]) unless refused([3, Float::NAN]).include?("time of processor 'B' is nan s")

def resident = 4096 * File.read('/proc/self/statm').split[1].to_i
def cycles(count) = count.times { Hpart.platform_set_name(Hpart.platform_create(2), 0, 'name') }
cycles(20_000)
GC.start
before = resident
cycles(100_000)
GC.start
raise 'memory grew' unless resident - before < 2e7

# A throw or a return leaves the call, and hpart with it.
thrower = Hpart.team_create
Hpart.team_add(thrower, 'thrower', proc { |_| throw :found, 3 })
same(3, catch(:found) { Hpart.team_execute(thrower, [1]) })
def left = Hpart.team_create.then { |team| Hpart.team_add(team, 'left', proc { |_| return 7 }) && 0 || Hpart.team_execute(team, [1]) }
same(7, left)
Hpart.team_destroy(thrower)

puts 'all passed'
