# A peer WRITEs into a mapped sparse file whose disk is full; the owner of the memory sleeps, then polls.
need_root
[ -n "${MOUNTED:-}" ] || { MOUNTED=1 exec unshare -m bash -c '. ./common.sh; . "./$ID.sh"'; }
mkdir "$W/disk"; mount -t tmpfs -o size=1m tmpfs "$W/disk" || skipped "cannot mount"
verdict disk "$W/disk/one" sleep
rm "$W/disk/one"
verdict disk "$W/disk/two" poll
ok "the WRITE fails ($detail), a new connection works"
