# What `--cluster` is carried by: a shared object each, in transports/ beside the command, loaded on use, with the client
# library and nothing of ours but one header. Left out where the library is not there; the command says so when it is asked for.
if(nats_HEADER AND nats_LIBRARY)
  add_library(transport_nats MODULE ${PROJECT_SOURCE_DIR}/src/transports/nats.c)
  target_link_libraries(transport_nats PRIVATE plumb_options ${nats_LIBRARY})
  target_include_directories(transport_nats PRIVATE ${nats_HEADER})
  target_compile_options(transport_nats PRIVATE -fvisibility=hidden)
  set_target_properties(transport_nats PROPERTIES PREFIX "" OUTPUT_NAME nats
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/transports)
  add_dependencies(plumb transport_nats)
  install(TARGETS transport_nats LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/plumbline/transports)
endif()
