# cmake -DPLUMB=... -DSCDOC=... -DPAGE=x.1.scd -DOUT=x.1 -P manual_page.cmake
file(READ ${PAGE} page)
string(REGEX MATCH "@OPTIONS ([a-z-]+)@" place "${page}")
if(place)
  execute_process(COMMAND ${PLUMB} --dump-options man ${CMAKE_MATCH_1} OUTPUT_VARIABLE options COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "${place}" "${options}" page "${page}")
endif()
file(WRITE ${OUT}.scd "${page}")
execute_process(COMMAND ${SCDOC} INPUT_FILE ${OUT}.scd OUTPUT_FILE ${OUT} COMMAND_ERROR_IS_FATAL ANY)
