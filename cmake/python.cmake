# What goes into the Python package: the library under a plain name, without a version, beside the modules; the command, which
# finds it there; and the type stub that its tables give.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set_target_properties(svforest PROPERTIES NO_SONAME ON VERSION "" SOVERSION "")
add_custom_command(OUTPUT __init__.pyi COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/python/stubs.py
                   $<TARGET_FILE:svforest> __init__.pyi
                   DEPENDS svforest python/stubs.py python/svforest/_tables.py python/svforest/_keywords.py VERBATIM)
add_custom_target(svforest_python ALL DEPENDS __init__.pyi)
install(FILES $<TARGET_FILE:svforest> DESTINATION svforest RENAME libsvforest${CMAKE_SHARED_LIBRARY_SUFFIX})
set_target_properties(svforest_command PROPERTIES INSTALL_RPATH "$ORIGIN/..")
install(TARGETS svforest_command RUNTIME DESTINATION svforest/bin)
install(FILES ${PROJECT_BINARY_DIR}/__init__.pyi DESTINATION svforest)
