# /dev/shm of 6 MiB fills up after queues were made.
need_root
[ -n "${MOUNTED:-}" ] || { MOUNTED=1 exec unshare -m bash -c '. ./common.sh; . "./$ID.sh"'; }
mount -t tmpfs -o size=6m tmpfs /dev/shm || skipped "cannot mount"
serve
client Victim full >"$W/log" 2>&1
grep -q "^full: ENOMEM" "$W/log" || failed "no ENOMEM: $(tail -1 "$W/log")"
grep -q "^after: fine" "$W/log" || failed "$(tail -1 "$W/log")"
ok "ENOMEM when memory is asked for, queues work on"
