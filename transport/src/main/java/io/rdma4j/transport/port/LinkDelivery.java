// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.verbs.spi.ring.SendHeader;
import org.jspecify.annotations.Nullable;

/**
 * What the two queue pairs of a link share: the message that is delivered, and the counts of those before. A thread
 * that delivers cannot write the counters of the port, which the loop owns. Guarded by the lock of the link.
 */
public final class LinkDelivery {
    // Null until the first message is delivered
    private @Nullable SendHeader request;
    private @Nullable EagerMessage message;

    private long packets;
    private long bytes;
    private long messages;
    private long receives;

    /** Creates a state without messages. */
    public LinkDelivery() {}

    /** {@return the request that is delivered} */
    public SendHeader request() {
        SendHeader made = request;
        if (made == null) {
            made = new SendHeader();
            request = made;
        }
        return made;
    }

    /** {@return the message of the request} */
    public EagerMessage message() {
        EagerMessage made = message;
        if (made == null) {
            made = new EagerMessage();
            message = made;
        }
        return made;
    }

    /** Counts the message, which was delivered. */
    public void count() {
        EagerMessage delivered = message();
        packets += delivered.packets;
        bytes += delivered.length;
        messages++;
        if (delivered.opcode.takesReceive()) {
            receives++;
        }
    }

    /** {@return number of messages that were delivered since the last {@link #moveTo}} */
    public long messages() {
        return messages;
    }

    /**
     * Adds the counts to those of the port of both queue pairs, and begins again at 0.
     *
     * @param port of the two queue pairs
     */
    public void moveTo(TransportCounters port) {
        port.sentPackets += packets;
        port.receivedPackets += packets;
        port.sentBytes += bytes;
        port.receivedBytes += bytes;
        port.sends += messages;
        port.receives += receives;
        packets = 0;
        bytes = 0;
        messages = 0;
        receives = 0;
    }
}
