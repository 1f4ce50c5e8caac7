package io.rdma4j.packet;

import org.jspecify.annotations.Nullable;

/**
 * What the layers write on a buffer for each other: the plain fields of {@code struct sk_buff}, without a rule but "who
 * clones copies them all".
 *
 * <p>A class of its own only to keep {@link SkBuff} readable; there is no other kind. A fresh buffer has zeroes, false and
 * null everywhere.
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
     * Takes over all fields ({@code __copy_skb_header}) but the owner, who is told of one buffer only, and {@link #peeked}: nobody
     * has seen this one. A checksum that is PARTIAL begins as far from {@link #data()} as in the other buffer.
     *
     * @param from which stays as it is
     */
    public final void copyFields(PacketFields from) {
        copyFilterFields(from);
        tstamp = from.tstamp;
        device = from.device;
        securityPath = from.securityPath;
        ipSummed = from.ipSummed;
        csum = from.csum;
        if (ipSummed == ChecksumState.PARTIAL) {
            // The start counts from the head of the block, and the packet may lie elsewhere in this one.
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

    // Where from and where to

    /** {@return when it arrived, nanoseconds of the host's clock; 0 if not stamped ({@code skb_get_ktime})} */
    public final long tstamp() {
        return tstamp;
    }

    /**
     * Stamps it.
     *
     * @param nanoseconds since 1970
     */
    public final void tstamp(long nanoseconds) {
        tstamp = nanoseconds;
    }

    /** {@return who sent it or is to get it on this host, null for packets that pass through ({@code skb->sk})} */
    public final @Nullable Object owner() {
        return owner;
    }

    /**
     * Sets the owner, who is forgotten with the destructor.
     *
     * @param value anything; null for nobody
     */
    public final void owner(@Nullable Object value) {
        owner = value;
    }

    /** {@return the device it came in on or leaves by; null while neither} */
    public final @Nullable PacketDevice device() {
        return device;
    }

    /**
     * Sets {@link #device()}.
     *
     * @param value where it arrived, or by which it leaves; null for none
     */
    public final void device(@Nullable PacketDevice value) {
        device = value;
    }

    /** {@return index of the device it arrived on, 0 if it began here ({@code skb_iif})} */
    public final int iif() {
        return iif;
    }

    /**
     * Sets {@link #iif()}.
     *
     * @param ifindex 0 if it began here
     */
    public final void iif(int ifindex) {
        iif = ifindex;
    }

    /** {@return transforms of a secured path that were applied ({@code skb_sec_path}); null: none} */
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

    // What it is

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

    /** {@return whom it is for, by the address of its link header ({@code pkt_type})} */
    public final PacketType packetType() {
        return packetType;
    }

    /**
     * Sets {@link #packetType()}.
     *
     * @param type whom it is for
     */
    public final void packetType(PacketType type) {
        packetType = type;
    }

    /** {@return bytes of the link header ({@code mac_len})} */
    public final int macLen() {
        return macLen;
    }

    /**
     * Sets {@link #macLen()}.
     *
     * @param bytes of the link header
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
     * @param state what is known of the checksum
     */
    public final void ipSummed(ChecksumState state) {
        ipSummed = state;
    }

    // One word, two meanings (union { csum; struct { csum_start; csum_offset } })

    /** {@return one's complement sum that {@link #ipSummed} speaks of if it is COMPLETE, 32 bits, not folded} */
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
     * Leaves a checksum to whoever sends the packet ({@code skb_partial_csum_set}): {@link #ipSummed} becomes PARTIAL. The sum of
     * the pseudo header stands in the checksum's place already.
     *
     * @param start where the sum begins, bytes from {@link #data()}
     * @param offset of the checksum, bytes from there
     * @throws IndexOutOfBoundsException if the checksum is not in the linear part, or too far from the head for 16 bits
     */
    public final void checksumPartial(int start, int offset) {
        checkRoom("checksumPartial, start", start, Math.min(headLen(), CSUM_MASK - data()));
        checkRoom("checksumPartial, offset", offset, headLen() - start - Short.BYTES);
        ipSummed = ChecksumState.PARTIAL;
        csum = data() + start << Short.SIZE | offset;
    }

    /** {@return where a sum that is PARTIAL begins, offset in {@link #memory()} ({@code csum_start})} */
    public final int csumStart() {
        return csum >>> Short.SIZE;
    }

    /** {@return where a checksum that is PARTIAL goes, bytes from {@link #csumStart} ({@code csum_offset})} */
    public final int csumOffset() {
        return csum & CSUM_MASK;
    }

    /**
     * {@return true if the packet may be cut into IP fragments here, whatever the path ({@code local_df},
     * {@code ignore_df})}
     */
    public final boolean localDf() {
        return localDf;
    }

    /**
     * Sets {@link #localDf()}.
     *
     * @param value true if it is so
     */
    public final void localDf(boolean value) {
        localDf = value;
    }

    /** {@return true for a packet that wraps another one, as in VXLAN or IP in IP} */
    public final boolean encapsulation() {
        return encapsulation;
    }

    /**
     * Sets {@link #encapsulation()}.
     *
     * @param value true if it is so
     */
    public final void encapsulation(boolean value) {
        encapsulation = value;
    }

    /**
     * {@return true if the last four bytes are the frame's check sequence, which the device must not add
     * ({@code no_fcs})}
     */
    public final boolean noFcs() {
        return noFcs;
    }

    /**
     * Sets {@link #noFcs()}.
     *
     * @param value true if it is so
     */
    public final void noFcs(boolean value) {
        noFcs = value;
    }

    /** {@return protocol of the VLAN tag beside the packet: 0x8100 or 0x88A8; 0 if there is none} */
    public final int vlanProto() {
        return vlanProto;
    }

    /** {@return tag control information of the tag beside the packet, 16 bits: priority, drop eligibility, VLAN} */
    public final int vlanTci() {
        return vlanTci;
    }

    /**
     * {@return true if a tag goes beside the packet instead of inside ({@code skb_vlan_tag_present}); VLAN 0 is a tag,
     * too}
     */
    public final boolean vlanTagPresent() {
        return vlanTagPresent;
    }

    /**
     * Puts a tag beside the packet ({@code __vlan_hwaccel_put_tag}).
     *
     * @param proto 0x8100 or 0x88A8
     * @param tci 16 bits: priority, drop eligibility, VLAN
     */
    public final void vlanTag(int proto, int tci) {
        vlanProto = proto;
        vlanTci = tci;
        vlanTagPresent = true;
    }

    /** Takes the tag away ({@code __vlan_hwaccel_clear_tag}). */
    public final void clearVlanTag() {
        vlanProto = 0;
        vlanTci = 0;
        vlanTagPresent = false;
    }

    // Which queue

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

    /** {@return transmit queue of a device with several ({@code skb_get_queue_mapping})} */
    public final int queueMapping() {
        return queueMapping;
    }

    /**
     * Chooses the transmit queue ({@code skb_set_queue_mapping}).
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
     * Sets a hash over less than the transport's ports.
     *
     * @param value 0 for none
     */
    public final void hash(int value) {
        hash(value, false);
    }

    /**
     * Sets the hash.
     *
     * @param value 0 for none
     * @param overPorts true if the transport's ports went into it
     */
    public final void hash(int value, boolean overPorts) {
        hash = value;
        l4Hash = overPorts;
    }

    /** {@return true if the transport's ports went into the hash ({@code l4_rxhash})} */
    public final boolean l4Hash() {
        return l4Hash;
    }

    /**
     * {@return true if the flow may change its queue with this packet, none of it being under way ({@code ooo_okay})}
     */
    public final boolean oooOkay() {
        return oooOkay;
    }

    /**
     * Sets {@link #oooOkay()}.
     *
     * @param value true if it is so
     */
    public final void oooOkay(boolean value) {
        oooOkay = value;
    }
}
