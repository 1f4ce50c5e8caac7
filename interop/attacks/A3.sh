# A dead entry in a folder that others can change, whose link leads to memory of the user.
mkdir -p "$W/run/uverbs0" "$W/rdma4j-uverbs-live/session"; echo 1 >"$W/run/abi_version"; echo rxe0 >"$W/run/uverbs0/ibdev"
echo data >"$W/rdma4j-uverbs-live/session/queue"; chmod 700 "$W/rdma4j-uverbs-live"
ln -s "$W/rdma4j-uverbs-live" "$W/run/uverbs0/memory"
python3 -c 'import socket,sys; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1])' "$W/run/uverbs0/control" || skipped "no python3"
list() { RDMA4J_RUN=$W/run RDMA4J_DEVICES=own=udp:127.2.$DEVICE tool ibv_devices >"$W/log" 2>&1; }
chmod 777 "$W/run"; list
[ -f "$W/rdma4j-uverbs-live/session/queue" ] || failed "listing devices deleted memory through a link"
[ -d "$W/run/uverbs0" ] || failed "listing devices changed a folder that others can change"
chmod 700 "$W/run"; list
[ -f "$W/rdma4j-uverbs-live/session/queue" ] || failed "listing devices deleted memory through a link of an own entry"
[ -d "$W/run/uverbs0" ] && failed "a dead entry of the user's own folder stays"
ok "memory behind the link of a dead entry is left alone"
