# Two processors whose time is known at four sizes: who gets how much of 12 units, so that the work is done first?
require 'hpart'

platform = Hpart.platform_create(2)
Hpart.platform_set_time_function(platform, 0, [2, 4, 8, 10], [1.0, 2.0, 5.0, 7.0])
Hpart.platform_set_time_function(platform, 1, [2, 4, 8, 10], [2.0, 2.1, 2.5, 6.0])
x, seconds = Hpart.partition_time(platform, 12)
puts "CPU #{x[0]}, GPU #{x[1]}: #{seconds} s"    # CPU 4, GPU 8: 2.5 s
