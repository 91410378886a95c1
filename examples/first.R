# Two processors whose time is known at four sizes: who gets how much of 12 units, so that the work is done first?
library(hpart)

platform <- platform_create(2)
platform_set_time_function(platform, 1, c(2, 4, 8, 10), c(1.0, 2.0, 5.0, 7.0))
platform_set_time_function(platform, 2, c(2, 4, 8, 10), c(2.0, 2.1, 2.5, 6.0))
best <- partition_time(platform, 12)
cat(sprintf("CPU %d, GPU %d: %g s\n", best$x[1], best$x[2], best$seconds))    # CPU 4, GPU 8: 2.5 s
