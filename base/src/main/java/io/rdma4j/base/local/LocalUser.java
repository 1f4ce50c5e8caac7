// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base.local;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/** The user of this process. Any thread may call. */
public final class LocalUser {
    private static final Path STATUS = Path.of("/proc/self/status");

    private static final Path NETWORK_NAMESPACE = Path.of("/proc/self/ns/net");

    /** {@code (uid_t) -1}, which no user has. */
    private static final int UNKNOWN = -1;

    /** Cached after the first read. */
    private static volatile int uid = UNKNOWN;

    private static volatile @Nullable UserPrincipal principal;

    private LocalUser() {}

    /**
     * {@return the effective user id of this process} Corresponds to {@code geteuid}. The owner of {@code /proc/self}
     * is not equivalent: it is root if the JVM's executable has file capabilities.
     *
     * @throws IOException if the system does not report it
     */
    public static int uid() throws IOException {
        if (uid == UNKNOWN) {
            uid = readUid();
        }
        return uid;
    }

    private static int readUid() throws IOException {
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith("Uid:")) {
                // Real, effective, saved and file system user id.
                return Integer.parseUnsignedInt(line.split("\\s+", -1)[2]);
            }
        }
        throw new IOException(STATUS + " does not name the user");
    }

    /**
     * Checks that the process at the other end of a Unix socket runs as the user of this process ({@code SO_PEERCRED}).
     *
     * @param socket connected Unix domain socket
     * @throws AccessDeniedException if the process at the other end runs as another user
     * @throws IOException if the system does not report its user
     */
    public static void checkPeer(SocketChannel socket) throws IOException {
        UserPrincipal peer = socket.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
        UserPrincipal self = self();
        if (!peer.equals(self)) {
            throw new AccessDeniedException(
                    "socket",
                    null,
                    "the other end belongs to user " + peer.getName() + " and not to " + self.getName());
        }
    }

    /**
     * {@return the network namespace of this process, such as {@code net:[4026531840]}; empty if the system has no
     * namespaces}
     */
    public static String networkNamespace() {
        try {
            return Files.readSymbolicLink(NETWORK_NAMESPACE).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static UserPrincipal self() throws IOException {
        UserPrincipal known = principal;
        if (known == null) {
            // The lookup accepts a numeric user id as a name.
            known = FileSystems.getDefault()
                    .getUserPrincipalLookupService()
                    .lookupPrincipalByName(Integer.toUnsignedString(uid()));
            principal = known;
        }
        return known;
    }
}
