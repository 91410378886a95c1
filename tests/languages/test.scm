; The worked problem in Guile: the argument is the platform file. Errors that all languages share are in test.lua.
(use-modules ((hpart) #:prefix hpart:) (ice-9 receive) (ice-9 regex) (ice-9 rdelim) (srfi srfi-1))
(define file (list-ref (command-line) 1))

(define (same expected found)
  (unless (equal? expected found) (error "expected and found:" expected found)))

(define (fails status pattern call . arguments)
  (let ((caught (catch 'hpart-error
                  (lambda () (apply call arguments) #f)
                  (lambda (key subr format arguments data) (cons (car data) (car arguments))))))
    (unless caught (error "no error; expected" pattern))
    (same status (car caught))
    (unless (string-match pattern (cdr caught)) (error "expected and found:" pattern (cdr caught)))))

(define platform (hpart:platform-read file))
(receive (x seconds) (hpart:partition-time platform 31)
  (same '(9 9 7 6) x)
  (same 3.0 seconds))
(same 4 (hpart:platform-processors platform))
(same "3" (hpart:platform-get-name platform 3))

; A front, a schedule, a report.
(define front (hpart:front-compute platform 31 (hpart:ENERGY-DYNAMIC)))
(same 1 (hpart:front-count front))
(receive (time energy parts) (hpart:front-point front 0)
  (same '(3.0 0.0 31) (list time energy (apply + parts))))
(receive (x seconds joules report) (hpart:partition platform (hpart:OBJECTIVE-TIME) 31 '((max_active . 4)))
  (same "exact" (assq-ref report 'method))
  (same 4 (length (assq-ref report 'utilisation))))
(receive (processor size repeats) (hpart:schedule-task (hpart:schedule-compute platform 31) 0)
  (same 0 processor))

; Errors of the library and of types.
(define (invalid pattern call . arguments) (apply fails 'invalid_argument pattern call arguments))
(fails 'infeasible "no distribution of size 1000 exists" hpart:partition-time platform 1000)
(invalid "size is 1.5; it must be an integer" hpart:partition-time platform 1.5)
(invalid "size is 1.5; it must be an integer" hpart:partition-time platform 3/2)
(invalid "from -2\\^53 to 2\\^53" hpart:partition-time platform 1e30)
(invalid "beyond 64 bits" hpart:partition-time platform (expt 2 63))
(invalid "at most 9223372036854775806" hpart:partition-time platform (- (expt 2 63) 1))
(invalid "size is the text '31'" hpart:partition-time platform "31")
(invalid "size is nothing" hpart:partition-time platform #f)
(invalid "a type that hpart does not take" hpart:partition-time platform #\a)
(invalid "platform is a handle of kind front" hpart:partition-time front 31)
(invalid "did you mean 'method'" hpart:partition-time platform 31 '((metod . "exact")))
(invalid "options is an array" hpart:partition-time platform 31 '(1 2))
(invalid "no pair of a key" hpart:partition-time platform 31 '((method . "exact") 2))
(invalid "processor is 4; it must be 0 to 3" hpart:platform-get-name platform 4)
(same 'wrong-number-of-args (catch #t (lambda () (hpart:partition-time platform)) (lambda (key . _) key)))

; Functions as lists and vectors, 64 bits of an integer, and back.
(define own (hpart:platform-create 2))
(define large (- (expt 2 63) 8))
(hpart:platform-set-time-function own 0 (vector 1 large) #f64(1 2))
(hpart:platform-set-time-function own 1 '() '())
(receive (sizes seconds joules) (hpart:platform-get-function own 0)
  (same (list 1 large) sizes))
(receive (x seconds) (hpart:partition-time own large)
  (same (list large 0) x))
(invalid "seconds" hpart:platform-set-time-function own 0 '(1) (list +nan.0))
(same "x, seconds = partition_time" (substring (hpart:help "partition_time") 0 27))

; Destroyed handles.
(hpart:platform-destroy own)
(hpart:platform-destroy own)
(invalid "platform was destroyed" hpart:partition-time own 1)

; Kernels, in turn; what they throw comes back as it is.
(define sum 0)
(define team (hpart:team-create))
(for-each (lambda (name) (hpart:team-add team name (lambda (size) (set! sum (+ sum size))))) '("first" "second"))
(receive (each joules about) (hpart:team-measure team '(2 3) '((max_repetitions . 10)))
  (same 2 (length each))
  (same 0 (assq-ref about 'simultaneous)))
(unless (>= sum 50) (error "the kernels did not run"))
(define broken (hpart:team-create))
(hpart:team-add broken "broken" (lambda (size) (throw 'mine size)))
(same '(mine 3) (catch 'mine (lambda () (hpart:team-execute broken '(3))) list))
(hpart:team-add broken "nested" (lambda (size) (hpart:team-destroy broken)))
(invalid "team is running" hpart:team-execute broken '(0 3))

; Continuations neither enter nor leave a kernel of a call.
(define kept #f)
(define entered 0)
(define barred (hpart:team-create))
(hpart:team-add barred "entered" (lambda (size) (call/cc (lambda (k) (set! kept k))) (set! entered (+ entered 1))))
(hpart:team-execute barred '(3))
(define once entered)
(same 'misc-error (catch #t (lambda () (kept 1)) (lambda (key . rest) key)))
(same once entered)
(hpart:team-add barred "left" (lambda (size) (kept 1)))
(same 'misc-error (catch #t (lambda () (call/cc (lambda (k) (set! kept k) (hpart:team-execute barred '(0 3))))) (lambda (key . rest) key)))

; A prompt of the caller's is out of a kernel's reach, and the team is free afterwards.
(define prompted (hpart:team-create))
(hpart:team-add prompted "prompted" (lambda (size) (abort-to-prompt 'outside 7)) "0")
(define (prompt) (call-with-prompt 'outside (lambda () (hpart:team-execute prompted '(3))) (lambda (k v) v)))
(same 'misc-error (catch #t prompt (lambda (key . rest) key)))
(same 'misc-error (catch #t prompt (lambda (key . rest) key)))
(hpart:team-add prompted "own prompt" (lambda (size) (call-with-prompt 'inside (lambda () (abort-to-prompt 'inside 7)) (lambda (k v) v))))
(hpart:team-execute prompted '(0 3))

; The result of a kernel is not looked at; an application gives a time for each processor, or one for all.
(define kernels (hpart:team-create))
(hpart:team-add kernels "any" (lambda (size) (current-output-port)) "0")
(hpart:team-execute kernels '(3))
(define (execute result)
  (let ((team (hpart:team-create)))
    (hpart:team-set-application-function team "A,B" (lambda (x) result))
    (hpart:team-execute team '(3 4))))
(invalid "the application's result is the text 's'" execute "s")
(invalid "the application's result is the text 's'" execute 's)
(fails 'callback "time of processor 'B' is nan s" execute (list 3 (nan)))

; Handles are freed.
(define (resident)
  (* 4096 (string->number (cadr (string-split (call-with-input-file "/proc/self/statm" read-line) #\space)))))
(define (cycles count)
  (do ((i 0 (+ i 1))) ((= i count))
    (hpart:platform-set-name (hpart:platform-create 2) 0 "name")
    (when (zero? (modulo i 1000)) (gc) (usleep 1)))) ; the thread that frees may be behind
(cycles 20000)
(define before (resident))
(cycles 100000)
(unless (< (- (resident) before) 20e6) (error "memory grew by" (- (resident) before)))

(display "all passed\n")
