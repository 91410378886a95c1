; Two processors whose time is known at four sizes: who gets how much of 12 units, so that the work is done first?
(use-modules ((hpart) #:prefix hpart:) (ice-9 receive))

(define platform (hpart:platform-create 2))
(hpart:platform-set-time-function platform 0 '(2 4 8 10) '(1.0 2.0 5.0 7.0))
(hpart:platform-set-time-function platform 1 '(2 4 8 10) '(2.0 2.1 2.5 6.0))
(receive (x seconds) (hpart:partition-time platform 12)
  (format #t "CPU ~a, GPU ~a: ~a s\n" (car x) (cadr x) seconds))    ; CPU 4, GPU 8: 2.5 s
