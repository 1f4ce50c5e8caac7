// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.verbs.spi.ring.SendHeader;
import org.jspecify.annotations.Nullable;

/**
 * State of a link: the message that is delivered or taken, and the counts of those before. A thread
 * that delivers cannot write the counters of the port, which the loop owns. Guarded by the lock of the link.
 */
public final class LinkDelivery {
    // Null until the first message is delivered
    private @Nullable SendHeader request;
    private @Nullable LinkMessage message;

    private long sentMessages;
    private long sentPackets;
    private long sentBytes;
    private long stores;
    private long sends;
    private long receivedMessages;
    private long receivedPackets;
    private long receivedBytes;
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

    /** {@return the message of the request, or the message that is taken} */
    public LinkMessage message() {
        LinkMessage made = message;
        if (made == null) {
            made = new LinkMessage();
            message = made;
        }
        return made;
    }

    /** Counts the message, which was delivered. */
    public void countSent() {
        LinkMessage delivered = message();
        sentMessages++;
        sentPackets += delivered.packets;
        sentBytes += delivered.length;
    }

    /** Counts that the message is stored into memory of the peer; {@link #countSent} follows. */
    public void countStore() {
        stores++;
    }

    /** Counts the completion of a request. */
    public void countCompleted() {
        sends++;
    }

    /** Counts the message, which was taken. */
    public void countReceived() {
        LinkMessage taken = message();
        receivedMessages++;
        receivedPackets += taken.packets;
        receivedBytes += taken.length;
        if (taken.opcode.takesReceive()) {
            receives++;
        }
    }

    /**
     * Counts messages that the peer has stored.
     *
     * @param messages number of messages
     * @param packets number of packets that they replace
     * @param bytes of their payload
     */
    void countStored(long messages, long packets, long bytes) {
        receivedMessages += messages;
        receivedPackets += packets;
        receivedBytes += bytes;
    }

    /**
     * {@return a number that increases with each message that is delivered or taken, and each completed request, until
     * the next {@link #moveTo}}
     */
    public long steps() {
        return sentMessages + receivedMessages + sends;
    }

    /** {@return number of messages delivered since the last {@link #moveTo}} */
    public long sentMessages() {
        return sentMessages;
    }

    /** {@return number of those that were stored into memory of the peer} */
    public long stores() {
        return stores;
    }

    /** {@return number of messages taken since the last {@link #moveTo}} */
    public long receivedMessages() {
        return receivedMessages;
    }

    /** {@return number of packets that were replaced in sending since the last {@link #moveTo}} */
    public long sentPackets() {
        return sentPackets;
    }

    /** {@return bytes of their payload} */
    public long sentBytes() {
        return sentBytes;
    }

    /** {@return number of packets that were replaced in receiving since the last {@link #moveTo}} */
    public long receivedPackets() {
        return receivedPackets;
    }

    /** {@return bytes of their payload} */
    public long receivedBytes() {
        return receivedBytes;
    }

    /**
     * Adds the counts to those of the port, and begins again at 0.
     *
     * @param port of the link
     */
    public void moveTo(TransportCounters port) {
        port.sentPackets += sentPackets;
        port.receivedPackets += receivedPackets;
        port.sentBytes += sentBytes;
        port.receivedBytes += receivedBytes;
        port.sends += sends;
        port.receives += receives;
        sentMessages = 0;
        receivedMessages = 0;
        sentPackets = 0;
        receivedPackets = 0;
        sentBytes = 0;
        receivedBytes = 0;
        stores = 0;
        sends = 0;
        receives = 0;
    }
}
