# SIGSTOP of a peer for 5 s: a connection by connect() survives, one with timeout 14 and 7 retries does not.
compile
mkfifo "$W/to" "$W/from"
peer() { MORE=$W/classes exec_java TwoDevices "$@"; }
peer send <"$W/from" >"$W/to" 2>"$W/sender" & sender=$!
peer receive >"$W/from" <"$W/to" 2>"$W/receiver" & receiver=$!
await grep -q connected "$W/sender" || failed "no connection: $(tail -1 "$W/sender")"
sleep 1; kill -STOP $receiver; sleep 5; kill -CONT $receiver
await ended $sender || failed "the sender hangs"
grep -q "^fine" "$W/sender" || failed "connect's defaults: $(tail -1 "$W/sender")"
kill -9 $receiver
pair -n 100000000
kill -STOP $first; sleep 5; kill -CONT $first
await ended $second || failed "the ping-pong with timeout 14 hangs"
no_fault
result second | grep -q "[Ff]ailed\|ERR" || failed "no error: $(result second)"
ok "connect's defaults survive ($(sed -n 's/^fine: //p' "$W/sender")), 14/7 ends: $(result second)"
