# Two processors whose time is known at four sizes: who gets how much of 12 units, so that the work is done first?
use strict;
use warnings;
use hpart;

my $platform = hpart::platform_create(2);
hpart::platform_set_time_function($platform, 0, [2, 4, 8, 10], [1.0, 2.0, 5.0, 7.0]);
hpart::platform_set_time_function($platform, 1, [2, 4, 8, 10], [2.0, 2.1, 2.5, 6.0]);
my ($x, $seconds) = hpart::partition_time($platform, 12);
print "CPU $x->[0], GPU $x->[1]: $seconds s\n";    # CPU 4, GPU 8: 2.5 s
