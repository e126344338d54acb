# theories/*.thy become strings in the program, so that an installed command needs no files beside it.
file(GLOB THEORIES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/theories/*.thy)
set(THEORIES_C ${PROJECT_BINARY_DIR}/theories.c)
add_custom_command(OUTPUT ${THEORIES_C}
  COMMAND ${CMAKE_COMMAND} -DOUT=${THEORIES_C} "-DFILES=${THEORIES}" -DHEADER=theory/shipped.h "-DLIST=const theory_file shipped_theories" -P ${PROJECT_SOURCE_DIR}/cmake/files_embed.cmake
  DEPENDS ${THEORIES} ${PROJECT_SOURCE_DIR}/cmake/files_embed.cmake ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
