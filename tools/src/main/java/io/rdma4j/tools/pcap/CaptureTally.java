// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

/**
 * Counts the results of {@link DecodedPacket}. Every RoCE and InfiniBand packet is also counted as good, bad or
 * malformed. Packets that are cut before they can be recognised as RoCE count as malformed RoCE.
 */
public final class CaptureTally {
    private long packets;
    private long infiniBand;
    private long simulated;
    private long good;
    private long bad;
    private long malformed;

    /** Counts one packet of a link. */
    public void add(CaptureLinkType link, DecodedPacket.Verdict verdict) {
        packets++;
        infiniBand += link == CaptureLinkType.INFINIBAND ? 1 : 0;
        switch (verdict) {
            case NOT_ROCE -> {}
            case SIMULATED -> simulated++;
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
        return good + bad + malformed - infiniBand;
    }

    /** Packets of InfiniBand links, including malformed ones. */
    public long infiniBand() {
        return infiniBand;
    }

    /** Management datagrams of the simulator ibsim. */
    public long simulated() {
        return simulated;
    }

    /** Well-formed packets with correct CRCs. */
    public long good() {
        return good;
    }

    /** Well-formed packets with a wrong CRC. */
    public long bad() {
        return bad;
    }

    /** Packets with invalid headers or lengths. */
    public long malformed() {
        return malformed;
    }
}
