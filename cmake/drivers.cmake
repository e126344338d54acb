# Drivers of `plumb drive`: a shared object each, in drivers/ beside the command, with the client library of its service
# and nothing of ours. One whose library is not there is left out, and `plumb drive` says so when it is asked for.
set(DRIVERS)
function(driver name)
  add_library(driver_${name} MODULE ${PROJECT_SOURCE_DIR}/src/drivers/${name}.c)
  target_link_libraries(driver_${name} PRIVATE plumb_options ${ARGN})
  target_compile_options(driver_${name} PRIVATE -fvisibility=hidden)
  set_target_properties(driver_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/drivers)
  add_dependencies(plumb driver_${name})
  set(DRIVERS ${DRIVERS} driver_${name} PARENT_SCOPE)
endfunction()

driver(memory Threads::Threads)
driver(memcached) # speaks the text protocol itself

# driver_with(NAME header library): left out where the library is not there.
function(driver_with name header library)
  find_path(${name}_HEADER ${header} PATH_SUFFIXES postgresql)
  find_library(${name}_LIBRARY ${library})
  if(NOT ${name}_HEADER OR NOT ${name}_LIBRARY)
    message(STATUS "${header} or lib${library} is not there: driver ${name} is left out")
    return()
  endif()
  driver(${name} ${${name}_LIBRARY} ${ARGN})
  target_include_directories(driver_${name} PRIVATE ${${name}_HEADER})
  set(DRIVERS ${DRIVERS} PARENT_SCOPE)
endfunction()
driver_with(redis hiredis/hiredis.h hiredis)
driver_with(postgres libpq-fe.h pq)
driver_with(etcd curl/curl.h curl)
driver_with(zookeeper zookeeper/zookeeper.h zookeeper_mt Threads::Threads)
driver_with(nats nats/nats.h nats)

if(DRIVERS)
  install(TARGETS ${DRIVERS} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/plumbline/drivers)
endif()
