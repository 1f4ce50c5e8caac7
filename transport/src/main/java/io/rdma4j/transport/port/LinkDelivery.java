// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

/** Counts the messages of a link. A thread that delivers cannot write the counters of the port, which the loop owns. */
public final class LinkCounters {
    private long packets;
    private long bytes;
    private long messages;
    private long receives;

    /** Creates counters that are all 0. */
    public LinkCounters() {}

    /**
     * Counts a message.
     *
     * @param message that was delivered
     */
    public void count(EagerMessage message) {
        packets += message.packets;
        bytes += message.length;
        messages++;
        if (message.opcode.takesReceive()) {
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
