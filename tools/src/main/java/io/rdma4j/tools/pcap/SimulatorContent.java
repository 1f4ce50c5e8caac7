// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import io.rdma4j.tools.pcap.DecodedPacket.Addresses;
import io.rdma4j.tools.pcap.DecodedPacket.Verdict;
import io.rdma4j.wire.FieldSink;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Udp;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadCheck;
import io.rdma4j.wire.mad.MadClass;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A message of the simulator ibsim to or from a client: a UDP datagram with a prefix of 32 bytes before a management
 * datagram.
 *
 * @param memory the frame
 * @param prefix offset of the prefix in the frame
 */
record SimulatorContent(MemorySegment memory, long prefix) implements PacketContent {
    private static final int PREFIX_BYTES = 32;
    private static final int SOURCE_LID = 4;
    private static final int DESTINATION_QPN = 8;
    private static final int SOURCE_QPN = 12;
    private static final int STATUS = 16;
    private static final int LENGTH = 24;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /**
     * Decodes an IPv4 packet, or returns null if it is no message of the simulator. The protocol has no port of its
     * own: length, reserved bytes, and version and class of the datagram must fit.
     */
    static @Nullable DecodedPacket decode(MemorySegment memory, int network) {
        if (memory.byteSize() - network != Ipv4.BYTES + Udp.BYTES + PREFIX_BYTES + Mad.BYTES
                || Ipv4.version(memory, network) != Ipv4.VERSION
                || Ipv4.headerBytes(memory, network) != Ipv4.BYTES
                || Ipv4.protocol(memory, network) != Ipv4.PROTOCOL_UDP) {
            return null;
        }
        long prefix = (long) network + Ipv4.BYTES + Udp.BYTES;
        SimulatorContent content = new SimulatorContent(memory, prefix);
        return content.isValid() ? new DecodedPacket(Verdict.SIMULATED, "ok", content.addresses(), content) : null;
    }

    private boolean isValid() {
        return memory.get(SHORT, prefix + Short.BYTES) == 0
                && memory.get(SHORT, prefix + SOURCE_LID + Short.BYTES) == 0
                && memory.get(LONG, prefix + LENGTH) >>> Short.SIZE == 0
                && Mad.check(memory, madOffset(), Mad.BYTES) == MadCheck.OK
                && MadClass.of(Mad.MGMT_CLASS.getInt(memory, madOffset())) != null;
    }

    private Addresses addresses() {
        return new Addresses("lid " + lid(prefix + SOURCE_LID), "lid " + lid(prefix));
    }

    private int lid(long offset) {
        return memory.get(SHORT, offset) & 0xFFFF;
    }

    @Override
    public String name() {
        return "umad2sim";
    }

    @Override
    public void describe(FieldSink sink) {
        sink.decimal("qpn", memory.get(INT, prefix + DESTINATION_QPN));
        sink.decimal("sourceQpn", memory.get(INT, prefix + SOURCE_QPN));
        if (memory.get(INT, prefix + STATUS) != 0) {
            sink.decimal("errno", memory.get(INT, prefix + STATUS));
        }
    }

    @Override
    public long madOffset() {
        return prefix + PREFIX_BYTES;
    }
}
