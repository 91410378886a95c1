# The worked problem in Perl: the argument is the platform file. Errors that all languages share are in test.lua.
use strict;
use warnings;
use hpart;
my ($file) = @ARGV;

sub same {
    my ($expected, $found) = map { ref eq 'ARRAY' ? "@$_" : $_ } @_;
    die "expected $expected, found $found" unless $expected eq $found;
}

sub fails {
    my ($pattern, $call, @arguments) = @_;
    die "no error; expected: $pattern" if eval { no strict 'refs'; &{"hpart::$call"}(@arguments); 1 };
    die "expected $pattern, found $@" unless $@ =~ $pattern;
}

my $platform = hpart::platform_read($file);
my ($x, $seconds) = hpart::partition_time($platform, 31);
same([9, 9, 7, 6], $x);
same(3, $seconds);
same([9, 9, 7, 6], scalar hpart::partition_time($platform, '31'));
same(4, hpart::platform_processors($platform));
same('3', hpart::platform_get_name($platform, 3));

# A front, a schedule, a report.
my $front = hpart::front_compute($platform, 31, $hpart::ENERGY_DYNAMIC);
same(1, hpart::front_count($front));
my ($time, $energy, $parts) = hpart::front_point($front, 0);
same([3, 0], [$time, $energy]);
same(31, eval join '+', @$parts);
my $report = (hpart::partition($platform, $hpart::OBJECTIVE_TIME, 31, {max_active => 4}))[3];
same('exact', $report->{method});
same(4, scalar @{$report->{utilisation}});
my ($processor, $size, $repeats) = hpart::schedule_task(hpart::schedule_compute($platform, 31), 0);
same(0, $processor);

# Errors of the library and of types.
fails(qr/^hpart infeasible: no distribution of size 1000 exists.* at .*test\.pl line/s, 'partition_time', $platform, 1000);
fails(qr/size is 1.5; it must be an integer/, 'partition_time', $platform, 1.5);
fails(qr/from -2\^53 to 2\^53/, 'partition_time', $platform, 2.0**70);
fails(qr/above 2\^63 - 1/, 'partition_time', $platform, 18446744073709551615);
fails(qr/at most 9223372036854775806/, 'partition_time', $platform, 9223372036854775807);
fails(qr/size is the text 'many'/, 'partition_time', $platform, 'many');
fails(qr/size is nothing/, 'partition_time', $platform, undef);
fails(qr/type GLOB/, 'partition_time', $platform, \*STDOUT);
fails(qr/platform is a handle of kind front/, 'partition_time', $front, 31);
fails(qr/Usage/, 'partition_time', $platform);
fails(qr/did you mean 'method'/, 'partition_time', $platform, 31, {metod => 'exact'});
fails(qr/options is an array/, 'partition_time', $platform, 31, [1, 2]);
fails(qr/processor is 4; it must be 0 to 3/, 'platform_get_name', $platform, 4);

# Functions as arrays, 64 bits of an integer, and back.
my $own = hpart::platform_create(2);
my $large = 9223372036854775800;
hpart::platform_set_time_function($own, 0, [1, $large], [1, 2]);
hpart::platform_set_time_function($own, 1, [], []);
same([1, $large], (hpart::platform_get_function($own, 0))[0]);
same([$large, 0], scalar hpart::partition_time($own, $large));
fails(qr/seconds/, 'platform_set_time_function', $own, 0, [1], ['NaN']);
fails(qr/an element of an array is nothing/, 'platform_set_time_function', $own, 0, [undef], [1]);
same('x, seconds = partition_time', substr hpart::help('partition_time'), 0, 27);

# Destroyed handles.
hpart::platform_destroy($own);
hpart::platform_destroy($own);
fails(qr/platform was destroyed/, 'partition_time', $own, 1);

# Kernels, in turn; their errors come back as they are.
my $sum = 0;
my $team = hpart::team_create();
hpart::team_add($team, $_, sub { $sum += $_[0] }) for 'first', 'second';
my ($each, $joules, $about) = hpart::team_measure($team, [2, 3], {max_repetitions => 10});
same(2, scalar @$each);
same(0, $about->{simultaneous});
die "the kernels did not run" unless $sum >= 50;
my $broken = hpart::team_create();
hpart::team_add($broken, 'broken', sub { die {code => 7} });
eval { hpart::team_execute($broken, [3]) };
same(7, $@->{code});
hpart::team_add($broken, 'nested', sub { hpart::team_destroy($broken) });
fails(qr/team is running/, 'team_execute', $broken, [0, 3]);

# The package has the functions that help lists, and few others; a handle has no fields.
my %listed = map { $_ => 1 } split /\n/, hpart::help();
{
    no strict 'refs';
    same([qw(bootstrap)], [sort grep { defined &{"hpart::$_"} && !$listed{$_} } keys %hpart::]);
}
same(0, scalar keys %$platform);

# Handles are freed.
# The result of a kernel is not looked at, nor does a kernel leave by a jump to its caller's loop or label.
my $kernels = hpart::team_create();
hpart::team_add($kernels, 'any', sub { \*STDOUT }, '0');
hpart::team_execute($kernels, [3]);
for my $jump (sub { no warnings; last }, sub { no warnings; next }, sub { no warnings; goto OUT }) {
    my $jumping = hpart::team_create();
    hpart::team_add($jumping, 'jump', $jump, '0');
    for (1) { fails(qr/outside a loop block|find label OUT/, 'team_execute', $jumping, [3]) }
    fails(qr/outside a loop block|find label OUT/, 'team_execute', $jumping, [3]); # it is free again
}
OUT:

# An application's times: one for each processor, or one for all.
sub execute {
    my ($result) = @_;
    my $team = hpart::team_create();
    hpart::team_set_application_function($team, 'A,B', sub { $result });
    return hpart::team_execute($team, [3, 4]);
}
same([7, 7], scalar execute(7));
same([7, 7], scalar execute('7'));
for ([qr/the application's result is the text 's'/, 's'], [qr/time of processor 'B' is nan s/, [3, 'NaN']]) {
    die "no error" if eval { execute($_->[1]); 1 };
    die "found $@" unless $@ =~ $_->[0];
}

# A handle belongs to its thread.
if (eval { require threads }) {
    my $returned = threads->create(sub { hpart::platform_create(2) })->join;
    fails(qr/platform is/, 'platform_processors', $returned);
    my $other = threads->create(sub { eval { hpart::platform_processors($platform) }; $@ })->join;
    die "found $other" unless $other =~ /platform is/;
    same(4, hpart::platform_processors($platform));
}

sub resident { open my $statm, '<', '/proc/self/statm' or die; 4096 * (split ' ', <$statm>)[1] }
sub cycles { hpart::platform_set_name(hpart::platform_create(2), 0, 'name') for 1 .. $_[0] }
cycles(1000);
my $before = resident();
cycles(100000);
die 'memory grew' unless resident() - $before < 4e6;

my $circle = [];
push @$circle, $circle;
fails(qr/nested more than 20 levels deep/, 'platform_processors', $circle);

print "all passed\n";
