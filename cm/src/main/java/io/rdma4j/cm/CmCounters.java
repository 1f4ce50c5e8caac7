// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.wire.mad.CmMessage;

/**
 * Counters of a port. Corresponds to the groups {@code cm_tx_msgs}, {@code cm_tx_retries}, {@code cm_rx_msgs} and
 * {@code cm_rx_duplicates} in sysfs.
 */
public final class CmCounters {
    private static final int MESSAGES = CmMessage.values().length;

    private final long[] sent = new long[MESSAGES];
    private final long[] retried = new long[MESSAGES];
    private final long[] received = new long[MESSAGES];
    private final long[] duplicates = new long[MESSAGES];
    private final long[] dropped = new long[CmDrop.values().length];

    CmCounters() {}

    /**
     * {@return number of sent messages, with the repeated ones}
     *
     * @param message kind of message
     */
    public long sent(CmMessage message) {
        return sent[message.ordinal()];
    }

    /**
     * {@return number of messages that were sent again because the peer did not answer}
     *
     * @param message kind of message
     */
    public long retried(CmMessage message) {
        return retried[message.ordinal()];
    }

    /**
     * {@return number of received messages, counted before any check of their contents}
     *
     * @param message kind of message
     */
    public long received(CmMessage message) {
        return received[message.ordinal()];
    }

    /**
     * {@return number of received messages that were received before}
     *
     * @param message kind of message
     */
    public long duplicates(CmMessage message) {
        return duplicates[message.ordinal()];
    }

    /**
     * {@return number of received datagrams without effect}
     *
     * @param reason why
     */
    public long dropped(CmDrop reason) {
        return dropped[reason.ordinal()];
    }

    void countSent(CmMessage message, boolean isRetry) {
        sent[message.ordinal()]++;
        if (isRetry) {
            retried[message.ordinal()]++;
        }
    }

    void countReceived(CmMessage message) {
        received[message.ordinal()]++;
    }

    void countDuplicate(CmMessage message) {
        duplicates[message.ordinal()]++;
    }

    void countDrop(CmDrop reason) {
        dropped[reason.ordinal()]++;
    }
}
