package io.rdma4j.net.skb;

import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.SharedPart.ChecksumStep;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.InternetChecksum;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The transport checksum of a buffer, in each of its states ({@link ChecksumState}): whoever sends leaves it to the device or
 * finishes it, whoever receives verifies it unless the device did.
 *
 * <pre>
 *                 sending                                         receiving
 *   NONE          complete in the packet                          nobody looked: software sums
 *   UNNECESSARY   as NONE                                         known to be right
 *   COMPLETE      does not occur                                  csum is the sum of all from data() on
 *   PARTIAL       pseudo header is summed, see {@link #leave}     came from this host and never was on a wire: right
 * </pre>
 *
 * Methods that sum may meet a fragment whose memory is gone: {@link IllegalStateException}. Nothing is allocated.
 */
public final class PacketChecksum {
    private static final ChecksumStep SUM = InternetChecksum::add;
    private static final ValueLayout.OfShort CHECKSUM =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** How a checksum of 0 is sent where 0 means that there is none ({@code CSUM_MANGLED_0}). */
    private static final int MANGLED_ZERO = 0xFFFF;

    private PacketChecksum() {}

    /**
     * The sum of the pseudo header ({@code csum_tcpudp_nofold}, {@code csum_ipv6_magic}), with the addresses of the IP header,
     * whose place is known.
     *
     * @param skb stays the caller's
     * @param protocol of the header behind it, 8 bits
     * @param length bytes from that header to the end of the datagram
     * @return not folded, not complemented
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
     * Leaves the checksum of a packet to the device ({@code CHECKSUM_PARTIAL}): writes the sum of the pseudo header into its
     * place. The places of network and transport header are known; the transport header is in the linear part, and the
     * datagram ends with the buffer.
     *
     * @param skb stays the caller's
     * @param protocol of the transport header, 8 bits
     * @param checksumOffset of the checksum in that header
     */
    public static void leave(SkBuff skb, int protocol, int checksumOffset) {
        int start = skb.transportHeader() - skb.data();
        int pseudo = ~InternetChecksum.of(pseudoHeader(skb, protocol, skb.len() - start));
        skb.memory().set(CHECKSUM, skb.transportHeader() + (long) checksumOffset, (short) pseudo);
        skb.checksumPartial(start, checksumOffset);
    }

    /**
     * Finishes a checksum that was left ({@code skb_checksum_help}), which makes it NONE; nothing happens in any other state. The
     * block must not be shared.
     *
     * @param skb stays the caller's
     */
    public static void finish(SkBuff skb) {
        if (skb.ipSummed() != ChecksumState.PARTIAL) {
            return;
        }
        int start = skb.csumStart() - skb.data();
        int checksum = InternetChecksum.of(skb.checksum(start, skb.len() - start, 0, SUM));
        int stored = checksum == 0 ? MANGLED_ZERO : checksum;
        skb.memory().set(CHECKSUM, skb.csumStart() + (long) skb.csumOffset(), (short) stored);
        skb.ipSummed(ChecksumState.NONE);
    }

    // Receiving

    /**
     * Verifies a datagram that begins with its transport header, whose checksum covers all of it and the pseudo header
     * ({@code skb_checksum_validate}). What was verified is not summed again.
     *
     * @param skb stays the caller's
     * @param protocol of that header, 8 bits
     * @return false if it is wrong
     */
    public static boolean validate(SkBuff skb, int protocol) {
        return isKnown(skb) || verify(skb, pseudoHeader(skb, protocol, skb.len()));
    }

    /**
     * Verifies as {@link #validate}, for a checksum that covers no pseudo header, as those of ICMP and IGMP
     * ({@code skb_checksum_simple_validate}).
     *
     * @param skb stays the caller's
     * @return false if it is wrong
     */
    public static boolean validateSimple(SkBuff skb) {
        return isKnown(skb) || verify(skb, 0);
    }

    /**
     * Verifies as {@link #validate}, for a protocol that may leave the checksum out
     * ({@code skb_checksum_validate_zero_check}): one that stands as 0 is accepted.
     *
     * @param skb stays the caller's
     * @param protocol of the transport header, 8 bits
     * @param stored the checksum as it stands in the header
     * @return false if it is wrong
     */
    public static boolean validateUnlessZero(SkBuff skb, int protocol, int stored) {
        return stored == 0 || validate(skb, protocol);
    }

    private static boolean isKnown(SkBuff skb) {
        ChecksumState state = skb.ipSummed();
        return state == ChecksumState.UNNECESSARY || state == ChecksumState.PARTIAL;
    }

    /** A sum of the device that does not fit is not believed: software has the last word ({@code netdev_rx_csum_fault}). */
    private static boolean verify(SkBuff skb, int pseudo) {
        boolean right = skb.ipSummed() == ChecksumState.COMPLETE && InternetChecksum.of(add(skb.csum(), pseudo)) == 0
                || InternetChecksum.of(skb.checksum(0, skb.len(), pseudo, SUM)) == 0;
        if (right) {
            skb.ipSummed(ChecksumState.UNNECESSARY);
        }
        return right;
    }

    /**
     * Sums a packet as a device does that leaves it to others what the sum should be ({@code CHECKSUM_COMPLETE}).
     *
     * @param skb stays the caller's; nothing happens if it is shorter than the header
     * @param linkBytes of the link header, which the sum leaves out; 0 if it is off
     */
    public static void complete(SkBuff skb, int linkBytes) {
        if (skb.len() >= linkBytes) {
            skb.csum(skb.checksum(linkBytes, skb.len() - linkBytes, 0, SUM));
            skb.ipSummed(ChecksumState.COMPLETE);
        }
    }

    /**
     * Takes bytes off the front, and out of the device's sum ({@code skb_pull_rcsum}).
     *
     * @param skb stays the caller's
     * @param length bytes, an even number as all headers have
     * @return the new {@link SkBuff#data()}
     */
    public static int pull(SkBuff skb, int length) {
        if (skb.ipSummed() == ChecksumState.COMPLETE) {
            skb.csum(subtract(skb.csum(), skb.checksum(0, length, 0, SUM)));
        }
        return skb.pull(length);
    }

    /**
     * Puts bytes that are in the headroom in front again, and into the device's sum ({@code skb_push_rcsum}); an even number.
     *
     * @param skb stays the caller's
     * @param length bytes, an even number
     * @return the new {@link SkBuff#data()}
     */
    public static int push(SkBuff skb, int length) {
        int at = skb.push(length);
        if (skb.ipSummed() == ChecksumState.COMPLETE) {
            skb.csum(add(skb.csum(), skb.checksum(0, length, 0, SUM)));
        }
        return at;
    }

    /**
     * Cuts the end off, so that {@code length} bytes stay, and out of the device's sum ({@code pskb_trim_rcsum}).
     *
     * @param skb stays the caller's
     * @param length bytes that stay
     */
    public static void trim(SkBuff skb, int length) {
        if (skb.ipSummed() == ChecksumState.COMPLETE && length < skb.len()) {
            int removed = skb.checksum(length, skb.len() - length, 0, SUM);
            // At an odd place, its bytes were the others of their words.
            skb.csum(subtract(skb.csum(), (length & 1) == 0 ? removed : Integer.rotateLeft(removed, Byte.SIZE)));
        }
        skb.trim(length);
    }

    /** One's complement: what overflows comes back in ({@code csum_add}). */
    private static int add(int sum, int more) {
        int result = sum + more;
        return Integer.compareUnsigned(result, more) < 0 ? result + 1 : result;
    }

    private static int subtract(int sum, int less) {
        return add(sum, ~less);
    }
}
