// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.receive.ReceiveHandler;
import org.jspecify.annotations.Nullable;

/**
 * Receivers of the packets of one IP version, by protocol ({@code inet_protos}). Changed by the owner of the stack's
 * loop only.
 */
public final class ProtocolTable {
    private static final int PROTOCOLS = 256;

    private final @Nullable ReceiveHandler[] receivers = new ReceiveHandler[PROTOCOLS];

    ProtocolTable() {}

    /**
     * Registers the receiver of a protocol ({@code inet_add_protocol}). It gets packets whose data begin behind the IP
     * header and its extensions, and whose network and transport headers are set.
     *
     * @param protocol number of the header that follows, 8 bits
     * @param receiver called by the owner of the loop; takes ownership of the packets
     * @throws RdmaException EBUSY if the protocol has a receiver
     */
    public void add(int protocol, ReceiveHandler receiver) {
        if (receivers[protocol] != null) {
            throw new RdmaException(Errno.EBUSY, "IP protocol " + protocol + " has a receiver");
        }
        receivers[protocol] = receiver;
    }

    /**
     * Removes the receiver of a protocol ({@code inet_del_protocol}); does nothing if it has none.
     *
     * @param protocol number of the header that follows, 8 bits
     */
    public void remove(int protocol) {
        receivers[protocol] = null;
    }

    @Nullable
    ReceiveHandler of(int protocol) {
        return receivers[protocol];
    }
}
