# A process of the same user truncates the files of memory that one end lends to the other; programs that poll, then programs that sleep.
# No -c: a program that reads its own truncated memory faults, whatever the library does.
for how in "" -e; do
    pair $how -s 65536 -n 100000000
    files=$(sed -n 's|.* \(/dev/shm/rdma4j-.*/memory\.[^ ]*\)$|\1|p' "/proc/$first/maps" | sort -u)
    [ -n "$files" ] || skipped "no file of memory has a name"
    for file in $files; do truncate -s 0 "$file"; done
    for end in $first $second; do await ended "$end" || failed "an end is alive 30 s later"; done
    no_fault
done
ok "both ends end: $(result first), $(result second)"
