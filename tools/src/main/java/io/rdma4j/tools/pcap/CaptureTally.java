package io.rdma4j.tools.pcap;

/**
 * Counts what {@link DecodedPacket} found. Every RoCE packet is counted once more as good, bad or malformed; packets that
 * are cut so short that they only may be RoCE count as malformed RoCE.
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

    /** RoCE packets, malformed ones among them. */
    public long roce() {
        return good + bad + malformed;
    }

    /** Well-formed packets with the right ICRC. */
    public long good() {
        return good;
    }

    /** Well-formed packets with a wrong ICRC. */
    public long bad() {
        return bad;
    }

    /** Packets that break a rule of their shape. */
    public long malformed() {
        return malformed;
    }
}
