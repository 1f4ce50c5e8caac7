// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.umad2sim;

import io.rdma4j.ib.NodeAgents;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Answers the control messages that read attributes of the client's node. For the owner of the loop. */
final class ControlAnswers {
    private static final int LID_AT = 0;
    private static final int STATE_AT = 2;
    private static final int FIRMWARE_AT = 16;
    private static final int PKEYS = 32;
    private static final int GUID_BYTES = 8;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final NodeAgents node;
    private final MemorySegment attribute = MemorySegment.ofArray(new byte[Smp.DATA_BYTES]);

    ControlAnswers(NodeAgents node) {
        this.node = node;
    }

    /** Fills the data in; returns false for a request that this class does not answer, or that is invalid. */
    boolean answer(MemorySegment message) {
        MemorySegment data = ControlMessage.data(message);
        return switch (ControlMessage.type(message)) {
            case ControlMessage.GET_PORT -> port(data);
            case ControlMessage.GET_VENDOR -> vendor(data);
            case ControlMessage.GET_GID -> gid(data);
            case ControlMessage.GET_GUID -> guid(data);
            case ControlMessage.GET_NODE_INFO -> copy(data, MadAttribute.NODE_INFO, 0);
            case ControlMessage.GET_PORT_INFO -> copy(data, MadAttribute.PORT_INFO, ControlMessage.word(message, 0));
            case ControlMessage.GET_PKEYS -> pkeys(data);
            default -> false;
        };
    }

    private void read(MadAttribute what) {
        node.agent().read(what, 0, attribute);
    }

    private boolean port(MemorySegment data) {
        read(MadAttribute.PORT_INFO);
        data.set(SHORT, LID_AT, (short) PortInfoAttribute.LID.getInt(attribute, 0));
        data.set(ValueLayout.JAVA_BYTE, STATE_AT, (byte) PortInfoAttribute.PORT_STATE.getInt(attribute, 0));
        return true;
    }

    private boolean vendor(MemorySegment data) {
        read(MadAttribute.NODE_INFO);
        data.set(INT, 0, NodeInfo.VENDOR_ID.getInt(attribute, 0));
        data.set(INT, Integer.BYTES, NodeInfo.DEVICE_ID.getInt(attribute, 0));
        data.set(INT, 2 * Integer.BYTES, NodeInfo.REVISION.getInt(attribute, 0));
        data.set(LONG, FIRMWARE_AT, 1);
        return true;
    }

    /** Prefix and GUID in network order. */
    private boolean gid(MemorySegment data) {
        read(MadAttribute.PORT_INFO);
        MemorySegment.copy(attribute, PortInfoAttribute.GID_PREFIX.offset(), data, 0, GUID_BYTES);
        read(MadAttribute.NODE_INFO);
        MemorySegment.copy(attribute, NodeInfo.PORT_GUID.offset(), data, GUID_BYTES, GUID_BYTES);
        return true;
    }

    private boolean guid(MemorySegment data) {
        read(MadAttribute.NODE_INFO);
        MemorySegment.copy(attribute, NodeInfo.PORT_GUID.offset(), data, 0, GUID_BYTES);
        return true;
    }

    private boolean copy(MemorySegment data, MadAttribute what, int modifier) {
        int status = node.agent().read(what, modifier, attribute);
        data.copyFrom(attribute);
        return status == MadStatus.SUCCESS;
    }

    /** As the table in a datagram, in network order. */
    private boolean pkeys(MemorySegment data) {
        read(MadAttribute.P_KEY_TABLE);
        MemorySegment.copy(
                attribute, PkeyTableBlock.PKEYS.elements().getFirst().offset(), data, 0, PKEYS * Short.BYTES);
        return true;
    }
}
