% Two processors whose time is known at four sizes: who gets how much of 12 units, so that the work is done first?
platform = hpart.platform_create(2);
hpart.platform_set_time_function(platform, 1, [2 4 8 10], [1.0 2.0 5.0 7.0]);
hpart.platform_set_time_function(platform, 2, [2 4 8 10], [2.0 2.1 2.5 6.0]);
[x, seconds] = hpart.partition_time(platform, 12);
printf("CPU %d, GPU %d: %g s\n", x, seconds)             % CPU 4, GPU 8: 2.5 s
