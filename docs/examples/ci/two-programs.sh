#!/bin/sh
# Two programs exchange messages on the loopback device of rdma4j: first both in C, then one of them in Java.
# Needs rdma4j and ibv_rc_pingpong on the PATH. Exit code 0 if all messages arrived.
set -eu

# Starts the words before "--" as server, and those behind it as client until the server listens.
pair() {
    server=
    while [ "$1" != -- ]; do
        server="$server $1"
        shift
    done
    shift
    $server &
    pid=$!
    until "$@" 127.0.0.1; do
        kill -0 "$pid" || exit 1
        sleep 1
    done
    wait "$pid"
}

c="rdma4j run ibv_rc_pingpong -d rxe_lo -g 0 -c"
java="rdma4j ibv_rc_pingpong -d rxe_lo -c"

rdma4j run ibv_devinfo -d rxe_lo
# shellcheck disable=SC2086 # words
pair $c -- $c
# shellcheck disable=SC2086
pair $c -- $java
