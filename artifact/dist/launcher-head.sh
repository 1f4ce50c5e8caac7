#!/bin/sh
# Starts a tool of this archive: bin/rdma4j TOOL [ARGUMENT...], or a link with the name of the tool.
set -u

self=$0
case $self in */*) ;; *) self=$(command -v -- "$self") ;; esac
name=${self##*/}
self=$(readlink -f -- "$self") || exit 1
root=$(cd -P -- "${self%/*}/.." && pwd) || exit 1
[ "$name" = rdma4j ] || set -- "$name" "$@"
jdk=$root/runtime
run=$root

# The caches were made with this runtime and these jars. The JVM itself ignores a cache that does not fit.
trained() { :; }

