# Functions of the attacks. Sourced by run.
root=$(cd "$ATTACKS/../.." && pwd)
if [ -z "${CLASS_PATH:-}" ]; then
    built=$root/devtools/target/launcher
    [ -f "$built/jars" ] || { echo "$ID skipped: build first (./rdma4j ibv_devices), or set CLASS_PATH"; exit; }
    CLASS_PATH=$(sed "s|^|$built/lib/|" "$built/jars" | paste -sd:)
fi
read -r jdk _ <"$root/devtools/target/launcher/jdk" 2>/dev/null
jdk=${JAVA_HOME:-$jdk}
JAVA=${jdk:+$jdk/bin/}java
JAVAC=${jdk:+$jdk/bin/}javac
# An attack that goes on with mounts of its own keeps its folder.
[ -n "${MOUNTED:-}" ] || export W=$(mktemp -d /tmp/attack-XXXXXX)
# What runs as another user must be able to read it.
chmod 755 "$W"
unset XDG_RUNTIME_DIR RDMA4J_RUN RDMA4J_DEVICES
export DEVICE=$((RANDOM % 200 + 20)).$((RANDOM % 200 + 20))
own_files=()

clean() {
    local pid
    for pid in $(jobs -p); do kill -9 "$pid" 2>/dev/null; done
    wait 2>/dev/null
    [ -z "${MOUNTED:-}" ] || umount -l "$W/disk" 2>/dev/null
    rm -rf "$W" "${own_files[@]}"
}
trap clean EXIT

ok() { echo "$ID ok: $*"; exit; }
failed() { echo "$ID FAILED: $*"; exit; }
skipped() { echo "$ID skipped: $*"; exit; }
need_root() { [ "$(id -u)" = 0 ] || skipped "needs root, to become other users or to mount"; }

java_() { "$JAVA" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp "$CLASS_PATH${MORE:+:$MORE}" "$@"; }
tool() { java_ io.rdma4j.tools.Main "$@"; }

# as UID COMMAND...
as() { local uid=$1; shift; setpriv --reuid="$uid" --regid="$uid" --clear-groups "$@"; }

# Waits until a command succeeds, at most 30 s, or ${PATIENCE} s.
await() {
    local i
    for i in $(seq $((${PATIENCE:-30} * 10))); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done
    return 1
}

# serve: a server of device rxe0 in $W/run, in the background, its process in $server
serve() {
    RDMA4J_DEVICES=rxe0=udp:127.1.$DEVICE exec_java io.rdma4j.tools.Main uverbs --run="$W/run" rxe0 >"$W/server.log" 2>&1 &
    server=$!
    await test -d "$W/run/uverbs0" || failed "the server does not start: $(head -1 "$W/server.log")"
}
exec_java() { exec "$JAVA" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp "$CLASS_PATH${MORE:+:$MORE}" "$@"; }

# A program of this folder as a client of that server: client NAME ARGUMENTS...
client() {
    compile
    MORE=$W/classes RDMA4J_RUN=$W/run RDMA4J_DEVICES=own=udp:127.2.$DEVICE timeout 60 "$JAVA" -XX:+UseSerialGC \
        -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp "$CLASS_PATH:$W/classes" "$@"
}
compile() {
    [ -d "$W/classes" ] || "$JAVAC" -proc:none -nowarn -cp "$CLASS_PATH" -d "$W/classes" "$ATTACKS"/*.java || failed "the programs do not compile"
}

# The class path in a place that other users can read.
readable_class_path() {
    local part copy="" i=0
    IFS=: read -ra parts <<<"$CLASS_PATH"
    for part in "${parts[@]}"; do
        [ -e "$part" ] || continue
        i=$((i + 1)); cp -r "$part" "$W/cp$i$( [ -f "$part" ] && echo .jar)"
        copy=$copy:$W/cp$i$( [ -f "$part" ] && echo .jar)
    done
    chmod -R a+rX "$W"/cp*
    CLASS_PATH=${copy#:}
}

# verdict ARGUMENTS...: the program TwoDevices with these arguments; failed unless it ends with "fine", the rest of that line is in $detail
verdict() {
    client TwoDevices "$@" >"$W/log" 2>&1
    detail=$(tail -1 "$W/log")
    case $detail in fine*) detail=${detail#fine: } ;; *) failed "$* $detail" ;; esac
}

# pair OPTIONS...: two processes that play ping-pong, $first and $second, with their output in $W/first and $W/second
pair() {
    local port=$((RANDOM % 20000 + 30000))
    export RDMA4J_RUN=$W/run RDMA4J_WARMUP=off
    RDMA4J_DEVICES=rxe0=udp:127.1.$DEVICE exec_java -XX:ErrorFile="$W/crash" io.rdma4j.tools.Main ibv_rc_pingpong -p $port "$@" \
        >"$W/first" 2>&1 &
    first=$!
    await grep -qi ":$(printf %04X $port) .* 0A " /proc/net/tcp /proc/net/tcp6 || failed "the ping-pong does not start: $(head -1 "$W/first")"
    RDMA4J_DEVICES=rxe0=udp:127.2.$DEVICE exec_java -XX:ErrorFile="$W/crash" io.rdma4j.tools.Main ibv_rc_pingpong -p $port "$@" \
        127.0.0.1 >"$W/second" 2>&1 &
    second=$!
    await grep -q "remote address" "$W/second" || failed "the ping-pong does not connect: $(head -1 "$W/second")"
    sleep 1
}
ended() { ! kill -0 "$1" 2>/dev/null; }
# The last line of a ping-pong, addresses left out.
result() { grep -v "^ *\(local\|remote\) address\|^parse WC" "$W/$1" | tail -1; }
no_fault() {
    [ ! -e "$W/crash" ] || failed "the JVM crashed"
    ! grep -h -m1 "InternalError\|Exception in thread" "$W/first" "$W/second" >"$W/fault" || failed "$(head -1 "$W/fault")"
}
