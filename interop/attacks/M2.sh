# 10^7 messages (what 16 s suffice for), by shared memory and by UDP.
verdict many on
on=$detail
verdict many off
ok "memory stays: $on by shared memory, $detail by UDP"
