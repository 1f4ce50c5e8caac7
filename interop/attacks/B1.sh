# A thread with its interrupt flag set uses a served device.
serve
client Victim interrupted >"$W/log" 2>&1
grep -q "^after: fine" "$W/log" || failed "$(tail -1 "$W/log")"
ok "the context survives, the flag is kept"
