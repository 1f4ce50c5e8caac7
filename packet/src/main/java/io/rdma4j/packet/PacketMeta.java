// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import org.jspecify.annotations.Nullable;

/**
 * The fields of a buffer that layers set for each other: origin, route, classification, checksum, VLAN tag and queue
 * ({@link SkBuff#meta}).
 *
 * <p>In a new buffer all fields are 0, false or null. A clone gets a copy of all fields but the owner
 * ({@link SkBuff#copyFields}).
 */
public final class PacketMeta {
    static final int CSUM_MASK = 0xFFFF;

    private long tstamp;
    private @Nullable Object owner;
    private @Nullable PacketDevice device;
    private @Nullable Object securityPath;
    private @Nullable DstEntry dst;
    private boolean dstCounted;
    private ChecksumState ipSummed = ChecksumState.NONE;
    private int csum;
    private int macLen;
    private int protocol;
    private PacketType packetType = PacketType.HOST;
    private int priority;
    private int queueMapping;
    private int iif;
    private int hash;
    private int vlanProto;
    private int vlanTci;
    private boolean l4Hash;
    private boolean vlanTagPresent;
    private boolean localDf;
    private boolean oooOkay;
    private boolean noFcs;
    private boolean encapsulation;

    PacketMeta() {}

    void clear() {
        tstamp = 0;
        owner = null;
        device = null;
        securityPath = null;
        ipSummed = ChecksumState.NONE;
        csum = 0;
        macLen = 0;
        protocol = 0;
        packetType = PacketType.HOST;
        priority = 0;
        queueMapping = 0;
        iif = 0;
        hash = 0;
        vlanProto = 0;
        vlanTci = 0;
        l4Hash = false;
        vlanTagPresent = false;
        localDf = false;
        oooOkay = false;
        noFcs = false;
        encapsulation = false;
    }

    /**
     * Copies all fields except the owner and the route.
     *
     * @param shift bytes that the copy lies behind the original in its block: a PARTIAL checksum starts so much later
     */
    void copy(PacketMeta from, int shift) {
        tstamp = from.tstamp;
        device = from.device;
        securityPath = from.securityPath;
        ipSummed = from.ipSummed;
        csum = from.csum;
        if (ipSummed == ChecksumState.PARTIAL) {
            csum += shift << Short.SIZE;
        }
        macLen = from.macLen;
        protocol = from.protocol;
        packetType = from.packetType;
        priority = from.priority;
        queueMapping = from.queueMapping;
        iif = from.iif;
        hash = from.hash;
        vlanProto = from.vlanProto;
        vlanTci = from.vlanTci;
        l4Hash = from.l4Hash;
        vlanTagPresent = from.vlanTagPresent;
        localDf = from.localDf;
        oooOkay = from.oooOkay;
        noFcs = from.noFcs;
        encapsulation = from.encapsulation;
    }

    // Origin and destination

    /** {@return time of arrival, ns of the host's clock since 1970; 0 if not stamped ({@code skb_get_ktime})} */
    public long tstamp() {
        return tstamp;
    }

    /**
     * Sets {@link #tstamp()}.
     *
     * @param nanoseconds since 1970
     */
    public void tstamp(long nanoseconds) {
        tstamp = nanoseconds;
    }

    /** {@return the sending or receiving endpoint on this host, null for forwarded packets ({@code skb->sk})} */
    public @Nullable Object owner() {
        return owner;
    }

    /**
     * Sets {@link #owner()}. {@link SkBuff#orphan} clears it together with the destructor.
     *
     * @param value any object; null for none
     */
    public void owner(@Nullable Object value) {
        owner = value;
    }

    /** {@return the device on which the packet arrived or on which it is to be sent; null if neither applies yet} */
    public @Nullable PacketDevice device() {
        return device;
    }

    /**
     * Sets {@link #device()}.
     *
     * @param value the receiving or sending device; null for none
     */
    public void device(@Nullable PacketDevice value) {
        device = value;
    }

    /** {@return index of the receiving device, 0 for packets of this host ({@code skb_iif})} */
    public int iif() {
        return iif;
    }

    /**
     * Sets {@link #iif()}.
     *
     * @param ifindex 0 for packets of this host
     */
    public void iif(int ifindex) {
        iif = ifindex;
    }

    /** {@return the IPsec transforms that were applied ({@code skb_sec_path}); null for none} */
    public @Nullable Object securityPath() {
        return securityPath;
    }

    /**
     * Sets {@link #securityPath()}.
     *
     * @param value null for none
     */
    public void securityPath(@Nullable Object value) {
        securityPath = value;
    }

    // Route

    /** {@return the route of the packet; null before the route lookup ({@code skb_dst})} */
    public @Nullable DstEntry dst() {
        return dst;
    }

    /**
     * Attaches a route and takes over the caller's reference to it ({@code skb_dst_set}). A route that was attached
     * before is detached.
     *
     * @param route null for none
     */
    public void dst(@Nullable DstEntry route) {
        attach(route, route != null);
    }

    /**
     * Attaches a route without a reference ({@code skb_dst_set_noref}). The caller guarantees that the route stays
     * valid.
     *
     * @param route remains the caller's
     */
    public void dstNoref(DstEntry route) {
        attach(route, false);
    }

    private void attach(@Nullable DstEntry route, boolean counted) {
        dropDst();
        dst = route;
        dstCounted = counted;
    }

    /** Detaches the route and releases the reference, if one was taken ({@code skb_dst_drop}). */
    public void dropDst() {
        DstEntry route = dst;
        dst = null;
        if (route != null && dstCounted) {
            route.release();
        }
    }

    void copyDst(PacketMeta from) {
        DstEntry route = from.dst;
        if (route != null && from.dstCounted) {
            route.hold();
        }
        dst = route;
        dstCounted = from.dstCounted;
    }

    /** Releases what a free buffer must not keep reachable. */
    void release() {
        dropDst();
        device = null;
        securityPath = null;
    }

    // Classification

    /** {@return ethertype of the L3 protocol, 16 bits, 0 if unknown} */
    public int protocol() {
        return protocol;
    }

    /**
     * Sets {@link #protocol()}.
     *
     * @param value Ethertype, 16 bits
     */
    public void protocol(int value) {
        protocol = value;
    }

    /** {@return the class of the destination address in the link header ({@code pkt_type})} */
    public PacketType packetType() {
        return packetType;
    }

    /**
     * Sets {@link #packetType()}.
     *
     * @param type class of the destination address
     */
    public void packetType(PacketType type) {
        packetType = type;
    }

    /** {@return length of the link header in bytes ({@code mac_len})} */
    public int macLen() {
        return macLen;
    }

    /**
     * Sets {@link #macLen()}.
     *
     * @param bytes length of the link header
     */
    public void macLen(int bytes) {
        macLen = bytes;
    }

    /** {@return state of the transport checksum} */
    public ChecksumState ipSummed() {
        return ipSummed;
    }

    /**
     * Sets {@link #ipSummed()}.
     *
     * @param state the state of the checksum
     */
    public void ipSummed(ChecksumState state) {
        ipSummed = state;
    }

    // One word with two meanings (union { csum; struct { csum_start; csum_offset } })

    /** {@return one's complement sum for {@link ChecksumState#COMPLETE}, 32 bits, not folded} */
    public int csum() {
        return csum;
    }

    /**
     * Sets {@link #csum()}.
     *
     * @param sum 32 bits, not folded
     */
    public void csum(int sum) {
        csum = sum;
    }

    /** Sets the two positions of a PARTIAL checksum, the start as an offset in the block. */
    void checksumPartial(int start, int offset) {
        ipSummed = ChecksumState.PARTIAL;
        csum = start << Short.SIZE | offset;
    }

    /** {@return first byte of a PARTIAL checksum, offset in {@link SkBuff#memory()} ({@code csum_start})} */
    public int csumStart() {
        return csum >>> Short.SIZE;
    }

    /** {@return position of the field of a PARTIAL checksum, bytes from {@link #csumStart} ({@code csum_offset})} */
    public int csumOffset() {
        return csum & CSUM_MASK;
    }

    /**
     * {@return true if this host may fragment the packet whatever the path MTU ({@code local_df}, {@code ignore_df})}
     */
    public boolean localDf() {
        return localDf;
    }

    /**
     * Sets {@link #localDf()}.
     *
     * @param value true to allow fragmentation
     */
    public void localDf(boolean value) {
        localDf = value;
    }

    /** {@return true if the packet encapsulates another one, as with VXLAN or IP in IP} */
    public boolean encapsulation() {
        return encapsulation;
    }

    /**
     * Sets {@link #encapsulation()}.
     *
     * @param value true for an encapsulating packet
     */
    public void encapsulation(boolean value) {
        encapsulation = value;
    }

    /**
     * {@return true if the last 4 bytes are the frame check sequence, which the device must not add ({@code no_fcs})}
     */
    public boolean noFcs() {
        return noFcs;
    }

    /**
     * Sets {@link #noFcs()}.
     *
     * @param value true if the packet contains its frame check sequence
     */
    public void noFcs(boolean value) {
        noFcs = value;
    }

    /** {@return protocol of the out-of-band VLAN tag: 0x8100 or 0x88A8; 0 if there is none} */
    public int vlanProto() {
        return vlanProto;
    }

    /** {@return tag control information of the out-of-band tag, 16 bits: priority, drop eligibility, VLAN} */
    public int vlanTci() {
        return vlanTci;
    }

    /**
     * {@return true if the VLAN tag is held beside the packet data ({@code skb_vlan_tag_present}); VLAN 0 counts as a
     * tag}
     */
    public boolean vlanTagPresent() {
        return vlanTagPresent;
    }

    /**
     * Sets an out-of-band VLAN tag ({@code __vlan_hwaccel_put_tag}).
     *
     * @param proto 0x8100 or 0x88A8
     * @param tci 16 bits: priority, drop eligibility, VLAN
     */
    public void vlanTag(int proto, int tci) {
        vlanProto = proto;
        vlanTci = tci;
        vlanTagPresent = true;
    }

    /** Removes the out-of-band VLAN tag ({@code __vlan_hwaccel_clear_tag}). */
    public void clearVlanTag() {
        vlanProto = 0;
        vlanTci = 0;
        vlanTagPresent = false;
    }

    // Queue selection

    /** {@return queueing priority, 0 is the lowest} */
    public int priority() {
        return priority;
    }

    /**
     * Sets {@link #priority()}.
     *
     * @param value 0 is the lowest
     */
    public void priority(int value) {
        priority = value;
    }

    /** {@return transmit queue of a multi-queue device ({@code skb_get_queue_mapping})} */
    public int queueMapping() {
        return queueMapping;
    }

    /**
     * Sets {@link #queueMapping()} ({@code skb_set_queue_mapping}).
     *
     * @param value from 0
     */
    public void queueMapping(int value) {
        queueMapping = value;
    }

    /** {@return flow hash, 0 if not computed ({@code rxhash})} */
    public int hash() {
        return hash;
    }

    /**
     * Sets {@link #hash()} and clears {@link #l4Hash()}.
     *
     * @param value 0 for none
     */
    public void hash(int value) {
        hash(value, false);
    }

    /**
     * Sets {@link #hash()} and {@link #l4Hash()}.
     *
     * @param value 0 for none
     * @param overPorts true if the hash covers the transport's ports
     */
    public void hash(int value, boolean overPorts) {
        hash = value;
        l4Hash = overPorts;
    }

    /** {@return true if the hash covers the transport's ports ({@code l4_rxhash})} */
    public boolean l4Hash() {
        return l4Hash;
    }

    /** {@return true if the flow may change its queue: none of its packets is in flight ({@code ooo_okay})} */
    public boolean oooOkay() {
        return oooOkay;
    }

    /**
     * Sets {@link #oooOkay()}.
     *
     * @param value true to allow a change of the queue
     */
    public void oooOkay(boolean value) {
        oooOkay = value;
    }
}
