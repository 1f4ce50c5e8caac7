// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The permission to bind ports below 1024: {@code CAP_NET_BIND_SERVICE}, or on other systems than Linux to be root.
 * rdma_cm of Linux has the fixed limit 1024, whatever {@code ip_unprivileged_port_start} says.
 *
 * @param status what the system says about the process, {@code /proc/self/status}
 */
record BindPrivilege(Path status) {
    private static final String EFFECTIVE = "CapEff:";
    private static final int NET_BIND_SERVICE = 10;
    private static final int HEX = 16;

    static BindPrivilege ofProcess() {
        return new BindPrivilege(Path.of("/proc/self/status"));
    }

    boolean isGranted() {
        try {
            for (String line : Files.readAllLines(status)) {
                if (line.startsWith(EFFECTIVE)) {
                    String mask = line.substring(EFFECTIVE.length()).trim();
                    return (Long.parseUnsignedLong(mask, HEX) >>> NET_BIND_SERVICE & 1) != 0;
                }
            }
        } catch (IOException e) {
            System.getLogger(BindPrivilege.class.getName()).log(System.Logger.Level.DEBUG, "no " + status, e);
        }
        return "root".equals(System.getProperty("user.name"));
    }
}
