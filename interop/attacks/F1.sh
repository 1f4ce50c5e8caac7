# What a session has cannot be deleted; then the client ends and the server is told to end.
serve
mkfifo "$W/go"; exec 3<>"$W/go"
client Victim wait <"$W/go" >"$W/log" 2>&1 &
await grep -q ready "$W/log" || failed "the client does not start: $(tail -1 "$W/log")"
for queue in "$(readlink "$W/run/uverbs0/memory")"/session*/queue*; do rm "$queue"; mkdir "$queue"; touch "$queue/x"; done
echo >&3 # the client ends without closing anything
sleep 3
kill "$server"
for i in $(seq 100); do kill -0 "$server" 2>/dev/null || ok "the server ends"; sleep 0.1; done
failed "the server is alive 10 s after SIGTERM"
