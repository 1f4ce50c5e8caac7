# Queue pairs and memory are made, connected, used and closed again and again.
verdict cycles
ok "$detail, nothing is kept"
