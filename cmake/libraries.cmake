# What each library contains. A process loads only what its job needs:
#
#     libplumbline-record    in a program that records          no C++, nothing but the C library, never exits
#     libplumbline           in a program that checks, monitors, verifies or guards; it can record as well
#     libplumbline-explore   in a program whose interleavings `plumb explore` tries: the explorer's inside
#     plumb                  all of the above, and the explorer's outside
#
# The recorder has no state outside the handles that it gives out (tests/house/test_libraries.sh), so a process with
# both libplumbline-record and libplumbline has no second copy of anything. A new file of a room is picked up by itself.

# How stacks are switched, in the explorer's inside.
set(SWITCH_C ${PROJECT_SOURCE_DIR}/src/explore/inside/switch_x86_64.c)
if(PLUMB_ARM64)
  set(SWITCH_C ${PROJECT_SOURCE_DIR}/src/explore/inside/switch_aarch64.c)
endif()

# rooms(NAME room...): the object library plumb_NAME, made from the files that stand in src/room.
function(rooms name)
  set(sources)
  foreach(room ${ARGN})
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.c)
    list(APPEND sources ${files})
  endforeach()
  list(FILTER sources EXCLUDE REGEX "/engine/symbolic/cnf\\.c$")
  list(FILTER sources EXCLUDE REGEX "/explore/inside/switch_.*\\.c$") # one for each processor
  if(NOT PLUMB_X86_64)
    list(FILTER sources EXCLUDE REGEX "/explore/inside/assembly\\.c$") # hooks of inline assembly
  endif()
  object_library(${name} ${sources})
  set_property(GLOBAL APPEND PROPERTY PLUMB_ROOMS ${ARGN})
endfunction()

# Functions have sections of their own, so that the linker leaves out those that a library cannot reach.
function(object_library name)
  add_library(plumb_${name} OBJECT ${ARGN})
  target_link_libraries(plumb_${name} PRIVATE plumb_options)
  target_compile_options(plumb_${name} PRIVATE -fvisibility=hidden -ffunction-sections -fdata-sections)
endfunction()

rooms(values base history object)
rooms(recorder runtime/record)
rooms(engines theory engine engine/general engine/linear engine/quasi engine/symbolic engine/saturate)
rooms(checking format evidence monitor runtime remote report api)
# What they allocate belongs to the public call that runs, which ends when memory does: src/base/pool.h.
foreach(name values engines checking)
  target_compile_definitions(plumb_${name} PRIVATE free=mem_free)
endforeach()
rooms(exploring observe explore/model explore/graph explore/reduction explore/strategy explore/campaign)
rooms(inside explore/inside)
target_sources(plumb_inside PRIVATE ${SWITCH_C})
# The same for programs with many threads, whose clocks are longer (src/explore/model/step.h).
rooms(exploring_many observe explore/model explore/graph explore/reduction explore/strategy explore/campaign)
rooms(inside_many explore/inside)
target_sources(plumb_inside_many PRIVATE ${SWITCH_C})
foreach(name exploring_many inside_many)
  target_compile_definitions(plumb_${name} PRIVATE PLUMB_MANY_THREADS)
  target_compile_options(plumb_${name} PRIVATE -Wno-psabi) # a row of clocks is wider than the machine's vectors
endforeach()
if(NOT PLUMB_EXPLORER OR PLUMB_SANITIZE) # with sanitizers there is no libplumbline-explore: see below
  set_target_properties(plumb_inside plumb_inside_many plumb_exploring_many PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
rooms(outside generate explore/outside)
rooms(compile explore/compile) # `plumb cc`
rooms(driving drive) # `plumb drive`
rooms(scaling scale) # `plumb worker`, --cluster
rooms(cli cli)

# A room that is new has to be put into one of them.
get_property(known GLOBAL PROPERTY PLUMB_ROOMS)
file(GLOB_RECURSE all RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
foreach(file ${all})
  get_filename_component(room ${file} DIRECTORY)
  if(NOT room IN_LIST known AND NOT room STREQUAL drivers AND NOT room STREQUAL transports)
    message(FATAL_ERROR "src/${room} is in no library: cmake/libraries.cmake")
  endif()
endforeach()

target_sources(plumb_engines PRIVATE ${THEORIES_C})
target_sources(plumb_outside PRIVATE ${TEMPLATES_C} ${PAGE_C})

# The SAT solver is C++. `plumb check` and plumb_check() may come to ask it; the few operations of an explored execution
# do not need it, and the process under test is spared libstdc++.
object_library(solver ${PROJECT_SOURCE_DIR}/src/engine/symbolic/cnf.c)
object_library(no_solver ${PROJECT_SOURCE_DIR}/src/engine/symbolic/cnf.c)
target_compile_definitions(plumb_solver PRIVATE free=mem_free)
target_compile_definitions(plumb_no_solver PRIVATE free=mem_free)
if(CADICAL_LIBRARIES)
  target_compile_definitions(plumb_solver PRIVATE PLUMB_CADICAL)
  if(CMAKE_CXX_COMPILER) # memory that runs out in the solver must not end the program
    target_sources(plumb_solver PRIVATE ${PROJECT_SOURCE_DIR}/src/engine/symbolic/solver_try.cc)
    target_compile_definitions(plumb_solver PRIVATE PLUMB_CXX)
    target_compile_options(plumb_solver PRIVATE -funwind-tables)
    target_compile_options(plumb_engines PRIVATE -funwind-tables) # through which the exception goes
  endif()
  target_include_directories(plumb_solver PRIVATE ${CADICAL_INCLUDE})
endif()

target_include_directories(plumb_checking PRIVATE $<TARGET_PROPERTY:PkgConfig::ZSTD,INTERFACE_INCLUDE_DIRECTORIES>)
set(CHECKING_LIBRARIES ZLIB::ZLIB PkgConfig::ZSTD ${CADICAL_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS} m)
set(COMMAND_LIBRARIES ${CHECKING_LIBRARIES})
if(DW_FOUND)
  target_compile_definitions(plumb_outside PRIVATE PLUMB_DWARF)
  target_link_libraries(plumb_outside PRIVATE PkgConfig::DW)
  list(APPEND COMMAND_LIBRARIES PkgConfig::DW)
endif()
if(PLUMB_DECODE AND CAPSTONE_FOUND AND PLUMB_X86_64)
  target_link_libraries(plumb_compile PRIVATE PkgConfig::CAPSTONE)
  target_compile_definitions(plumb_compile PRIVATE PLUMB_CAPSTONE)
  list(APPEND COMMAND_LIBRARIES PkgConfig::CAPSTONE)
endif()
target_compile_definitions(plumb_compile PRIVATE PLUMB_LIBDIR="${LIBDIR_FROM_PREFIX}")
set(INSIDE_DIR ${PROJECT_SOURCE_DIR}/src/explore/inside)
set_source_files_properties(${INSIDE_DIR}/once.c ${INSIDE_DIR}/record.c
  PROPERTIES COMPILE_OPTIONS -fexceptions)

# Names, aliases, parameters and methods of the built-in objects, without what they do: a recorder needs no more.
add_executable(object_names ${PROJECT_SOURCE_DIR}/cmake/object_names.c $<TARGET_OBJECTS:plumb_values>)
target_link_libraries(object_names PRIVATE plumb_options Threads::Threads ${CMAKE_DL_LIBS})
set(OBJECT_NAMES_C ${PROJECT_BINARY_DIR}/object_names_only.c)
add_custom_command(OUTPUT ${OBJECT_NAMES_C} COMMAND object_names > ${OBJECT_NAMES_C} DEPENDS object_names VERBATIM)
set(BASE_DIR ${PROJECT_SOURCE_DIR}/src/base)
object_library(object_names_only ${OBJECT_NAMES_C} ${PROJECT_SOURCE_DIR}/src/object/registry.c ${BASE_DIR}/error.c
  ${BASE_DIR}/printable.c ${BASE_DIR}/utf8.c ${BASE_DIR}/words.c)

# shared(TARGET NAME part...): the library NAME, and beside it NAME.map, which says what the linker took and from where.
function(shared target name)
  add_library(${target} SHARED)
  foreach(part ${ARGN})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:plumb_${part}>)
  endforeach()
  target_link_libraries(${target} PRIVATE plumb_options)
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_options(${target} PRIVATE -Wl,--gc-sections -Wl,--as-needed -Wl,-Map=${PROJECT_BINARY_DIR}/lib${name}.map
    -Wl,--exclude-libs,ALL) # what static libraries export is not ours
  if(NOT PLUMB_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION 0)
endfunction()

# Names have the version whose promise they are under (CONTRIBUTING.md, ABI). It is the same in both libraries: what both
# have is one thing in a process that has both. The explorer's library has none: it stands in for the C library's names,
# which programs ask for under other versions, and belongs to one `plumb` anyhow.
set(SYMBOL_VERSION PLUMBLINE_${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/symbols.ver CONTENT "@SYMBOL_VERSION@ { global: plumb_*; local: *; };\n" @ONLY)
function(versioned target)
  target_link_options(${target} PRIVATE -Wl,--version-script=${PROJECT_BINARY_DIR}/symbols.ver)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${PROJECT_BINARY_DIR}/symbols.ver)
endfunction()

shared(plumbline_record plumbline-record recorder object_names_only)
versioned(plumbline_record)
set_target_properties(plumbline_record PROPERTIES EXPORT_NAME record)
shared(plumbline plumbline values recorder engines solver checking)
versioned(plumbline)
target_link_libraries(plumbline PRIVATE ${CHECKING_LIBRARIES})

# The explorer's inside defines what compilers call (__tsan_*), malloc and pthreads: sanitizers want the same names.
if(PLUMB_EXPLORER AND NOT PLUMB_SANITIZE)
  shared(plumbline_explore plumbline-explore values engines no_solver exploring inside)
  target_link_libraries(plumbline_explore PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
  set_target_properties(plumbline_explore PROPERTIES EXPORT_NAME explore)
  # Loaded before the other by `plumb explore`, under the same name, so that it stands in for it.
  shared(plumbline_explore_many plumbline-explore-many values engines no_solver exploring_many inside_many)
  target_link_libraries(plumbline_explore_many PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
  target_link_options(plumbline_explore_many PRIVATE -Wl,-soname,libplumbline-explore.so.0)
  set_target_properties(plumbline_explore_many PROPERTIES OUTPUT_NAME plumbline-explore NO_SONAME ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plumbline-many)
  set_property(TARGET plumbline_explore_many PROPERTY VERSION)
  set_property(TARGET plumbline_explore_many PROPERTY SOVERSION)
endif()

# All rooms but the command line and the explorer's inside, for tests, benchmarks and fuzzers.
add_library(plumb_house STATIC)
foreach(part values recorder engines solver checking exploring outside compile driving scaling)
  target_sources(plumb_house PRIVATE $<TARGET_OBJECTS:plumb_${part}>)
endforeach()
target_link_libraries(plumb_house PUBLIC plumb_options ${COMMAND_LIBRARIES})
set_target_properties(plumb_house PROPERTIES LINKER_LANGUAGE C)

add_executable(plumb $<TARGET_OBJECTS:plumb_cli>)
foreach(part values recorder engines solver checking exploring outside compile driving scaling)
  target_sources(plumb PRIVATE $<TARGET_OBJECTS:plumb_${part}>)
endforeach()
target_link_libraries(plumb PRIVATE plumb_options ${COMMAND_LIBRARIES})
set_target_properties(plumb PROPERTIES ENABLE_EXPORTS ON LINKER_LANGUAGE C)
