# src/observe/templates/*.in become strings in the program: what `plumb export-monitor` fills in.
file(GLOB TEMPLATES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/observe/templates/*.in)
set(TEMPLATES_C ${PROJECT_BINARY_DIR}/templates.c)
add_custom_command(OUTPUT ${TEMPLATES_C}
  COMMAND ${CMAKE_COMMAND} -DOUT=${TEMPLATES_C} "-DFILES=${TEMPLATES}" -DHEADER=observe/export.h "-DLIST=const template_file monitor_templates" -P ${PROJECT_SOURCE_DIR}/cmake/files_embed.cmake
  DEPENDS ${TEMPLATES} ${PROJECT_SOURCE_DIR}/cmake/files_embed.cmake ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
