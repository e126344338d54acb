# The bytes of a file as the initializer of a C array of char, with a NUL behind them.
function(embed_bytes path out)
  file(READ ${path} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  set(${out} "{${bytes}0}" PARENT_SCOPE)
endfunction()
