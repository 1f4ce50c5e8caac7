// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.topology;

import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sm.GuidInfo;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A port of the topology: the PortInfo that was read, the port at the other end of its cable, and its LID. */
public final class SmPort {
    private static final int PKEYS = 32;
    private static final int REINIT = 1 << 18;
    private static final int DO_NOT_RESUSCITATE = 8;

    public final SmNode node;
    public final int number;
    public final MemorySegment info = MemorySegment.ofArray(new byte[PortInfoAttribute.LAYOUT.bytes()]);

    /** Path to a port of a channel adapter. */
    public int[] path;

    public long guid;

    /** The first block of GUIDInfo of a port that has a LID. */
    public final MemorySegment guids = MemorySegment.ofArray(new byte[GuidInfo.LAYOUT.bytes()]);

    /** The first block of the P_Key table of a port that has a LID. */
    public int[] pkeys = new int[PKEYS];

    public boolean isRead;

    /** SMInfo of the subnet manager at the port; null if there is none. */
    @Nullable
    public MemorySegment smInfo;

    public int lid;
    public int lmc;

    @Nullable
    public SmPort peer;

    public SmPort(SmNode node, int number) {
        this.node = node;
        this.number = number;
        this.path = node.path;
        this.guid = node.guid;
    }

    public void read(MemorySegment mad, long offset) {
        MemorySegment.copy(mad, offset, info, 0, info.byteSize());
        isRead = true;
    }

    public int get(MadField field) {
        return field.getInt(info, 0);
    }

    /** True if the port has a LID of its own: all but the external ports of a switch. */
    public boolean isEnd() {
        return !node.isSwitch || number == 0;
    }

    /** True for the GUID of the port, and for those that the port has further. */
    public boolean hasGuid(long wanted) {
        return guid == wanted
                || wanted != 0 && GuidInfo.GUIDS.elements().stream().anyMatch(entry -> entry.get(guids, 0) == wanted);
    }

    /** The M_Key of the node: that of port 0 of a switch. */
    public long managementKey() {
        return PortInfoAttribute.M_KEY.get((node.isSwitch ? node.portZero() : this).info, 0);
    }

    public boolean isUp() {
        return isRead && (number == 0 || get(PortInfoAttribute.PORT_STATE) > PortState.DOWN.code());
    }

    /** What the node asks for when it is initialized; 0 if its port does not tell. */
    public int initType() {
        return (get(PortInfoAttribute.CAPABILITY_MASK) & REINIT) == 0 ? 0 : get(PortInfoAttribute.INIT_TYPE);
    }

    /** True if the node or the one at the other end of the cable asks not to be brought up. */
    public boolean staysDown() {
        return isUnwanted() || peer != null && peer.isUnwanted();
    }

    private boolean isUnwanted() {
        return !node.isSwitch && (initType() & DO_NOT_RESUSCITATE) != 0;
    }

    public PortState state() {
        return PortState.values()[get(PortInfoAttribute.PORT_STATE)];
    }

    /** Returns the switch that forwards to the port: the node itself, or that at the other end of the cable. */
    @Nullable
    public SmNode switchNode() {
        SmPort other = peer;
        return node.isSwitch ? node : other == null || !other.node.isSwitch ? null : other.node;
    }

    /** True for a port of a switch with a cable to a channel adapter. */
    public boolean isNextToAdapter() {
        SmPort other = peer;
        return node.isSwitch && other != null && !other.node.isSwitch;
    }

    /** Returns the node at the other end of the cable, which there must be. */
    public SmNode peerNode() {
        return peerPort().node;
    }

    /** Returns the port at the other end of the cable, which there must be. */
    public SmPort peerPort() {
        return Objects.requireNonNull(peer, "no cable");
    }

    /** Returns the smaller value at the two ends of the link. */
    public int common(MadField field) {
        SmPort other = peer;
        return other == null ? get(field) : Math.min(get(field), other.get(field));
    }
}
