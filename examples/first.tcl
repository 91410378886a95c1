# Two processors whose time is known at four sizes: who gets how much of 12 units, so that the work is done first?
package require hpart

set platform [hpart::platform_create 2]
hpart::platform_set_time_function $platform 0 {2 4 8 10} {1.0 2.0 5.0 7.0}
hpart::platform_set_time_function $platform 1 {2 4 8 10} {2.0 2.1 2.5 6.0}
lassign [hpart::partition_time $platform 12] x seconds
puts "CPU [lindex $x 0], GPU [lindex $x 1]: $seconds s"    ;# CPU 4, GPU 8: 2.5 s
hpart::platform_destroy $platform
