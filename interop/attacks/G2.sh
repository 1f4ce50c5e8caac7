# Datagrams of junk during a ping-pong: random bytes, one byte, none, and RoCE packets of queue pairs that are not theirs, with the right ICRC.
pair -c -s 64 -n 40000
timeout 50 python3 - "127.1.$DEVICE" "127.3.$DEVICE" "$second" <<'P' >"$W/log" 2>&1 || skipped "no python3: $(tail -1 "$W/log")"
import os, random, socket, struct, sys, time, zlib
random.seed(1)
to, own = sys.argv[1], sys.argv[2]
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, 10, 2)  # IP_MTU_DISCOVER: DO, the identification is 0
s.bind((own, 0))
def roce():
    bth = struct.pack('>BBHII', random.randrange(32), 64, 0xFFFF, 0xFF000000 | random.getrandbits(24), random.getrandbits(32))
    rest = random.randbytes(16 + 4 * random.randrange(16))
    udp = 8 + len(bth + rest) + 4
    ip = struct.pack('>BBHHHBBH', 0x45, 255, 20 + udp, 0, 0x4000, 255, 17, 0xFFFF) + socket.inet_aton(own) + socket.inet_aton(to)
    ports = struct.pack('>HHHH', s.getsockname()[1], 4791, udp, 0xFFFF)
    crc = zlib.crc32(b'\xff' * 8 + ip + ports + bth[:4] + b'\xff' + bth[5:] + rest)
    return bth + rest + struct.pack('<I', crc)
end = time.time() + 15
while time.time() < end and os.path.exists(f'/proc/{sys.argv[3]}/exe'):
    for _ in range(64):
        s.sendto(random.choice((roce, lambda: random.randbytes(random.randrange(2, 1400)), lambda: b'x', lambda: b''))(), (to, 4791))
    time.sleep(.002)
P
for end in $first $second; do PATIENCE=100 await ended "$end" || failed "the ping-pong does not end"; done
no_fault
for end in $first $second; do wait "$end" || failed "$(result first), $(result second)"; done
ok "the ping-pong goes on: $(result second)"
