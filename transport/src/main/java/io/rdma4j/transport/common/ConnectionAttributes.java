// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import io.rdma4j.transport.port.QpPort;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;

/** The attributes of a queue pair that are read for every packet, in the units that the engine counts in. */
public final class ConnectionAttributes {
    /** Local ACK timeout of code n is 4.096 µs · 2^n (IBA 9.7.6.1.3). */
    private static final long TIMEOUT_UNIT_NS = 4096;

    /** Payload of the largest UDP datagram: what segmentation offloads accept. */
    private static final int MAX_TRAIN_BYTES = 60 << 10;

    /** A train is at most one eighth of {@link QpPort#burstBytes}. */
    private static final int TRAINS_IN_BURST = 8;

    private final QpPort port;
    private final boolean datagrams;

    private int destinationQpn;
    private int qkey;
    private char pkeyIndex;
    private int accessFlags;
    private int pathMtuBytes;
    private byte timeout;
    private byte retryCount;
    private byte rnrRetry;
    private byte minRnrTimer;

    /** @param datagrams true if the path MTU is the port's */
    ConnectionAttributes(QpPort port, boolean datagrams) {
        this.port = port;
        this.datagrams = datagrams;
    }

    public void reset() {
        accessFlags = 0;
        qkey = 0;
    }

    public void apply(QpAttributes changes) {
        if (changes.has(QpAttribute.DEST_QPN)) {
            destinationQpn = changes.destinationQpn();
        }
        if (changes.has(QpAttribute.QKEY)) {
            qkey = changes.qkey();
        }
        if (changes.has(QpAttribute.PKEY_INDEX)) {
            pkeyIndex = (char) changes.pkeyIndex();
        }
        if (changes.has(QpAttribute.ACCESS_FLAGS)) {
            accessFlags = AccessFlag.mask(changes.accessFlags());
        }
        if (changes.has(QpAttribute.PATH_MTU)) {
            pathMtuBytes = changes.pathMtu().bytes();
        } else if (datagrams) {
            pathMtuBytes = port.mtuBytes();
        }
        applyRetries(changes);
    }

    private void applyRetries(QpAttributes changes) {
        if (changes.has(QpAttribute.TIMEOUT)) {
            timeout = (byte) changes.timeout();
        }
        if (changes.has(QpAttribute.RETRY_CNT)) {
            retryCount = (byte) changes.retryCount();
        }
        if (changes.has(QpAttribute.RNR_RETRY)) {
            rnrRetry = (byte) changes.rnrRetry();
        }
        if (changes.has(QpAttribute.MIN_RNR_TIMER)) {
            minRnrTimer = (byte) changes.minRnrTimer();
        }
    }

    /** 24 bits; for datagrams the request carries it. */
    public int destinationQpn() {
        return destinationQpn;
    }

    /** Q_Key that datagrams to this queue pair must carry, 32 bits. */
    public int qkey() {
        return qkey;
    }

    /** 16 bits; the port's table may change at any time. */
    public int pkey() {
        return port.pkey(pkeyIndex);
    }

    /** Bits of {@link AccessFlag} that the peer's requests may use. */
    public int accessFlags() {
        return accessFlags;
    }

    /** Bytes of payload in a full packet. */
    public int pathMtuBytes() {
        return pathMtuBytes;
    }

    /** Packets of a message, or of the response to a READ; an empty one takes one packet, too. */
    public int packets(long bytes) {
        // Most messages have one packet, and a division takes longer than the comparison.
        return bytes <= pathMtuBytes ? 1 : (int) ((bytes + pathMtuBytes - 1) / pathMtuBytes);
    }

    /** Packets of the longest train through any network. */
    public int maxTrainPackets() {
        return Math.max(1, MAX_TRAIN_BYTES / pathMtuBytes);
    }

    /** Packets of the longest train on a path that accepts {@code burstBytes} at once. */
    public int maxTrainPackets(int burstBytes) {
        return Math.max(maxTrainPackets(), burstBytes / TRAINS_IN_BURST / pathMtuBytes);
    }

    /** Local ACK timeout; 0 means no timer. */
    public long ackTimeoutNs() {
        return timeout == 0 ? 0 : TIMEOUT_UNIT_NS << timeout;
    }

    public int retryCount() {
        return retryCount;
    }

    /** Three bits; 7 means without limit. */
    public int rnrRetry() {
        return rnrRetry;
    }

    /** Code of {@link io.rdma4j.wire.RnrTimer}. */
    public int minRnrTimer() {
        return minRnrTimer;
    }
}
