# "./rdma4j dist": makes an archive of the tools with a Java runtime. Sourced by the launcher, whose functions and variables it uses.

# Sets $archive to the name of the archive, without suffix: version, system and processor.
name_archive() {
    release=$(sed -n 's|^ *<version>\(.*\)</version>.*|\1|p' "$root/pom.xml" | head -1)
    system=$(uname -s | tr '[:upper:]' '[:lower:]')
    archive=rdma4j-$release-$system-$(uname -m)
}

# Copies the jars of the tools to $run/lib, and their names to $run/jars.
copy_jars() {
    mkdir -p "$run/lib" || return 1
    jars=$root/tools/target/rdma4j-tools.jar:$(cat "$root/tools/target/class-path") || return 1
    while [ -n "$jars" ]; do
        jar=${jars%%:*}
        jars=${jars#"$jar"}
        jars=${jars#:}
        cp "$jar" "$run/lib/" || return 1
        printf '%s\n' "${jar##*/}"
    done >"$run/jars"
}

# Makes the runtime in $run/runtime.
link_runtime() {
    modules=$(paste -sd, "$root/artifact/dist/modules.txt")
    "$jdk/bin/jlink" --add-modules "$modules" --no-header-files --no-man-pages --compress zip-6 --output "$run/runtime"
}

# Makes bin/rdma4j, from what the archive adds and the part "Run" of this launcher, and links for the tools of rdma-core and perftest.
make_launcher() {
    mkdir -p "$run/bin" || return 1
    {
        cat "$root/artifact/dist/launcher-head.sh"
        sed -n '/^# --- Run/,/^# --- Test/p' "$root/rdma4j" | sed '$d'
        printf 'become "$@"\n'
    } >"$run/bin/rdma4j"
    chmod 755 "$run/bin/rdma4j" || return 1
    (become_java io.rdma4j.tools.Main help) | sed -n 's/^  \(ibv\{0,1\}_[a-z_]*\) .*/\1/p' | while read -r tool; do
        ln -s rdma4j "$run/bin/$tool"
    done
}

make_archive() {
    require_maven
    name_archive
    mkdir -p "$root/target" || exit 1
    log=$root/target/dist-build.log
    { maven -B -Dstyle.color=never -Dmaven.test.skip=true package -pl tools -am 2>&1 || : >"$lock/failed"; } | show_progress "$log"
    [ ! -f "$lock/failed" ] || explain_failure "$log"
    run=$root/target/$archive
    rm -rf "$run" "$run.tar.gz"
    copy_jars || fail "the jars of the tools cannot be copied to $run"
    link_runtime >"$root/target/jlink.log" 2>&1 || fail "jlink of $jdk has failed: see $root/target/jlink.log"
    build_dropin
    [ -f "$run/libibverbs.so.1" ] || cat "$run/native.log" >&2 # the archive has no "run" then
    cp "$root/LICENSE" "$root/artifact/dist/README.md" "$run/" || exit 1
    jdk=$run/runtime
    make_launcher || fail "the launcher of the archive cannot be made in $run/bin"
    train
    rm -f "$run"/*.log "$run/jdk"
    tar -czf "$run.tar.gz" -C "$root/target" "$archive" || fail "the archive cannot be written"
    "$root/artifact/dist/check.sh" "$run.tar.gz" || fail "$run.tar.gz does not work"
    printf '%s\n' "$run.tar.gz"
}
