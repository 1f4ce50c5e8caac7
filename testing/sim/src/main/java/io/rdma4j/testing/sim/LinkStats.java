package io.rdma4j.testing.sim;

/** What became of the packets of a link, or of several. A packet may count more than once: delayed and corrupted, say. */
public final class LinkStats {
    /** Packets given to the link. */
    public long sent;
    /** Packets, copies included, that reached the other end. */
    public long arrived;
    /** Packets lost by chance. */
    public long lost;
    /** Packets longer than the path's MTU. */
    public long tooLong;
    /** Packets that found the queue full. */
    public long overflowed;
    /** Packets that a {@link PacketHook} held back. */
    public long hooked;
    /** Packets sent on twice. */
    public long duplicated;
    /** Copies delayed so that others may overtake them. */
    public long delayed;
    /** Copies marked because they met congestion. */
    public long marked;
    /** Copies with changed bits. */
    public long corrupted;

    void add(LinkStats other) {
        sent += other.sent;
        arrived += other.arrived;
        lost += other.lost;
        tooLong += other.tooLong;
        overflowed += other.overflowed;
        hooked += other.hooked;
        duplicated += other.duplicated;
        delayed += other.delayed;
        marked += other.marked;
        corrupted += other.corrupted;
    }

    @Override
    public String toString() {
        return sent + " sent, " + arrived + " arrived, " + lost + " lost, " + tooLong + " too long, " + overflowed
                + " overflowed, " + hooked + " held back, " + duplicated + " duplicated, " + delayed + " delayed, "
                + marked + " marked, " + corrupted + " corrupted";
    }
}
