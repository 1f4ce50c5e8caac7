// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Checks the programs that the lab requires on this machine. */
public final class Parts {
    /** Programs, and the Debian packages that contain them. */
    private static final Map<String, String> PROGRAMS =
            new TreeMap<>(Map.of("qemu-system-x86_64", "qemu-system-x86", "ip", "iproute2", "ldconfig", "libc-bin"));

    /** Additional directories of root's PATH, which the user's PATH may lack. */
    private static final List<String> OF_ROOT = List.of("/usr/sbin", "/sbin");

    private Parts() {}

    /** Returns a line for each missing part, with the way to install it; empty if all are present. */
    public static List<String> missing() {
        String path = System.getenv("PATH");
        List<String> directories = new ArrayList<>(List.of((path == null ? "" : path).split(":", -1)));
        directories.addAll(OF_ROOT);
        return missing(
                System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                System.getProperty("user.name"),
                directories,
                Path.of("/dev/net/tun"));
    }

    static List<String> missing(String system, String user, List<String> path, Path tun) {
        if (!system.equals("Linux amd64")) {
            return List.of("Linux on x86-64, for network namespaces, TAP interfaces and the guest's packages");
        }
        List<String> missing = new ArrayList<>();
        boolean root = user.equals("root");
        if (!root) {
            missing.add("root, for a network namespace and TAP interfaces: run it with sudo");
        }
        if (!isOn(path, "apt-get") || !isOn(path, "dpkg-deb")) {
            missing.add("apt-get and dpkg-deb, for the guest's packages: take a Debian");
        }
        PROGRAMS.forEach((program, debianPackage) -> {
            if (!isOn(path, program)) {
                missing.add(program + ": apt-get install " + debianPackage);
            }
        });
        if (root ? !Files.isWritable(tun) : !Files.exists(tun)) {
            missing.add(tun + ", for TAP interfaces: modprobe tun");
        }
        return missing;
    }

    private static boolean isOn(List<String> path, String program) {
        return path.stream().anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }
}
