# Another user makes the default run directory of the victim (uid 5), with abi_version as a link to a file of the victim.
need_root
readable_class_path
name=$(getent passwd 5 | cut -d: -f1); folder=/tmp/rdma4j-$name
[ -e "$folder" ] && skipped "$folder exists"
own_files+=("$folder")
mkdir "$W/victim"; echo precious >"$W/victim/precious"; chown -R 5 "$W/victim"
as 65534 sh -c "umask 0; mkdir $folder; ln -s $W/victim/precious $folder/abi_version"
RDMA4J_DEVICES=rxe0=udp:127.1.$DEVICE timeout 60 setpriv --reuid=5 --regid=60 --clear-groups "$JAVA" -cp "$CLASS_PATH" \
    io.rdma4j.tools.Main uverbs rxe0 >"$W/log" 2>&1
[ "$(cat "$W/victim/precious")" = precious ] || failed "the victim's file was overwritten"
grep -q "belongs to uid 65534" "$W/log" || failed "no refusal: $(head -1 "$W/log")"
ok "refused, folder belongs to uid 65534"
