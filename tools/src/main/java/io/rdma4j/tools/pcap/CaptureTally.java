// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

/**
 * Counts the results of {@link DecodedPacket}. Every RoCE packet is also counted as good, bad or malformed. Packets
 * that are cut before they can be recognised as RoCE count as malformed RoCE.
 */
public final class CaptureTally {
    private long packets;
    private long good;
    private long bad;
    private long malformed;

    /** Counts one packet. */
    public void add(DecodedPacket.Verdict verdict) {
        packets++;
        switch (verdict) {
            case NOT_ROCE -> {}
            case ICRC_OK -> good++;
            case ICRC_BAD -> bad++;
            case MALFORMED -> malformed++;
        }
    }

    /** Packets of all kinds. */
    public long packets() {
        return packets;
    }

    /** RoCE packets, including malformed ones. */
    public long roce() {
        return good + bad + malformed;
    }

    /** Well-formed packets with a correct ICRC. */
    public long good() {
        return good;
    }

    /** Well-formed packets with a wrong ICRC. */
    public long bad() {
        return bad;
    }

    /** Packets with invalid headers or lengths. */
    public long malformed() {
        return malformed;
    }
}
