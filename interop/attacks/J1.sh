# A silent client of the control socket of `net run`, and a file that is no socket of a process.
mkdir -m 700 "$W/runtime"; export XDG_RUNTIME_DIR=$W/runtime
(sleep 100 | tool net run "$root/docs/examples/two-hosts.topo") >"$W/net.log" 2>&1 &
await eval "ls $W/runtime/rdma4j/net-[0-9]*" || failed "the network does not start: $(head -1 "$W/net.log")"
socket=$(ls -d "$W"/runtime/rdma4j/net-[0-9]*)
[ "$(stat -c %a "$W/runtime/rdma4j")" = 700 ] || failed "the folder has mode $(stat -c %a "$W/runtime/rdma4j")"
python3 -c 'import socket,sys,time; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); time.sleep(90)' "$socket" &
touch "$W/runtime/rdma4j/net-abc"; sleep 1
timeout 60 "$JAVA" -cp "$CLASS_PATH" io.rdma4j.tools.Main net b: ip link show >"$W/log" 2>&1
grep -q eth0 "$W/log" || failed "another client gets no answer: $(head -1 "$W/log")"
ok "another client is served, net-abc is ignored"
