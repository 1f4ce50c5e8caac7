# More connections than the server may have files.
ulimit -n 150
serve
python3 - "$W/run/uverbs0/control" <<'P' || skipped "no python3"
import socket, sys, time
held, refused = [], 0
while len(held) < 140 and refused < 20:
    s = socket.socket(socket.AF_UNIX)
    s.setblocking(False)
    try:
        s.connect(sys.argv[1])
        held.append(s)
    except BlockingIOError:
        refused += 1
        time.sleep(.1)
time.sleep(2)
P
RDMA4J_RUN=$W/run RDMA4J_DEVICES=own=udp:127.2.$DEVICE tool ibv_devinfo -d rxe0 >"$W/log" 2>&1 &
await eval "! kill -0 $!" || failed "a new client hangs"
grep -q "state:" "$W/log" || failed "$(head -1 "$W/log")"
ok "the server accepts clients again"
