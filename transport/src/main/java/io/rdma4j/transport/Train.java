package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Position;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What a packet train says of its last packet, laid over the buffer's control buffer; answers to {@code TCP_SKB_CB} in
 * manner.
 *
 * <pre>
 *  0  opcode of the last packet (32)      4  flags of the last packet (32): 1 solicited event, 2 acknowledge request
 *  8  extended header of the last packet (32), if it has one: immediate data, key to invalidate, or AETH
 * </pre>
 *
 * <p>A train is one message or a part of one: {@code gsoSegs} packets with consecutive PSNs, {@code gsoSize} payload bytes
 * in each but the last. The headers in the buffer are those of the first packet; packets between first and last are middle
 * packets without extended headers. A buffer that is no train is described by its own headers alone.
 */
public final class Train {
    private static final long LAST_OPCODE = 0;
    private static final long FLAGS = 4;
    private static final long LAST_WORD = 8;
    private static final int SOLICITED = 1;
    private static final int ACK_REQUEST = 2;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

    private Train() {}

    /** Bytes of the headers that every packet of a train has which begins with {@code first}. */
    public static int commonBytes(Opcode first) {
        return first.withPosition(Position.MIDDLE).headerBytes();
    }

    static void describeLast(SkBuff skb, Opcode opcode, boolean solicited, boolean ackRequest, int lastWord) {
        MemorySegment cb = skb.cb();
        cb.set(INT, LAST_OPCODE, opcode.code());
        cb.set(INT, FLAGS, (solicited ? SOLICITED : 0) | (ackRequest ? ACK_REQUEST : 0));
        cb.set(INT, LAST_WORD, lastWord);
    }

    /** Opcode of the last packet. */
    public static Opcode lastOpcode(SkBuff skb) {
        Opcode opcode = Opcode.of(skb.cb().get(INT, LAST_OPCODE));
        if (opcode == null) {
            throw new IllegalStateException("the control buffer does not describe a train");
        }
        return opcode;
    }

    /** Whether the last packet carries the solicited event bit. */
    public static boolean solicited(SkBuff skb) {
        return (skb.cb().get(INT, FLAGS) & SOLICITED) != 0;
    }

    /** Whether the last packet asks for an acknowledgement. */
    public static boolean ackRequest(SkBuff skb) {
        return (skb.cb().get(INT, FLAGS) & ACK_REQUEST) != 0;
    }

    /** The 32-bit extended header of the last packet, as a number; undefined if it has none. */
    public static int lastWord(SkBuff skb) {
        return skb.cb().get(INT, LAST_WORD);
    }
}
