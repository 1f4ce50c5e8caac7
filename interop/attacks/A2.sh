# Another user serves a device in a run directory that the victim (uid 5) is told to use, and in one of the victim's own.
need_root
readable_class_path
mkdir -m 755 "$W/evil"; chown 65534 "$W/evil"
RDMA4J_DEVICES=rxe0=udp:127.1.$DEVICE setpriv --reuid=65534 --regid=65534 --clear-groups "$JAVA" -XX:+UseSerialGC -cp "$CLASS_PATH" \
    io.rdma4j.tools.Main uverbs --run="$W/evil/run" rxe0 >"$W/server.log" 2>&1 &
await test -S "$W/evil/run/uverbs0/control" || failed "the attacker's server does not start: $(head -1 "$W/server.log")"
chmod -R a+rwX "$W/evil"
victim() { RDMA4J_RUN=$1 RDMA4J_DEVICES=own=udp:127.2.$DEVICE timeout 60 setpriv --reuid=5 --regid=60 --clear-groups "$JAVA" -cp "$CLASS_PATH" io.rdma4j.tools.Main "${@:2}" 2>&1; }
victim "$W/evil/run" ibv_devices >"$W/log"
grep -q rxe0 "$W/log" && failed "the attacker's device is listed"
grep -q "lies in\|belongs to uid 65534" "$W/log" || failed "no warning: $(head -1 "$W/log")"
# The entry is in a private folder, its socket is the attacker's: as if an entry had been moved there by root.
mkdir -m 700 "$W/own"; cp "$W/evil/run/abi_version" "$W/own"; cp -r --no-dereference "$W/evil/run/uverbs0" "$W/own" 2>/dev/null
rm -f "$W/own/uverbs0/control"; ln -s "$W/evil/run/uverbs0/control" "$W/own/uverbs0/control"; chown -Rh 5 "$W/own"
victim "$W/own" ibv_devinfo -d rxe0 >"$W/log2"
grep -q "state:" "$W/log2" && failed "the victim uses the attacker's server"
grep -q "EACCES" "$W/log2" || failed "no refusal: $(head -1 "$W/log2")"
ok "not listed, and the socket of user $(getent passwd 65534 | cut -d: -f1) is refused"
