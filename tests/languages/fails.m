% The call fails with this identifier, and with a message that has the pattern.
function fails (identifier, pattern, call, varargin)
  try
    call (varargin{:});
  catch caught
    assert (caught.identifier, identifier);
    assert (! isempty (regexp (caught.message, pattern, "once")), caught.message);
    return;
  end_try_catch
  error ("no error; expected: %s", pattern);
endfunction
