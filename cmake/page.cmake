# src/report/page/ becomes strings in the program: the template, the style, and the scripts as one, with their hashes.
# The order of the scripts is the order in which they need each other.
set(PAGE_DIR ${PROJECT_SOURCE_DIR}/src/report/page)
set(PAGE_SCRIPTS)
foreach(name columns history search lanes axis canvas minimap details core interleaving input main)
  list(APPEND PAGE_SCRIPTS ${PAGE_DIR}/${name}.js)
endforeach()
set(PAGE_C ${PROJECT_BINARY_DIR}/page.c)
add_custom_command(OUTPUT ${PAGE_C}
  COMMAND ${CMAKE_COMMAND} -DOUT=${PAGE_C} -DPAGE=${PAGE_DIR}/page.html -DSTYLE=${PAGE_DIR}/style.css "-DSCRIPTS=${PAGE_SCRIPTS}"
          -P ${PROJECT_SOURCE_DIR}/cmake/page_embed.cmake
  DEPENDS ${PAGE_SCRIPTS} ${PAGE_DIR}/page.html ${PAGE_DIR}/style.css ${PROJECT_SOURCE_DIR}/cmake/page_embed.cmake
          ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
