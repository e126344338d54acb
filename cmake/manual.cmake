# Manual pages (scdoc) and completion for shells. The option lists come from the command's own tables: a page says @OPTIONS check@
# where the options of `plumb check` belong, and `plumb --dump-options` fills it in.
find_program(SCDOC scdoc)
file(GLOB PAGES CONFIGURE_DEPENDS man/*.scd)
set(MANUAL_PAGES)
set(GENERATED ${PROJECT_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${GENERATED})

# A sanitizer's build would only make the same pages again, slowly.
if(NOT PLUMB_SANITIZE)
  set(COMPLETION)
  foreach(shell bash zsh fish)
    add_custom_command(OUTPUT ${GENERATED}/plumb.${shell}
      COMMAND plumb --dump-options ${shell} > ${GENERATED}/plumb.${shell}
      DEPENDS plumb VERBATIM)
    list(APPEND COMPLETION ${GENERATED}/plumb.${shell})
  endforeach()
  if(SCDOC)
    foreach(page ${PAGES})
      get_filename_component(name ${page} NAME_WLE)
      add_custom_command(OUTPUT ${GENERATED}/${name}
        COMMAND ${CMAKE_COMMAND} -DPLUMB=$<TARGET_FILE:plumb> -DSCDOC=${SCDOC} -DPAGE=${page} -DOUT=${GENERATED}/${name}
                -P ${PROJECT_SOURCE_DIR}/cmake/manual_page.cmake
        DEPENDS plumb ${page} ${PROJECT_SOURCE_DIR}/cmake/manual_page.cmake VERBATIM)
      list(APPEND MANUAL_PAGES ${GENERATED}/${name})
    endforeach()
  else()
    message(STATUS "scdoc is not there: the manual pages are left out")
  endif()
  add_custom_target(manual ALL DEPENDS ${MANUAL_PAGES} ${COMPLETION})
endif()
