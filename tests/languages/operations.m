% Products, transforms and factorisations in Octave, checked by Octave's own.
1;
addpath (fileparts (mfilename ("fullpath")));

function near (found, right)
  assert (class (found), class (right));
  assert (size (found), size (right));
  tolerance = 50 * eps (class (right)) * (1 + max ([0; abs(right(:))]));
  assert (max ([0; abs(found(:) - right(:))]) <= tolerance, "off by %g", max (abs (found(:) - right(:))));
endfunction

invalid = "hpart:invalid_argument";
device = hpart.device_open ("host", struct ("memory_limit", 2 ^ 20));
rand ("seed", 5);
for of_type = {@double, @single, @(x) x - 1i * x / 3, @(x) single (x + 1i * x / 2)}
  make = of_type{1};
  a = make (rand (40, 30));
  b = make (rand (30, 20));
  c = make (rand (40, 20));
  s = make (rand (30) + 30 * eye (30));
  p = s * s';

  [found, report] = hpart.gemm (device, a, b);
  near (found, a * b);
  assert (report.method, "out-of-card");
  near (hpart.gemm (device, a', b.', "C", "T", -2, 3, c), 3 * c - 2 * a * b);
  near (hpart.gemm (device, a, b, [], [], [], [], c), a * b + c);
  near (hpart.gemv (device, a, b(:,1)), a * b(:,1));
  near (hpart.gemv (device, a, c(:,1).', "T", 2, -1, b(:,1)), 2 * a.' * c(:,1) - b(:,1));
  near (triu (hpart.syrk (device, a)), triu (a * a.'));
  near (tril (hpart.syrk (device, a, "L", "T", 2)), tril (2 * a.' * a));
  near (hpart.trsm (device, s, b, "L", "U", "N", "N", 2), 2 * (triu (s) \ b));
  near (hpart.trsm (device, s, b', "R", "L", "T", "U"), b' / (tril (s, -1) + eye (30)).');
  near (hpart.trmm (device, s, b, "L", "U", "C", "N", 2), 2 * triu (s)' * b);
  near (hpart.trmm (device, s, b', "R", "L", "N", "U"), b' * (tril (s, -1) + eye (30)));
  near (hpart.symm (device, p, b), (triu (p) + triu (p, 1).') * b);
  near (triu (hpart.syr2k (device, a, 2 * a)), triu (4 * a * a.'));
  near (hpart.gemmt (device, a, a, "L", "C", "N"), tril (a' * a));
  stack = cat (3, a, 2 * a);
  products = hpart.gemm_strided_batched (device, stack, b);
  near (products(:,:,1), a * b);
  near (products(:,:,2), 2 * a * b);
  if (iscomplex (a))
    near (hpart.hemm (device, p, b', "R"), b' * p);
    near (triu (hpart.her2k (device, a, 1i * a)), triu (a * (1i * a)' + (1i * a) * a'));
  endif
  [lu, pivots] = hpart.getrf (device, s);
  near ((tril (lu, -1) + eye (30)) * triu (lu), s);
  assert (pivots, 1:30);
  near (hpart.getrs (device, lu, pivots, b, "T"), s.' \ b);
  near (hpart.getri (device, lu, pivots), inv (s));
  near (hpart.potrf (device, p), chol (p));
  near (hpart.potri (device, chol (p)), triu (inv (p)));
  near (hpart.potrs (device, chol (p), b), p \ b);
  near (hpart.potrf (device, p, "L"), chol (p)');
  [qr, tau] = hpart.geqrf (device, a);
  r = triu (qr)(1:30,:);
  near (r' * r, a' * a);
  assert (size (tau), [30 1]);
  q = hpart.orgqr (device, qr, tau);
  near (q * r, a);
  near (hpart.ormqr (device, qr, tau, c, "L", "C")(1:30,:), q' * c);
  near (hpart.ormqr (device, qr, tau, c.', "R")(:,1:30), c.' * q);
  near (hpart.gesv (device, s, b), s \ b);
  near (hpart.posv (device, p, b), p \ b);
  near (hpart.gels (device, a, c), a \ c);
  near (hpart.gels (device, a, b, "C"), pinv (a') * b);
  near (hpart.fft (device, a), fft (complex (a)));
  near (hpart.fft (device, a, 1, 2), 1200 * ifft2 (complex (a)));
  near (hpart.fft (device, a(1,:)), fft (complex (a(1,:))));
endfor

% Three dimensions, real transforms, mixed types, other kinds of numbers, empty arrays.
x = rand (6, 4, 3);
[y, about] = hpart.fft_r2c (device, x, 2);
near (y, fft2 (complex (x))(1:4,:,:));
near (hpart.fft_c2r (device, y, 6, 2), 24 * x);
near (hpart.fft_r2c (device, x(1,:,1)), fft (complex (x(1,:,1)))(1:3));
near (hpart.fft (device, x, -1, 3), fftn (complex (x)));
near (hpart.gemm (device, single ([1 2; 3 4]), [1 0; 0 1i]), single ([1 2i; 3 4i]));
near (hpart.gemm (device, int32 ([1 2; 3 4]), true (2)), [3 3; 7 7]);
near (hpart.gemm (device, eye (2), [1 2; 3 4], "n", "n", 1i), [1i 2i; 3i 4i]);
near (hpart.gemm (device, zeros (0, 3), zeros (3, 2)), zeros (0, 2));
near (hpart.gemm (device, zeros (2, 0), zeros (0, 2)), zeros (2));
near (triu (hpart.herk (device, [1i 2; 3 4])), triu ([1i 2; 3 4] * [1i 2; 3 4]'));

% Arguments stay as they are.
a = b = [4 1; 1 3];
hpart.gesv (device, a, b);
hpart.potrf (device, a);
hpart.gemm (device, a, a, [], [], 2, 1, b);
assert (a, [4 1; 1 3]);
assert (b, [4 1; 1 3]);

% Errors.
fails (invalid, "b has 3 rows; it must have 2", hpart.gemm, device, eye (2), ones (3, 1));
fails (invalid, "b has 2 columns; it must have 3", hpart.gemm, device, eye (3), ones (3, 2), "N", "T");
fails (invalid, "c has 6 elements; it must have 4", hpart.gemm, device, eye (2), eye (2), [], [], 1, 1, ones (3, 2));
fails (invalid, "c has 1 rows; it must have 2", hpart.gemm, device, eye (2), eye (2), [], [], 1, 1, ones (1, 4));
fails (invalid, "beta is given and c is not", hpart.gemm, device, 1, 1, [], [], 1, 1);
fails (invalid, 'transa is "X"; it must be one of "N", "T", "C"', hpart.gemm, device, 1, 1, "X");
fails (invalid, "class char", hpart.gemm, device, "text", 1);
fails (invalid, "sparse", hpart.gemm, device, speye (2), 1);
fails (invalid, "a has 3 dimensions", hpart.gemm, device, x, 1);
fails (invalid, "alpha has 2 elements; it must have 1", hpart.gemm, device, 1, 1, [], [], [1 2]);
fails (invalid, "a has 2 columns; it must have 1", hpart.gesv, device, [1 2], 1);
fails (invalid, "x is complex; it must be real", hpart.fft_r2c, device, 1i);
fails (invalid, "x has 4 rows; it must have 3", hpart.fft_c2r, device, ones (4, 1), 5);
fails (invalid, "rank is 3; it must be from 1 to the array's 2", hpart.fft, device, eye (2), -1, 3);
fails (invalid, "sign", hpart.fft, device, 1, 2);
fails ("hpart:numerical", "singular", hpart.gesv, device, zeros (2), ones (2, 1));
fails ("hpart:numerical", "limit_results\\(\\) returns", hpart.getrf, device, zeros (2));
[~, ~, report] = hpart.limit_results ();
assert (report.info, 1);
near (hpart.gemm (device, 2, 3, struct ("queues", 1)), 6);
fails (invalid, "is running an operation", hpart.gemm, device, rand (300), rand (300), ...
       struct ("progress", @(share, what) hpart.gemm (device, 2, 3)));
fails (invalid, "a is of Octave's class cell", hpart.gemm, device, {1}, 1);
fails (invalid, "alpha is of Octave's class char", hpart.gemm, device, 1, 1, [], [], "x");
fails (invalid, "element of 2\\^53", hpart.gemm, device, int64 (2) ^ 53 + 1, 1);
fails (invalid, 'trans is "C"; it must be one of "N", "T"', hpart.syrk, device, 1i, "U", "C");
near (hpart.fft (device, zeros (0, 3)), complex (zeros (0, 3)));
near (hpart.fft_r2c (device, zeros (0, 3)), complex (zeros (0, 3)));
fails ("hpart:numerical", "not positive", hpart.potrf, device, -eye (2));
fails (invalid, "memory_limit", hpart.device_open, "host", struct ("memory_limit", -1));
fails (invalid, "progress is an option of the operations", hpart.device_open, "host", struct ("progress", @(share, what) false));
fails ("own:id", "stop", hpart.gemm, device, rand (500), rand (500), [], [], [], [], [], ...
       struct ("progress", @(share, what) error ("own:id", "stop")));
fails ("hpart:cancelled", "stopped", hpart.gemm, device, rand (500), rand (500), [], [], [], [], [], struct ("progress", @(share, what) true));
assert (strncmp (hpart.help ("gemm"), "c, report = gemm(device, a, b, [transa]", 38));
near (hpart.gemm (device, 2, 3), 6);
hpart.device_close (device);
fails (invalid, "device was destroyed", hpart.gemm, device, 1, 1);
disp ("all passed")
