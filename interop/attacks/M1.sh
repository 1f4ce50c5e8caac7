# A message of 2^31 bytes.
[ "$(awk '/^MemAvailable/ {print $2}' /proc/meminfo)" -gt 4500000 ] || skipped "needs 4.5 GB of memory"
verdict big
ok "$detail"
