# kill -9 of one end of a connection, then of the other.
for victim in first second; do
    pair -n 100000000
    other=$([ $victim = first ] && echo second || echo first)
    kill -9 "${!victim}"
    await ended "${!other}" || failed "the other end is alive 30 s later"
    no_fault
    result $other | grep -q "[Ff]ailed\|ERR" || failed "no error: $(result $other)"
done
ok "the other end fails: $(result $other)"
