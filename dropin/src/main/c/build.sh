#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles libibverbs.so.1 with the C compiler of this machine: build.sh JDK OUTPUT-DIRECTORY.
# Exit code 3: there is no compiler.
set -eu

jdk=$1
out=$2
here=$(cd -P -- "${0%/*}" && pwd)

compiler=${CC:-cc}
command -v "$compiler" >/dev/null || {
    echo "rdma4j: the drop-in libibverbs needs a C compiler: install one" \
        "(Debian, Ubuntu: apt-get install gcc libc6-dev)" >&2
    exit 3
}
mkdir -p "$out"
"$compiler" -std=gnu11 -O2 -fPIC -shared -fvisibility=hidden -Wall -Wextra -Werror \
    -I"$jdk/include" -I"$jdk/include/linux" \
    -Wl,-soname,libibverbs.so.1 -Wl,--version-script="$here/libibverbs.map" -Wl,--no-undefined \
    -o "$out/libibverbs.so.1.new" "$here"/*.c -ldl -lpthread
mv "$out/libibverbs.so.1.new" "$out/libibverbs.so.1" # a running program keeps the former file
