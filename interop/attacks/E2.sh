# A process of the same user writes garbage into the rings of two processes.
need_root
pair -c -s 64 -n 1000000
timeout 20 python3 - "$first" <<'P' >"$W/log" 2>&1 || skipped "no access to the rings: $(tail -1 "$W/log")"
import os, random, re, sys, time
random.seed(1)
lines = [l for l in open(f'/proc/{sys.argv[1]}/maps') if re.search(r'rw-s .*rdma4j-\S*memory\..*\(deleted\)', l)]
rings = [[int(x, 16) for x in l.split()[0].split('-')] for l in lines]
assert rings, 'no ring'
memory = os.open(f'/proc/{sys.argv[1]}/mem', os.O_WRONLY)
end, writes = time.time() + 3, 0
while time.time() < end:
    start, stop = random.choice(rings)
    half = start + random.randrange(2) * (stop - start) // 2
    where = half + 4 * random.randrange(64 if random.random() < .3 else (stop - start) // 8)
    word = random.choice((0, 1, 2**31, 2**32 - 1, random.getrandbits(12), random.getrandbits(32)))
    try:
        os.pwrite(memory, word.to_bytes(4, 'little'), where)
    except OSError:  # The process has cut its peer off, or has ended.
        break
    writes += 1
assert writes, 'no write'
print(writes)
P
# After the channel is cut off, the rest of the messages goes by sockets.
for end in $first $second; do PATIENCE=120 await ended "$end" || failed "an end is alive 120 s later"; done
no_fault
ok "$(tail -1 "$W/log") words, no crash, no hang: $(result first), $(result second)"
