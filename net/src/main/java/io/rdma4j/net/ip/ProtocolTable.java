package io.rdma4j.net.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.ReceiveHandler;
import org.jspecify.annotations.Nullable;

/** Who gets what packets of one IP version carry ({@code inet_protos}). Changed by the owner of the stack's loop only. */
public final class ProtocolTable {
    private static final int PROTOCOLS = 256;

    private final @Nullable ReceiveHandler[] receivers = new ReceiveHandler[PROTOCOLS];

    ProtocolTable() {}

    /**
     * Gives the packets with some protocol in them to {@code receiver}: data begins behind the IP header and its extensions, network
     * and transport header are known ({@code inet_add_protocol}).
     *
     * @param protocol number of the header that follows, 8 bits
     * @param receiver runs on the thread that owns the loop
     * @throws RdmaException EBUSY if the protocol has a receiver
     */
    public void add(int protocol, ReceiveHandler receiver) {
        if (receivers[protocol] != null) {
            throw new RdmaException(Errno.EBUSY, "IP protocol " + protocol + " has a receiver");
        }
        receivers[protocol] = receiver;
    }

    /**
     * Takes the protocol's receiver away ({@code inet_del_protocol}); nothing happens if it has none.
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
