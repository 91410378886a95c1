# The worked problem in Tcl: the argument is the platform file. Errors that all languages share are in test.lua.
package require hpart
lassign $argv file

proc same {expected found} {
    if {$expected ne $found} { error "expected $expected, found $found" }
}

proc fails {pattern args} {
    if {![catch {uplevel $args} message]} { error "no error; expected $pattern" }
    if {![regexp -- $pattern "$::errorCode: $message"]} { error "expected $pattern, found $::errorCode: $message" }
}

set platform [hpart::platform_read $file]
lassign [hpart::partition_time $platform 31] x seconds
same {9 9 7 6} $x
same 3.0 $seconds
same 4 [hpart::platform_processors $platform]
same 3 [hpart::platform_get_name $platform 3]

# A front, a schedule, a report.
set front [hpart::front_compute $platform 31 $hpart::ENERGY_DYNAMIC]
same 1 [hpart::front_count $front]
lassign [hpart::front_point $front 0] time energy parts
same {3.0 0.0} [list $time $energy]
same 31 [expr [join $parts +]]
set report [lindex [hpart::partition $platform $hpart::OBJECTIVE_TIME 31 {max_active 4}] 3]
same exact [dict get $report method]
same 4 [llength [dict get $report utilisation]]
lassign [hpart::schedule_task [hpart::schedule_compute $platform 31] 0] processor size repeats
same 0 $processor

# Errors of the library and of types.
fails {^HPART infeasible: no distribution of size 1000 exists} hpart::partition_time $platform 1000
fails {size is 1.5; it must be an integer} hpart::partition_time $platform 1.5
fails {from -2\^53 to 2\^53} hpart::partition_time $platform 1e30
fails {from -2\^53 to 2\^53} hpart::partition_time $platform 9223372036854775808
fails {at most 9223372036854775806} hpart::partition_time $platform 9223372036854775807
fails {size is the text 'many'} hpart::partition_time $platform many
fails {size is nothing} hpart::partition_time $platform {}
fails {platform is a handle of kind front} hpart::partition_time $front 31
fails {Wrong number of arguments} hpart::partition_time $platform
fails {did you mean 'method'} hpart::partition_time $platform 31 {metod exact}
fails {it must be a record} hpart::partition_time $platform 31 {method exact ties}
fails {is not a list} hpart::platform_set_time_function $platform 0 "\{" 1
fails {processor is 4; it must be 0 to 3} hpart::platform_get_name $platform 4
fails {it must be a function} hpart::team_add [hpart::team_create] name puts

# Functions as lists, 64 bits of an integer, and back.
set own [hpart::platform_create 2]
set large 9223372036854775800
hpart::platform_set_time_function $own 0 [list 1 $large] {1 2}
hpart::platform_set_time_function $own 1 {} {}
same [list 1 $large] [lindex [hpart::platform_get_function $own 0] 0]
same [list $large 0] [lindex [hpart::partition_time $own $large] 0]
fails {seconds} hpart::platform_set_time_function $own 0 1 NaN
fails {name has a character of code 0} hpart::platform_set_name $own 0 "a\0b"
fails {an element of an array is the text 'a'} hpart::platform_set_time_function $own 0 {1 a} {1 2}
same {x, seconds = partition_time} [string range [hpart::help partition_time] 0 26]
fails {previous} hpart::partition_time $platform 31 {previous {9 9 7} ties fewest}

# Destroyed handles: a name is free for nothing else.
hpart::platform_destroy $own
fails {was destroyed} hpart::partition_time $own 1
hpart::platform_destroy {}

# Destroyed handles are forgotten.
proc resident {} {
    set statm [open /proc/self/statm]
    set pages [lindex [read $statm] 1]
    close $statm
    expr {4096 * $pages}
}
proc cycles {count} {
    for {set i 0} {$i < $count} {incr i} { hpart::platform_destroy [hpart::platform_create 2] }
}
cycles 1000
set before [resident]
cycles 100000
if {[resident] - $before > 4e6} { error "memory grew" }

puts "all passed"
