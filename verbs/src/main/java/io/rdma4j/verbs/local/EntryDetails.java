// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.local;

import io.rdma4j.base.local.LocalUser;
import io.rdma4j.base.local.PrivateDirectory;
import io.rdma4j.verbs.values.Owner;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * The serving process and the network addresses of an entry of a {@link RunDirectory}.
 *
 * @param server the process; number 0 if unknown
 * @param ofThisProcess true if it is this process
 * @param endpoints UDP addresses of the device, in the order of the GID table; empty if it has none
 */
record EntryDetails(Owner server, boolean ofThisProcess, List<InetSocketAddress> endpoints) {
    private static final String PROCESS = "process";
    private static final String ENDPOINTS = "endpoints";
    private static final String NAMESPACE = "netns";

    /** Distinguishes processes with equal numbers, which can occur in two containers with one run directory. */
    private static final long PROCESS_TOKEN = new SecureRandom().nextLong();

    static void write(Path entry, ServedDevice device) throws IOException {
        Files.writeString(
                entry.resolve(PROCESS),
                ProcessHandle.current().pid() + " " + Long.toHexString(PROCESS_TOKEN) + " java\n");
        writeEndpoints(entry, device);
        Files.writeString(entry.resolve(NAMESPACE), LocalUser.networkNamespace() + "\n");
    }

    static void writeEndpoints(Path entry, ServedDevice device) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (InetSocketAddress endpoint : device.endpoints()) {
            lines.append(endpoint.getAddress().getHostAddress())
                    .append(' ')
                    .append(endpoint.getPort())
                    .append('\n');
        }
        PrivateDirectory.write(entry.resolve(ENDPOINTS), lines.toString());
    }

    /** False if the device of the entry is in another network namespace than this process. */
    static boolean isInThisNamespace(Path entry) {
        String theirs = RunDirectory.text(entry, NAMESPACE);
        return theirs == null || theirs.isEmpty() || theirs.equals(LocalUser.networkNamespace());
    }

    /** Missing or malformed values are left out. */
    static EntryDetails read(Path entry) {
        String process = RunDirectory.text(entry, PROCESS);
        String[] words = process == null ? new String[0] : process.split(" ", 3);
        try {
            if (words.length == 3) {
                Owner server = new Owner(Long.parseLong(words[0]), words[2]);
                boolean own = Long.parseUnsignedLong(words[1], 16) == PROCESS_TOKEN;
                return new EntryDetails(server, own, endpoints(entry));
            }
        } catch (NumberFormatException e) {
            // The file is malformed.
        }
        return new EntryDetails(new Owner(0, ""), false, endpoints(entry));
    }

    private static List<InetSocketAddress> endpoints(Path entry) {
        List<InetSocketAddress> endpoints = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(entry.resolve(ENDPOINTS))) {
                String[] words = line.split(" ", 2);
                if (words.length == 2) {
                    endpoints.add(new InetSocketAddress(InetAddress.ofLiteral(words[0]), Integer.parseInt(words[1])));
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            return List.of();
        }
        return endpoints;
    }
}
