// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.packet.ControlView;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Operation;
import io.rdma4j.wire.Position;

/**
 * Fields of the last packet of a train, laid over the buffer's control buffer as Linux lays {@code rxe_pkt_info}
 * ({@code SKB_TO_PKT}); {@link #skb} is the way back ({@code PKT_TO_SKB}).
 *
 * <pre>
 *  0  opcode of the last packet (32)      4  flags of the last packet (32): 1 solicited event, 2 acknowledge request
 *  8  extended header of the last packet (32), if it has one: immediate data, key to invalidate, or AETH
 * </pre>
 *
 * <p>A train is one message or a part of one: {@code gsoSegs} packets with consecutive PSNs, {@code gsoSize} payload
 * bytes in each but the last. The headers in the buffer are those of the first packet; packets between first and last
 * are middle packets without extended headers. A buffer that is not a train is described by its own headers alone.
 *
 * <p>Or a train consists of several SENDs of one packet each, all alike: the packet in the buffer is an ONLY packet,
 * and so are all that follow. Only the last may be shorter, and may request an acknowledgement or a solicited event.
 */
public final class Train extends ControlView {
    private static final int LAST_OPCODE = 0;
    private static final int FLAGS = 4;
    private static final int LAST_WORD = 8;
    private static final int BYTES = 12;
    private static final int SOLICITED = 1;
    private static final int ACK_REQUEST = 2;

    /** Creates a view over no buffer. */
    public Train() {
        super(BYTES);
    }

    /**
     * {@return bytes of the headers that every packet of a train has which begins with {@code first}}
     *
     * @param first the opcode of its first packet
     */
    public static int commonBytes(Opcode first) {
        return inner(first).headerBytes();
    }

    /**
     * {@return the opcode of the packets between the first and the last of a train}
     *
     * @param first the opcode of its first packet
     */
    public static Opcode inner(Opcode first) {
        return isOfMessages(first) ? first : first.withPosition(Position.MIDDLE);
    }

    /** True if a train that begins with {@code first} consists of several messages. */
    static boolean isOfMessages(Opcode first) {
        return first.position() == Position.ONLY;
    }

    /**
     * {@return true if a packet or train from an engine in another process is one that an engine can produce} Later
     * stages do not check the structure of a packet without ICRC. Never throws, whatever the bytes are.
     *
     * @param skb begins with its BTH
     */
    public boolean isWellFormed(SkBuff skb) {
        if (skb.headLen() < Bth.BYTES) {
            return false;
        }
        Opcode first = Bth.opcode(skb.memory(), skb.data());
        int payload = first == null ? -1 : skb.len() - first.headerBytes();
        if (first == null
                || skb.headLen() < first.headerBytes()
                || payload > 0 && !first.hasPayload()
                || Bth.transportVersion(skb.memory(), skb.data()) != 0) {
            return false;
        }
        return !skb.shinfo().isGso() || isTrain(skb, first, payload);
    }

    private boolean isTrain(SkBuff skb, Opcode first, int payload) {
        over(skb);
        Opcode last = Opcode.of(int32(LAST_OPCODE));
        return last != null
                && (isOfMessages(first) ? isSend(first) && last == first : isMessage(first, last))
                && skb.shinfo().gsoSegs() >= 2
                && skb.shinfo().gsoSegs() == Math.ceilDiv(payload, skb.shinfo().gsoSize());
    }

    private static boolean isSend(Opcode opcode) {
        return opcode.operation() == Operation.SEND && !opcode.carries(Header.IMMDT) && !opcode.carries(Header.IETH);
    }

    private static boolean isMessage(Opcode first, Opcode last) {
        return last.transport() == first.transport()
                && last.operation() == first.operation()
                && (first.position() == Position.FIRST || first.position() == Position.MIDDLE)
                && (last.position() == Position.MIDDLE || last.position() == Position.LAST);
    }

    public void describeLast(Opcode opcode, boolean solicited, boolean ackRequest, int lastWord) {
        int32(LAST_OPCODE, opcode.code());
        int32(FLAGS, (solicited ? SOLICITED : 0) | (ackRequest ? ACK_REQUEST : 0));
        int32(LAST_WORD, lastWord);
    }

    /** {@return opcode of the last packet} */
    public Opcode lastOpcode() {
        Opcode opcode = Opcode.of(int32(LAST_OPCODE));
        if (opcode == null) {
            throw new IllegalStateException("the control buffer does not describe a train");
        }
        return opcode;
    }

    /** {@return whether the last packet carries the solicited event bit} */
    public boolean solicited() {
        return (int32(FLAGS) & SOLICITED) != 0;
    }

    /** {@return whether the last packet asks for an acknowledgement} */
    public boolean ackRequest() {
        return (int32(FLAGS) & ACK_REQUEST) != 0;
    }

    /** {@return the 32-bit extended header of the last packet, as a number; undefined if it has none} */
    public int lastWord() {
        return int32(LAST_WORD);
    }
}
