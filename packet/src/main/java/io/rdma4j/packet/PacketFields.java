package io.rdma4j.packet;

import org.jspecify.annotations.Nullable;

/**
 * The plain fields of {@code struct sk_buff}, which layers set for each other.
 *
 * <p>This class exists only to keep {@link SkBuff} short; {@code SkBuff} is its only concrete subclass. In a new buffer
 * all fields are 0, false or null. A clone gets a copy of all fields ({@link #copyFields}).
 */
public abstract sealed class PacketFields extends FilterFields permits SkBuff {
    private static final int CSUM_MASK = 0xFFFF;

    private long tstamp;
    private @Nullable Object owner;
    private @Nullable PacketDevice device;
    private @Nullable Object securityPath;
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

    PacketFields() {}

    void clearFields() {
        clearFilterFields();
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
     * Copies all fields except the owner and {@link #peeked} ({@code __copy_skb_header}). The owner is notified of one
     * buffer only, and the copy has not been peeked at. A PARTIAL checksum keeps its start relative to {@link #data()}.
     *
     * @param from is not changed
     */
    public final void copyFields(PacketFields from) {
        copyFilterFields(from);
        tstamp = from.tstamp;
        device = from.device;
        securityPath = from.securityPath;
        ipSummed = from.ipSummed;
        csum = from.csum;
        if (ipSummed == ChecksumState.PARTIAL) {
            // The start is relative to the head of the block, and the packet may have a different offset in this block.
            csum += data() - from.data() << Short.SIZE;
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
    public final long tstamp() {
        return tstamp;
    }

    /**
     * Sets {@link #tstamp()}.
     *
     * @param nanoseconds since 1970
     */
    public final void tstamp(long nanoseconds) {
        tstamp = nanoseconds;
    }

    /** {@return the sending or receiving endpoint on this host, null for forwarded packets ({@code skb->sk})} */
    public final @Nullable Object owner() {
        return owner;
    }

    /**
     * Sets {@link #owner()}. {@link SkBuff#orphan} clears it together with the destructor.
     *
     * @param value any object; null for none
     */
    public final void owner(@Nullable Object value) {
        owner = value;
    }

    /** {@return the device on which the packet arrived or on which it is to be sent; null if neither applies yet} */
    public final @Nullable PacketDevice device() {
        return device;
    }

    /**
     * Sets {@link #device()}.
     *
     * @param value the receiving or sending device; null for none
     */
    public final void device(@Nullable PacketDevice value) {
        device = value;
    }

    /** {@return index of the receiving device, 0 for packets of this host ({@code skb_iif})} */
    public final int iif() {
        return iif;
    }

    /**
     * Sets {@link #iif()}.
     *
     * @param ifindex 0 for packets of this host
     */
    public final void iif(int ifindex) {
        iif = ifindex;
    }

    /** {@return the IPsec transforms that were applied ({@code skb_sec_path}); null for none} */
    public final @Nullable Object securityPath() {
        return securityPath;
    }

    /**
     * Sets {@link #securityPath()}.
     *
     * @param value null for none
     */
    public final void securityPath(@Nullable Object value) {
        securityPath = value;
    }

    // Classification

    /** {@return ethertype of the L3 protocol, 16 bits, 0 if unknown} */
    public final int protocol() {
        return protocol;
    }

    /**
     * Sets {@link #protocol()}.
     *
     * @param value Ethertype, 16 bits
     */
    public final void protocol(int value) {
        protocol = value;
    }

    /** {@return the class of the destination address in the link header ({@code pkt_type})} */
    public final PacketType packetType() {
        return packetType;
    }

    /**
     * Sets {@link #packetType()}.
     *
     * @param type class of the destination address
     */
    public final void packetType(PacketType type) {
        packetType = type;
    }

    /** {@return length of the link header in bytes ({@code mac_len})} */
    public final int macLen() {
        return macLen;
    }

    /**
     * Sets {@link #macLen()}.
     *
     * @param bytes length of the link header
     */
    public final void macLen(int bytes) {
        macLen = bytes;
    }

    /** {@return state of the transport checksum} */
    public final ChecksumState ipSummed() {
        return ipSummed;
    }

    /**
     * Sets {@link #ipSummed()}.
     *
     * @param state the state of the checksum
     */
    public final void ipSummed(ChecksumState state) {
        ipSummed = state;
    }

    // One word with two meanings (union { csum; struct { csum_start; csum_offset } })

    /** {@return one's complement sum for {@link ChecksumState#COMPLETE}, 32 bits, not folded} */
    public final int csum() {
        return csum;
    }

    /**
     * Sets {@link #csum()}.
     *
     * @param sum 32 bits, not folded
     */
    public final void csum(int sum) {
        csum = sum;
    }

    /**
     * Requests that the device completes the checksum ({@code skb_partial_csum_set}): {@link #ipSummed} becomes
     * PARTIAL. The checksum field already contains the sum of the pseudo header.
     *
     * @param start first byte of the sum, bytes from {@link #data()}
     * @param offset of the checksum field, bytes from {@code start}
     * @throws IndexOutOfBoundsException if the field is not in the linear part, or too far from the head for 16 bits
     */
    public final void checksumPartial(int start, int offset) {
        checkRoom("checksumPartial, start", start, Math.min(headLen(), CSUM_MASK - data()));
        checkRoom("checksumPartial, offset", offset, headLen() - start - Short.BYTES);
        ipSummed = ChecksumState.PARTIAL;
        csum = data() + start << Short.SIZE | offset;
    }

    /** {@return first byte of a PARTIAL checksum, offset in {@link #memory()} ({@code csum_start})} */
    public final int csumStart() {
        return csum >>> Short.SIZE;
    }

    /** {@return position of the field of a PARTIAL checksum, bytes from {@link #csumStart} ({@code csum_offset})} */
    public final int csumOffset() {
        return csum & CSUM_MASK;
    }

    /**
     * {@return true if this host may fragment the packet whatever the path MTU ({@code local_df}, {@code ignore_df})}
     */
    public final boolean localDf() {
        return localDf;
    }

    /**
     * Sets {@link #localDf()}.
     *
     * @param value true to allow fragmentation
     */
    public final void localDf(boolean value) {
        localDf = value;
    }

    /** {@return true if the packet encapsulates another one, as with VXLAN or IP in IP} */
    public final boolean encapsulation() {
        return encapsulation;
    }

    /**
     * Sets {@link #encapsulation()}.
     *
     * @param value true for an encapsulating packet
     */
    public final void encapsulation(boolean value) {
        encapsulation = value;
    }

    /**
     * {@return true if the last 4 bytes are the frame check sequence, which the device must not add ({@code no_fcs})}
     */
    public final boolean noFcs() {
        return noFcs;
    }

    /**
     * Sets {@link #noFcs()}.
     *
     * @param value true if the packet contains its frame check sequence
     */
    public final void noFcs(boolean value) {
        noFcs = value;
    }

    /** {@return protocol of the out-of-band VLAN tag: 0x8100 or 0x88A8; 0 if there is none} */
    public final int vlanProto() {
        return vlanProto;
    }

    /** {@return tag control information of the out-of-band tag, 16 bits: priority, drop eligibility, VLAN} */
    public final int vlanTci() {
        return vlanTci;
    }

    /**
     * {@return true if the VLAN tag is held beside the packet data ({@code skb_vlan_tag_present}); VLAN 0 counts as a
     * tag}
     */
    public final boolean vlanTagPresent() {
        return vlanTagPresent;
    }

    /**
     * Sets an out-of-band VLAN tag ({@code __vlan_hwaccel_put_tag}).
     *
     * @param proto 0x8100 or 0x88A8
     * @param tci 16 bits: priority, drop eligibility, VLAN
     */
    public final void vlanTag(int proto, int tci) {
        vlanProto = proto;
        vlanTci = tci;
        vlanTagPresent = true;
    }

    /** Removes the out-of-band VLAN tag ({@code __vlan_hwaccel_clear_tag}). */
    public final void clearVlanTag() {
        vlanProto = 0;
        vlanTci = 0;
        vlanTagPresent = false;
    }

    // Queue selection

    /** {@return queueing priority, 0 is the lowest} */
    public final int priority() {
        return priority;
    }

    /**
     * Sets {@link #priority()}.
     *
     * @param value 0 is the lowest
     */
    public final void priority(int value) {
        priority = value;
    }

    /** {@return transmit queue of a multi-queue device ({@code skb_get_queue_mapping})} */
    public final int queueMapping() {
        return queueMapping;
    }

    /**
     * Sets {@link #queueMapping()} ({@code skb_set_queue_mapping}).
     *
     * @param value from 0
     */
    public final void queueMapping(int value) {
        queueMapping = value;
    }

    /** {@return flow hash, 0 if not computed ({@code rxhash})} */
    public final int hash() {
        return hash;
    }

    /**
     * Sets {@link #hash()} and clears {@link #l4Hash()}.
     *
     * @param value 0 for none
     */
    public final void hash(int value) {
        hash(value, false);
    }

    /**
     * Sets {@link #hash()} and {@link #l4Hash()}.
     *
     * @param value 0 for none
     * @param overPorts true if the hash covers the transport's ports
     */
    public final void hash(int value, boolean overPorts) {
        hash = value;
        l4Hash = overPorts;
    }

    /** {@return true if the hash covers the transport's ports ({@code l4_rxhash})} */
    public final boolean l4Hash() {
        return l4Hash;
    }

    /** {@return true if the flow may change its queue: none of its packets is in flight ({@code ooo_okay})} */
    public final boolean oooOkay() {
        return oooOkay;
    }

    /**
     * Sets {@link #oooOkay()}.
     *
     * @param value true to allow a change of the queue
     */
    public final void oooOkay(boolean value) {
        oooOkay = value;
    }
}
