(define-module (hpart)
  #:replace (strerror version))

(load-extension "hpart-guile" "SWIG_init")
(module-map (lambda (name variable) (module-export! (current-module) (list name))) (current-module))
