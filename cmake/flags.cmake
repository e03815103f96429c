# Compiler flags of every file of this project; none of them reach a project that uses plumb.
add_library(plumb_flags INTERFACE)
target_compile_features(plumb_flags INTERFACE cxx_std_20)
target_compile_options(plumb_flags INTERFACE
  -Wall -Wextra -Wconversion
  -ffp-contract=off            # a fused multiply-add is written as one, never made by the compiler: same bits everywhere
  -fvisibility=hidden -fvisibility-inlines-hidden)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms on std::string + (GCC bug 105651) and on std::variant moved into a vector.
  target_compile_options(plumb_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(plumb_flags INTERFACE -Wno-subobject-linkage)  # of a class with a member from its file's own namespace
endif()
if(PLUMB_WERROR)
  target_compile_options(plumb_flags INTERFACE -Werror)
endif()
target_include_directories(plumb_flags INTERFACE ${PROJECT_SOURCE_DIR})

if(PLUMB_SANITIZE STREQUAL "address")
  # Checks that find more than the address sanitizer. The rest of `undefined` checks before every use of a pointer whether it is null, aligned, or
  # went round the end of memory, which takes a third of the build: PLUMB_FULL, of ./run test --full and ./run fuzz, has those too.
  if(PLUMB_FULL)
    set(sanitize -fsanitize=address,undefined -fno-sanitize=null,object-size,vptr)
  else()
    set(sanitize -fsanitize=address,signed-integer-overflow,shift,bounds,float-cast-overflow,integer-divide-by-zero,enum,bool,unreachable,return,vla-bound,builtin)
  endif()
  list(APPEND sanitize -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(PLUMB_SANITIZE STREQUAL "thread")
  set(sanitize -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT PLUMB_SANITIZE STREQUAL "")
  message(FATAL_ERROR "PLUMB_SANITIZE is \"${PLUMB_SANITIZE}\"; it may be address, thread or empty")
endif()
if(PLUMB_FUZZ)
  list(APPEND sanitize -fsanitize=fuzzer-no-link)
endif()
target_compile_options(plumb_flags INTERFACE ${sanitize})
target_link_options(plumb_flags INTERFACE ${sanitize})

# The kernels are all inlined lanes; scope checks of each would make this one file compile for minutes. AVX-512 has the code of AVX2 in
# other registers: the release build tests it.
if(PLUMB_SANITIZE)
  target_compile_definitions(plumb_flags INTERFACE PLUMB_WITHOUT_AVX512)
endif()
if(PLUMB_SANITIZE STREQUAL "address")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/plumb/math/kernels.cpp PROPERTIES
    COMPILE_OPTIONS -fno-sanitize-address-use-after-scope)
endif()

# xxHash must be inlined, which -Og does not do.
if(PLUMB_SANITIZE)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/plumb/base/digest.cpp PROPERTIES COMPILE_OPTIONS -O1)
endif()
