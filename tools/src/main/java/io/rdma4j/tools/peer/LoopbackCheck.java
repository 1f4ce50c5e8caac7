// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.peer;

import io.rdma4j.base.Gid;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/** Rejects a loopback GID (127.0.0.0/8, ::1) between two machines: no packet from or to it leaves its machine. */
public final class LoopbackCheck {
    private LoopbackCheck() {}

    /**
     * Checks the GIDs of both ends.
     *
     * @param peer address of the peer
     * @throws ToolFailure with a proposal, if one of the GIDs is of the loopback interface and the peer is on another
     *     machine
     */
    public static void check(InetAddress peer, Gid own, Gid peers) throws ToolFailure {
        if ((isLoopback(own) || isLoopback(peers)) && !isThisMachine(peer)) {
            throw new ToolFailure("The "
                    + (isLoopback(own) ? "local GID " + own : "remote GID " + peers)
                    + " is a loopback address, which no packet from another machine reaches, and the peer "
                    + peer.getHostAddress()
                    + " is another machine.\n"
                    + "Use a device of a network interface at both ends: leave out -d, or name one that ibv_devinfo -v"
                    + " shows with an address of that network.");
        }
    }

    private static boolean isLoopback(Gid gid) {
        return gid.toInetAddress().isLoopbackAddress();
    }

    private static boolean isThisMachine(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException _) {
            return false;
        }
    }
}
