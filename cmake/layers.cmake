# Turns plumb/LAYERS into targets: a layer is an object library, and its tests link only the layers that LAYERS allows it.

# Reads LAYERS into PLUMB_LAYERS (bottom up, only those with a folder) and PLUMB_BELOW_<layer>.
function(plumb_read_layers file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} lines REGEX "^[a-z]+ *:")
  get_filename_component(root ${file} DIRECTORY)
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z]+) *:(.*)$" _ "${line}")
    set(layer ${CMAKE_MATCH_1})
    separate_arguments(below UNIX_COMMAND "${CMAKE_MATCH_2}")
    if(IS_DIRECTORY ${root}/${layer})
      list(APPEND layers ${layer})
      set(PLUMB_BELOW_${layer} ${below} PARENT_SCOPE)
    endif()
  endforeach()
  set(PLUMB_LAYERS ${layers} PARENT_SCOPE)
endfunction()

# plumb_<layer>: every source of the folder except its tests, which are in tests/CMakeLists.txt.
function(plumb_add_layer layer)
  set(folder ${PROJECT_SOURCE_DIR}/plumb/${layer})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(NOT sources)  # headers alone
    return()
  endif()
  add_library(plumb_${layer} OBJECT ${sources})
  target_link_libraries(plumb_${layer} PRIVATE plumb_flags ${PLUMB_DEPENDENCIES})
  set_target_properties(plumb_${layer} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(plumb_${layer} PRIVATE ${PLUMB_XXHASH_INCLUDE}
    $<TARGET_PROPERTY:hwy::hwy,INTERFACE_INCLUDE_DIRECTORIES>)  # Highway is used as headers only; nothing links to it
endfunction()

# The objects of a layer and of all layers that it may use.
function(plumb_layer_objects layer result)
  foreach(each IN LISTS PLUMB_BELOW_${layer} ITEMS ${layer})
    if(TARGET plumb_${each})
      list(APPEND objects $<TARGET_OBJECTS:plumb_${each}>)
    endif()
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

# plumb::plumb, the library that is installed: all layers in one.
function(plumb_add_library)
  foreach(layer IN LISTS PLUMB_LAYERS)
    if(TARGET plumb_${layer})
      list(APPEND objects $<TARGET_OBJECTS:plumb_${layer}>)
    endif()
  endforeach()
  add_library(plumb_library ${objects})
  add_library(plumb::plumb ALIAS plumb_library)
  set_target_properties(plumb_library PROPERTIES OUTPUT_NAME plumb EXPORT_NAME plumb LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_compile_features(plumb_library PUBLIC cxx_std_20)
  target_include_directories(plumb_library PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(plumb_library PUBLIC Threads::Threads PRIVATE ${PLUMB_DEPENDENCIES})
  if(PLUMB_SANITIZE)
    target_link_options(plumb_library PUBLIC $<BUILD_INTERFACE:$<TARGET_PROPERTY:plumb_flags,INTERFACE_LINK_OPTIONS>>)
  endif()
endfunction()

# plumb_library and plumb_program as another build folder has them.
function(plumb_add_prebuilt folder)
  add_library(plumb_library STATIC IMPORTED GLOBAL)
  set_target_properties(plumb_library PROPERTIES IMPORTED_LOCATION ${folder}/libplumb.a
    INTERFACE_INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR} INTERFACE_LINK_LIBRARIES "Threads::Threads;${PLUMB_DEPENDENCIES}")
  add_executable(plumb_program IMPORTED GLOBAL)
  set_target_properties(plumb_program PROPERTIES IMPORTED_LOCATION ${folder}/plumb)
endfunction()
