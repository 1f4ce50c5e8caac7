# A client truncates its memory, and a peer writes there.
serve
client Victim truncate >"$W/log" 2>&1
grep -q "^ended: \(fine\|EIO\)" "$W/log" || failed "$(tail -1 "$W/log")"
kill -0 "$server" 2>/dev/null || failed "the server has died"
ok "the client gets an answer ($(sed -n 's/^ended: //p' "$W/log"))"
