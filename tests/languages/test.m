% The worked problem in Octave: arguments are the platform file and a folder for files.
1;
addpath (fileparts (mfilename ("fullpath")));

function kernel (size)
  global sum_of_sizes
  sum_of_sizes += size;
endfunction

function nested (team)
  hpart.team_destroy (team);
endfunction

function bytes = resident ()
  text = fileread ("/proc/self/statm");
  bytes = 4096 * sscanf (text, "%*d %d", 1);
endfunction

file = argv (){end - 1};
folder = argv (){end};
platform = hpart.platform_read (file);
[x, seconds] = hpart.partition_time (platform, 31);
assert (x, [9 9 7 6]);
assert (class (x), "double");
assert (seconds, 3);
assert (hpart.platform_processors (platform), 4);
assert (hpart.platform_get_name (platform, 4), "3");
assert (hpart.partition_time (platform, int64 (31)), [9 9 7 6]);
assert (hpart.partition_time (platform, single (31)), [9 9 7 6]);

% A front, a schedule, a report.
front = hpart.front_compute (platform, 31, hpart.ENERGY_DYNAMIC);
assert (hpart.front_count (front), 1);
[time, energy, parts] = hpart.front_point (front, 1);
assert ([time, energy, sum(parts)], [3 0 31]);
[~, ~, ~, report] = hpart.partition (platform, hpart.OBJECTIVE_TIME, 31, struct ("max_active", 4));
assert (report.method, "exact");
assert (report.optimal, 1);
assert (size (report.utilisation), [1 4]);
schedule = hpart.schedule_compute (platform, 31);
[processor, package, repeats] = hpart.schedule_task (schedule, 1);
assert (processor >= 1 && processor <= 4 && package >= 1 && repeats >= 1);

% A handle is equal to itself alone.
same = platform;
other = hpart.platform_read (file);
assert (platform == same && ! (platform != same) && isequal (platform, same) && isequal (platform, same, platform));
assert (platform != other && ! (platform == other) && ! isequal (platform, other) && ! isequal (platform, 1));
assert (isequal ({platform, 1}, {same, 1}) && ! isequal ({platform}, {other}));

% Errors of the library and of types.
schedules = fullfile (folder, "octave-schedules.csv");
hpart.schedule_write (schedule, schedules, "app");
renamed = hpart.platform_read (file);
hpart.platform_set_name (renamed, 2, "other");
fails ("hpart:infeasible", "processors\\[2\\] is '1', in the platform 'other'", hpart.schedule_read, schedules, "app", 31, renamed);
invalid = "hpart:invalid_argument";
fails ("hpart:infeasible", "no distribution of size 1000 exists", hpart.partition_time, platform, 1000);
fails (invalid, "size is 1.5; it must be an integer", hpart.partition_time, platform, 1.5);
fails (invalid, 'from -2\^53 to 2\^53', hpart.partition_time, platform, 2 ^ 54);
fails (invalid, 'from -2\^53 to 2\^53', hpart.partition_time, platform, NaN);
fails (invalid, "above 2\\^63 - 1", hpart.partition_time, platform, intmax ("uint64"));
fails (invalid, "at most 9223372036854775806", hpart.partition_time, platform, intmax ("int64"));
fails (invalid, "size is the text '31'", hpart.partition_time, platform, "31");
fails (invalid, "size is an array of 2 elements", hpart.partition_time, platform, [1 2]);
fails (invalid, "class double, complex", hpart.partition_time, platform, 1i);
fails (invalid, "class cell", hpart.partition_time, platform, {});
fails (invalid, "platform is an array of 0 elements", hpart.partition_time, [], 31);
fails (invalid, "platform is a handle of kind front", hpart.partition_time, front, 31);
fails (invalid, "takes 2 to 3 arguments, not 1", hpart.partition_time, platform);
fails (invalid, "takes 2 to 3 arguments, not 4", hpart.partition_time, platform, 31, [], 1);
fails (invalid, "did you mean 'method'", hpart.partition_time, platform, 31, struct ("metod", "exact"));
fails (invalid, "options is an array", hpart.partition_time, platform, 31, [1 2]);
fails (invalid, "processor is 0; it must be 1 to 4", hpart.platform_get_name, platform, 0);

% Functions as arrays, 64 bits of an integer, and back.
own = hpart.platform_create (2);
large = intmax ("int64") - 10;
hpart.platform_set_time_function (own, 1, [int64(1), large], [1 2]);
hpart.platform_set_time_function (own, 2, [], []);
[sizes, times, joules] = hpart.platform_get_function (own, 1);
assert (class (sizes), "int64");
assert (sizes, [int64(1), large]);
assert (times, [1 2]);
assert (isnan (joules), [true true]);
x = hpart.partition_time (own, large);
assert (class (x), "int64");
assert (x(1) == large && x(2) == 0);
fails (invalid, "seconds", hpart.platform_set_time_function, own, 1, 1, NaN);
hpart.platform_set_speed_function (own, 2, [1 2], [4 4], @(size) 8 * size);
[~, times] = hpart.platform_get_function (own, 2);
assert (times, [2 4]);
fails ("own:id", "no complexity", hpart.platform_set_speed_function, own, 2, 1, 4, @(size) error ("own:id", "no complexity"));
hpart.platform_write (own, [folder "/octave.csv"]);
assert (hpart.platform_get_function (hpart.platform_read ([folder "/octave.csv"]), 1), [int64(1), large]);
assert (strncmp (hpart.help ("partition_time"), "x, seconds = partition_time", 27));
fails (invalid, "help\\(\\) lists", hpart.help, "nothing");

% Destroyed handles.
hpart.platform_destroy (own);
hpart.platform_destroy (own);
fails (invalid, "platform was destroyed", hpart.partition_time, own, 1);

% Kernels, in turn; their errors come back as they are.
global sum_of_sizes
sum_of_sizes = 0;
team = hpart.team_create ();
hpart.team_add (team, "first", @kernel);
hpart.team_add (team, "second", @(size) kernel (size));
options = struct ("max_repetitions", 10);
[each, joules, about] = hpart.team_measure (team, [2 3], options);
assert (size (each), [1 2]);
assert (isempty (joules));
assert (about.simultaneous, 0);
assert (sum_of_sizes >= 50);
measured = hpart.team_profile (team, [1 2 4], options);
assert (hpart.platform_get_function (measured, 2), [1 2 4]);
fails (invalid, "which run in turn", hpart.team_compare, team, [1 2; 2 1]);
broken = hpart.team_create ();
hpart.team_add (broken, "broken", @(size) error ("own:id", "size %d is broken", size));
fails ("own:id", "size 3 is broken", hpart.team_execute, broken, 3);
hpart.team_add (broken, "nested", @(size) nested (broken));
fails (invalid, "team is running", hpart.team_execute, broken, [0 3]);
hpart.team_add (broken, "calls", @(size) assert (hpart.partition_time (platform, 31), [9 9 7 6]));
assert (hpart.team_execute (broken, [0 0 3])(1:2), [0 0]);
fails ("own:id", "stop here", hpart.team_profile, team, [1 2], struct ("progress", @(share, what) error ("own:id", "stop here")));
fails ("hpart:cancelled", "progress callback stopped", hpart.team_profile, team, [1 2], struct ("progress", @(share, what) true));
fails (invalid, "kernel is 1; it must be a function", hpart.team_add, team, "third", 1);
team = [];

% An application of several processors.
application = hpart.team_create ();
hpart.team_set_application_function (application, "a,b", @(x) 0.5 * x);
assert (hpart.team_measure (application, [2 4], options), [1 2]);

% Its results: a time for each processor, or one for all. A kernel's result is not looked at.
function seconds = execute (hpart, result)
  team = hpart.team_create ();
  hpart.team_set_application_function (team, "A,B", @(x) result);
  seconds = hpart.team_execute (team, [3 4]);
end
assert (execute (hpart, 7), [7 7]);
fails (invalid, "the application's result is the text 's'; it must be an array of numbers", @execute, hpart, "s");
fails ("hpart:callback", "the application's time of processor 'B' is nan s", @execute, hpart, [3 NaN]);
kernels = hpart.team_create ();
hpart.team_add (kernels, "a", @(n) {@sin, 2i}, "0");
hpart.team_execute (kernels, 3);
fails (invalid, 'seconds\[2\] is nan', hpart.platform_set_time_function, hpart.platform_create (1), 1, [1 2], [1 NaN]);

% Names as a cell.
cells = hpart.team_create ();
hpart.team_set_application_function (cells, {"CPU", "GPU"}, @(x) 0.5 * x);
assert (hpart.platform_get_name (hpart.team_profile (cells, [2 4], options), 2), "GPU");
fails (invalid, "an element of names is the text 'a,b'", hpart.team_set_application_function, hpart.team_create (), {"a,b", "c"}, @(x) x);
fails (invalid, "class cell", hpart.team_set_application_function, hpart.team_create (), {"a", 1}, @(x) x);
fails (invalid, "name is a list of texts; it must be a text", hpart.team_add, hpart.team_create (), {"a", "b"}, @(x) x);

% Matrices are rows of distributions.
fails (invalid, "x has 3 elements; it must have rows of 2", hpart.team_compare, application, [1 2 3]);

% Handles are freed.
cycle = @() hpart.platform_set_name (hpart.platform_create (2), 1, "name");
for i = 1:1000
  cycle ();
endfor
before = resident ();
for i = 1:100000
  cycle ();
endfor
assert (resident () - before < 4e6, "%g bytes more", resident () - before);

disp ("all passed")
