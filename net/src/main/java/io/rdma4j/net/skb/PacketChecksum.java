// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.ChecksumStep;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.InternetChecksum;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Computes and verifies the transport checksum of a buffer, by its state ({@link ChecksumState}). A sender leaves the
 * checksum to the device or computes it. A receiver verifies it unless the device has done so.
 *
 * <pre>
 *                 sending                                            receiving
 *   NONE          complete in the packet                             not verified: software computes the sum
 *   UNNECESSARY   as NONE                                            verified
 *   COMPLETE      does not occur                                     csum is the sum of all bytes from data() on
 *   PARTIAL       sum of the pseudo header only, see {@link #leave}  sent by this host without a wire: correct
 * </pre>
 *
 * <p>Methods that compute sums throw an {@link IllegalStateException} if the memory of a fragment was released. Nothing
 * is allocated.
 */
public final class PacketChecksum {
    private static final ChecksumStep SUM = InternetChecksum::add;
    private static final ValueLayout.OfShort CHECKSUM =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Value for a checksum of 0 in protocols where 0 means that there is none ({@code CSUM_MANGLED_0}). */
    private static final int MANGLED_ZERO = 0xFFFF;

    private PacketChecksum() {}

    /**
     * Computes the sum of the pseudo header ({@code csum_tcpudp_nofold}, {@code csum_ipv6_magic}), with the addresses
     * of the IP header, whose offset is set.
     *
     * @param skb the packet; the caller keeps it
     * @param protocol protocol number of the next header, 8 bits
     * @param length bytes from that header to the end of the datagram
     * @return the sum, not folded, not complemented
     */
    public static int pseudoHeader(SkBuff skb, int protocol, int length) {
        MemorySegment memory = skb.memory();
        int at = skb.networkHeader();
        boolean v4 = Ipv4.version(memory, at) == Ipv4.VERSION;
        int addresses = v4 ? at + Ipv4.SOURCE : at + Ipv6.SOURCE;
        int sum = InternetChecksum.add(protocol, length);
        return InternetChecksum.add(sum, memory, addresses, v4 ? 2 * Integer.BYTES : 4 * Long.BYTES, false);
    }

    // Sending

    /**
     * Leaves the checksum of a packet to the device ({@code CHECKSUM_PARTIAL}) and writes the sum of the pseudo header
     * into its field. The offsets of network and transport header are set. The transport header is in the linear part,
     * and the datagram ends with the buffer.
     *
     * @param skb the packet; the caller keeps it
     * @param protocol protocol number of the transport header, 8 bits
     * @param checksumOffset offset of the checksum in that header
     */
    public static void leave(SkBuff skb, int protocol, int checksumOffset) {
        int start = skb.transportHeader() - skb.data();
        int pseudo = ~InternetChecksum.of(pseudoHeader(skb, protocol, skb.len() - start));
        skb.memory().set(CHECKSUM, skb.transportHeader() + (long) checksumOffset, (short) pseudo);
        skb.checksumPartial(start, checksumOffset);
    }

    /**
     * Computes a pending checksum ({@code skb_checksum_help}); then the state is NONE. No effect in any other state.
     * The block must not be shared.
     *
     * @param skb the packet; the caller keeps it
     */
    public static void finish(SkBuff skb) {
        if (skb.meta().ipSummed() != ChecksumState.PARTIAL) {
            return;
        }
        int start = skb.meta().csumStart() - skb.data();
        int checksum = InternetChecksum.of(skb.checksum(start, skb.len() - start, 0, SUM));
        int stored = checksum == 0 ? MANGLED_ZERO : checksum;
        skb.memory().set(CHECKSUM, skb.meta().csumStart() + (long) skb.meta().csumOffset(), (short) stored);
        skb.meta().ipSummed(ChecksumState.NONE);
    }

    // Receiving

    /**
     * Verifies the checksum of a datagram that begins with its transport header ({@code skb_checksum_validate}). The
     * checksum covers the datagram and the pseudo header. A verified datagram is not summed again.
     *
     * @param skb the packet; the caller keeps it
     * @param protocol protocol number of that header, 8 bits
     * @return false if the checksum is wrong
     */
    public static boolean validate(SkBuff skb, int protocol) {
        return isKnown(skb) || verify(skb, pseudoHeader(skb, protocol, skb.len()));
    }

    /**
     * Verifies as {@link #validate} a checksum without pseudo header, as those of ICMP and IGMP
     * ({@code skb_checksum_simple_validate}).
     *
     * @param skb the packet; the caller keeps it
     * @return false if the checksum is wrong
     */
    public static boolean validateSimple(SkBuff skb) {
        return isKnown(skb) || verify(skb, 0);
    }

    /**
     * Verifies as {@link #validate} for a protocol with an optional checksum ({@code
     * skb_checksum_validate_zero_check}): the value 0 is accepted.
     *
     * @param skb the packet; the caller keeps it
     * @param protocol protocol number of the transport header, 8 bits
     * @param stored the checksum in the header
     * @return false if the checksum is wrong
     */
    public static boolean validateUnlessZero(SkBuff skb, int protocol, int stored) {
        return stored == 0 || validate(skb, protocol);
    }

    private static boolean isKnown(SkBuff skb) {
        ChecksumState state = skb.meta().ipSummed();
        return state == ChecksumState.UNNECESSARY || state == ChecksumState.PARTIAL;
    }

    /** If the device's sum does not match, software computes it again and decides ({@code netdev_rx_csum_fault}). */
    private static boolean verify(SkBuff skb, int pseudo) {
        boolean right = skb.meta().ipSummed() == ChecksumState.COMPLETE
                        && InternetChecksum.of(add(skb.meta().csum(), pseudo)) == 0
                || InternetChecksum.of(skb.checksum(0, skb.len(), pseudo, SUM)) == 0;
        if (right) {
            skb.meta().ipSummed(ChecksumState.UNNECESSARY);
        }
        return right;
    }

    /**
     * Sets the sum of a packet as a device does that verifies nothing ({@code CHECKSUM_COMPLETE}).
     *
     * @param skb the packet; the caller keeps it; unchanged if it is shorter than the link header
     * @param linkBytes bytes of the link header, which the sum excludes; 0 if it is removed
     */
    public static void complete(SkBuff skb, int linkBytes) {
        if (skb.len() >= linkBytes) {
            skb.meta().csum(skb.checksum(linkBytes, skb.len() - linkBytes, 0, SUM));
            skb.meta().ipSummed(ChecksumState.COMPLETE);
        }
    }

    /**
     * Removes bytes from the front, and from the device's sum ({@code skb_pull_rcsum}).
     *
     * @param skb the packet; the caller keeps it
     * @param length bytes, an even number, as the length of all headers
     * @return the new {@link SkBuff#data()}
     */
    public static int pull(SkBuff skb, int length) {
        if (skb.meta().ipSummed() == ChecksumState.COMPLETE) {
            skb.meta().csum(subtract(skb.meta().csum(), skb.checksum(0, length, 0, SUM)));
        }
        return skb.pull(length);
    }

    /**
     * Adds bytes of the headroom to the front again, and to the device's sum ({@code skb_push_rcsum}).
     *
     * @param skb the packet; the caller keeps it
     * @param length bytes, an even number
     * @return the new {@link SkBuff#data()}
     */
    public static int push(SkBuff skb, int length) {
        int at = skb.push(length);
        if (skb.meta().ipSummed() == ChecksumState.COMPLETE) {
            skb.meta().csum(add(skb.meta().csum(), skb.checksum(0, length, 0, SUM)));
        }
        return at;
    }

    /**
     * Removes bytes from the end, and from the device's sum ({@code pskb_trim_rcsum}).
     *
     * @param skb the packet; the caller keeps it
     * @param length number of remaining bytes
     */
    public static void trim(SkBuff skb, int length) {
        if (skb.meta().ipSummed() == ChecksumState.COMPLETE && length < skb.len()) {
            int removed = skb.checksum(length, skb.len() - length, 0, SUM);
            // At an odd offset the bytes have the opposite position in their 16-bit words.
            skb.meta()
                    .csum(subtract(
                            skb.meta().csum(), (length & 1) == 0 ? removed : Integer.rotateLeft(removed, Byte.SIZE)));
        }
        skb.trim(length);
    }

    /** One's complement addition: a carry is added again ({@code csum_add}). */
    private static int add(int sum, int more) {
        int result = sum + more;
        return Integer.compareUnsigned(result, more) < 0 ? result + 1 : result;
    }

    private static int subtract(int sum, int less) {
        return add(sum, ~less);
    }
}
