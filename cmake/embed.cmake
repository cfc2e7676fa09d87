# cmake -DIN=FILE -DOUT=FILE.c -DNAME=NAME -P embed.cmake: the bytes of a text as a constant `svf_NAME` that ends with 0.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "extern const char svf_${NAME}[];\nconst char svf_${NAME}[] = {\n${bytes}0};\n")
