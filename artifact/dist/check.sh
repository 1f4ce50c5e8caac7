#!/bin/sh
# Unpacks an archive of "./rdma4j dist" and runs its tools without JDK, Maven and settings: check.sh ARCHIVE
set -eu

archive=$1
scratch=$(mktemp -d)
server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || :
    rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

fail() {
    printf 'check: %s\n' "$@" >&2
    exit 1
}

# Runs a program of the archive from another directory, with nothing of the caller's environment.
bare() {
    (cd / && exec env -i PATH=/usr/bin:/bin HOME="$scratch" RDMA4J_RUN="$scratch/run" "$@")
}

tar -xzf "$archive" -C "$scratch"
bin=$(echo "$scratch"/*/bin)

bare "$bin/ibv_devices" >"$scratch/devices" || fail "ibv_devices has failed"
grep -q 'rxe_lo' "$scratch/devices" || fail "ibv_devices does not list rxe_lo:" "$(cat "$scratch/devices")"
bare "$bin/rdma4j" --version >"$scratch/version" || fail "rdma4j --version has failed"

# A program in C, if the archive has the library for such programs.
library=$(echo "$scratch"/*/libibverbs.so.1)
if [ -f "$library" ]; then
    cat >"$scratch/devices.c" <<'END'
#include <stdio.h>
struct ibv_device;
struct ibv_device **ibv_get_device_list(int *);
const char *ibv_get_device_name(struct ibv_device *);
int main(void)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    while (list && *list)
        puts(ibv_get_device_name(*list++));
    return 0;
}
END
    ${CC:-cc} -o "$scratch/program" "$scratch/devices.c" "$library" || fail "a program cannot be linked with $library"
    bare "$bin/rdma4j" run "$scratch/program" >"$scratch/listed" 2>&1 || fail "rdma4j run has failed:" "$(cat "$scratch/listed")"
    grep -qx rxe_lo "$scratch/listed" || fail "rdma4j run lists no rxe_lo:" "$(cat "$scratch/listed")"
fi

port=$((20000 + $$ % 20000))
bare "$bin/ibv_rc_pingpong" -d rxe_lo -c -p "$port" >"$scratch/server" 2>&1 &
server=$!
tries=0
until bare "$bin/ibv_rc_pingpong" -d rxe_lo -c -p "$port" 127.0.0.1 >"$scratch/client" 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 20 ] && kill -0 "$server" 2>/dev/null || fail "ibv_rc_pingpong has failed:" "$(cat "$scratch/client" "$scratch/server")"
    sleep 1
done
wait "$server" || fail "the server of ibv_rc_pingpong has failed:" "$(cat "$scratch/server")"
server=
grep -q 'usec/iter' "$scratch/client" || fail "ibv_rc_pingpong prints no result:" "$(cat "$scratch/client")"
