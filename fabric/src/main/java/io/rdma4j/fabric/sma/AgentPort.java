// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import io.rdma4j.base.Mtu;
import io.rdma4j.fabric.IbPort;
import io.rdma4j.fabric.LinkModes;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.PortKind;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The attribute PortInfo of one port: the bytes that a subnet manager reads, and what a Set changes. */
final class AgentPort {
    /** What {@code LinkSpeedActive} reads on a link with an extended speed. */
    private static final int SPEED_QDR = 4;

    private static final int ALL_WIDTHS = 0xFF;
    private static final int ALL_SPEEDS = 0xF;
    private static final int ALL_EXTENDED_SPEEDS = 0x1F;
    private static final int NO_EXTENDED_SPEEDS = 0x1E;
    /** Time for the answer to leave by the port that goes down. */
    private static final long DOWN_DELAY_NS = 100_000;

    private static final int[] LANES_OF_CODE = {0, 1, 2, 4, 8, 15};
    /** Fields with rules of their own; a Set copies the others as they are. */
    private static final Set<MadField> SPECIAL = Set.of(
            PortInfoAttribute.LID,
            PortInfoAttribute.LMC,
            PortInfoAttribute.MASTER_SM_LID,
            PortInfoAttribute.LINK_WIDTH_ENABLED,
            PortInfoAttribute.LINK_SPEED_ENABLED,
            PortInfoAttribute.LINK_SPEED_EXT_ENABLED,
            PortInfoAttribute.LINK_DOWN_DEFAULT_STATE,
            PortInfoAttribute.PORT_STATE,
            PortInfoAttribute.PORT_PHYSICAL_STATE,
            PortInfoAttribute.NEIGHBOR_MTU,
            PortInfoAttribute.OPERATIONAL_VLS,
            PortInfoAttribute.M_KEY_VIOLATIONS,
            PortInfoAttribute.P_KEY_VIOLATIONS,
            PortInfoAttribute.Q_KEY_VIOLATIONS,
            PortInfoAttribute.CLIENT_REREGISTER);

    private final PortKind kind;
    private final @Nullable IbPort port;
    private final ManagedDevice device;
    private int ownCapabilities;
    private final MemorySegment bytes = MemorySegment.ofArray(new byte[PortInfoAttribute.LAYOUT.bytes()]);

    AgentPort(PortKind kind, @Nullable IbPort port, int capabilityMask, ManagedDevice device) {
        this.kind = kind;
        this.port = port;
        this.device = device;
        this.ownCapabilities = capabilityMask;
        initial(PortInfoAttribute.GID_PREFIX, 0xFE80L << 48);
        initial(PortInfoAttribute.CAPABILITY_MASK, capabilityMask);
        initial(PortInfoAttribute.LINK_DOWN_DEFAULT_STATE, PhysicalState.POLLING.code());
        initial(PortInfoAttribute.NEIGHBOR_MTU, Mtu.MTU_4096.code());
        initial(PortInfoAttribute.MTU_CAP, Mtu.MTU_4096.code());
        initial(PortInfoAttribute.VL_CAP, LANES_OF_CODE.length - 1);
        initial(PortInfoAttribute.OPERATIONAL_VLS, LANES_OF_CODE.length - 1);
        initial(PortInfoAttribute.VL_ARB_HIGH_CAP, 64);
        initial(PortInfoAttribute.VL_ARB_LOW_CAP, 64);
        initial(PortInfoAttribute.VL_STALL_COUNT, 7);
        initial(PortInfoAttribute.HOQ_LIFE, 20);
        initial(PortInfoAttribute.GUID_CAP, 8);
        initial(PortInfoAttribute.SUBNET_TIMEOUT, 18);
        initial(PortInfoAttribute.RESP_TIME_VALUE, 16);
        if (port == null) {
            PortInfoAttribute.PORT_STATE.put(bytes, 0, PortState.ACTIVE.code());
            PortInfoAttribute.PORT_PHYSICAL_STATE.put(bytes, 0, PhysicalState.LINK_UP.code());
        }
    }

    private void initial(MadField field, long value) {
        if (field.isValid(kind)) {
            field.put(bytes, 0, value);
        }
    }

    PortKind kind() {
        return kind;
    }

    long get(MadField field) {
        return field.get(bytes, 0);
    }

    void put(MadField field, long value) {
        field.put(bytes, 0, value);
    }

    /** Counts a violation; the counter stops at its maximum. */
    void count(MadField violations) {
        put(violations, Math.min(get(violations) + 1, 0xFFFF));
    }

    /** Capabilities of the agent, without those of the device. */
    int ownCapabilities() {
        return ownCapabilities;
    }

    void ownCapabilities(int mask) {
        ownCapabilities = mask;
        put(PortInfoAttribute.CAPABILITY_MASK, mask);
    }

    /** Takes over what the device determines; the capabilities of the agent stay. */
    void refresh() {
        device.refresh(bytes);
        if (PortInfoAttribute.CAPABILITY_MASK.isValid(kind)) {
            put(PortInfoAttribute.CAPABILITY_MASK, get(PortInfoAttribute.CAPABILITY_MASK) | ownCapabilities);
        }
    }

    /** Takes over what the port has. */
    private void readLink(IbPort from) {
        LinkModes supported = from.supported();
        put(PortInfoAttribute.LINK_WIDTH_SUPPORTED, supported.widths());
        put(PortInfoAttribute.LINK_SPEED_SUPPORTED, supported.speeds());
        put(PortInfoAttribute.LINK_SPEED_EXT_SUPPORTED, supported.extendedSpeeds());
        LinkModes enabled = from.enabled();
        put(PortInfoAttribute.LINK_WIDTH_ENABLED, enabled.widths());
        put(PortInfoAttribute.LINK_SPEED_ENABLED, enabled.speeds());
        put(PortInfoAttribute.LINK_SPEED_EXT_ENABLED, enabled.extendedSpeeds());
        LinkModes active = from.active();
        int extended = active == null ? 0 : active.extendedSpeeds();
        put(PortInfoAttribute.LINK_WIDTH_ACTIVE, active == null ? 0 : active.widths());
        put(PortInfoAttribute.LINK_SPEED_ACTIVE, active == null ? 0 : extended == 0 ? active.speeds() : SPEED_QDR);
        put(PortInfoAttribute.LINK_SPEED_EXT_ACTIVE, extended);
        put(PortInfoAttribute.MTU_CAP, from.mtuCap().code());
        put(PortInfoAttribute.NEIGHBOR_MTU, from.neighborMtu().code());
        put(PortInfoAttribute.PORT_STATE, from.state().code());
        put(PortInfoAttribute.PORT_PHYSICAL_STATE, from.physicalState().code());
    }

    /** Writes the attribute to a datagram, as it is at this moment. */
    void read(MemorySegment memory, long offset, int arrivalPort, boolean showsKey) {
        if (port != null) {
            readLink(port);
        }
        refresh();
        put(PortInfoAttribute.LOCAL_PORT_NUM, arrivalPort);
        MemorySegment.copy(bytes, 0, memory, offset, bytes.byteSize());
        if (!showsKey) {
            PortInfoAttribute.M_KEY.put(memory, offset, 0);
        }
    }

    /**
     * Changes what a Set changes. A bad component is skipped, and the others take effect; the state changes last.
     *
     * @return false if a component was bad
     */
    boolean write(MemorySegment memory, long offset, ManagedNode node) {
        if (port != null) {
            readLink(port);
        }
        for (MadField field : PortInfoAttribute.LAYOUT.fields()) {
            if (field.isSettable(kind) && !SPECIAL.contains(field)) {
                put(field, field.get(memory, offset));
            }
        }
        boolean isGood = writeLid(memory, offset, node);
        isGood &= enable(
                PortInfoAttribute.LINK_WIDTH_ENABLED,
                PortInfoAttribute.LINK_WIDTH_SUPPORTED,
                memory,
                offset,
                ALL_WIDTHS);
        isGood &= enable(
                PortInfoAttribute.LINK_SPEED_ENABLED,
                PortInfoAttribute.LINK_SPEED_SUPPORTED,
                memory,
                offset,
                ALL_SPEEDS);
        isGood &= enableExtended(memory, offset);
        isGood &= choice(PortInfoAttribute.NEIGHBOR_MTU, 1, (int) get(PortInfoAttribute.MTU_CAP), memory, offset);
        isGood &= choiceOrNone(PortInfoAttribute.OPERATIONAL_VLS, (int) get(PortInfoAttribute.VL_CAP), memory, offset);
        isGood &= choiceOrNone(PortInfoAttribute.LINK_DOWN_DEFAULT_STATE, PhysicalState.POLLING.code(), memory, offset);
        clearable(PortInfoAttribute.M_KEY_VIOLATIONS, memory, offset);
        clearable(PortInfoAttribute.P_KEY_VIOLATIONS, memory, offset);
        clearable(PortInfoAttribute.Q_KEY_VIOLATIONS, memory, offset);
        if (port != null) {
            apply(port);
            device.portInfoWritten(bytes);
            isGood &= writeStates(port, memory, offset);
        }
        if (PortInfoAttribute.CLIENT_REREGISTER.isSettable(kind)
                && PortInfoAttribute.CLIENT_REREGISTER.isSet(memory, offset)) {
            device.reregister();
        }
        return isGood;
    }

    private boolean writeLid(MemorySegment memory, long offset, ManagedNode node) {
        if (!PortInfoAttribute.LID.isSettable(kind)) {
            return true;
        }
        int sm = PortInfoAttribute.MASTER_SM_LID.getInt(memory, offset);
        boolean isGood = Lid.isUnicast(sm);
        if (isGood) {
            put(PortInfoAttribute.MASTER_SM_LID, sm);
        }
        int lid = PortInfoAttribute.LID.getInt(memory, offset);
        int lmc = PortInfoAttribute.LMC.isSettable(kind) ? PortInfoAttribute.LMC.getInt(memory, offset) : 0;
        if (!Lid.isUnicast(lid) || (lid & (1 << lmc) - 1) != 0) {
            return false;
        }
        put(PortInfoAttribute.LID, lid);
        put(PortInfoAttribute.LMC, lmc);
        node.lid(lid, lmc);
        return isGood;
    }

    /** A set of bits among those supported; 0 changes nothing, {@code all} enables all. */
    private boolean enable(MadField field, MadField supported, MemorySegment memory, long offset, int all) {
        long wanted = field.get(memory, offset);
        if (!field.isSettable(kind) || wanted == 0) {
            return true;
        }
        if (wanted == all) {
            put(field, get(supported));
            return true;
        }
        boolean isSubset = (wanted & ~get(supported)) == 0;
        if (isSubset) {
            put(field, wanted);
        }
        return isSubset;
    }

    /** Its value for "no extended speed" is not 0, which changes nothing. */
    private boolean enableExtended(MemorySegment memory, long offset) {
        MadField field = PortInfoAttribute.LINK_SPEED_EXT_ENABLED;
        if (field.isSettable(kind) && field.get(memory, offset) == NO_EXTENDED_SPEEDS) {
            put(field, 0);
            return true;
        }
        return enable(field, PortInfoAttribute.LINK_SPEED_EXT_SUPPORTED, memory, offset, ALL_EXTENDED_SPEEDS);
    }

    private boolean choice(MadField field, int least, int most, MemorySegment memory, long offset) {
        long wanted = field.get(memory, offset);
        boolean isGood = !field.isSettable(kind) || wanted >= least && wanted <= most;
        if (isGood && field.isSettable(kind)) {
            put(field, wanted);
        }
        return isGood;
    }

    private boolean choiceOrNone(MadField field, int most, MemorySegment memory, long offset) {
        return field.get(memory, offset) == 0 || choice(field, 1, most, memory, offset);
    }

    private void clearable(MadField field, MemorySegment memory, long offset) {
        if (field.isSettable(kind) && field.get(memory, offset) == 0) {
            put(field, 0);
        }
    }

    private void apply(IbPort to) {
        to.enabled(new LinkModes(
                (int) get(PortInfoAttribute.LINK_WIDTH_ENABLED), (int) get(PortInfoAttribute.LINK_SPEED_ENABLED), (int)
                        get(PortInfoAttribute.LINK_SPEED_EXT_ENABLED)));
        to.neighborMtu(Mtu.ofCode((int) get(PortInfoAttribute.NEIGHBOR_MTU)));
        to.lanes(LANES_OF_CODE[(int) get(PortInfoAttribute.OPERATIONAL_VLS)]);
        to.highLimit((int) get(PortInfoAttribute.VL_HIGH_LIMIT));
        if (kind == PortKind.SWITCH_EXTERNAL) {
            to.headOfQueueLife(
                    (int) get(PortInfoAttribute.HOQ_LIFE), Math.max(1, (int) get(PortInfoAttribute.VL_STALL_COUNT)));
            to.partitions()
                    .enforce(
                            get(PortInfoAttribute.PARTITION_ENFORCEMENT_INBOUND) != 0,
                            get(PortInfoAttribute.PARTITION_ENFORCEMENT_OUTBOUND) != 0);
            to.partitions()
                    .filterRaw(
                            get(PortInfoAttribute.FILTER_RAW_INBOUND) != 0,
                            get(PortInfoAttribute.FILTER_RAW_OUTBOUND) != 0);
        }
    }

    private static boolean writeStates(IbPort to, MemorySegment memory, long offset) {
        int state = PortInfoAttribute.PORT_STATE.getInt(memory, offset);
        int physical = PortInfoAttribute.PORT_PHYSICAL_STATE.getInt(memory, offset);
        boolean isKnown = state <= PortState.ACTIVE.code() && physical <= PhysicalState.DISABLED.code();
        if (!isKnown || physical != 0 && state > PortState.DOWN.code()) {
            return false;
        }
        if (physical == 0 && state == PortState.DOWN.code()) {
            to.takeDownAfter(DOWN_DELAY_NS);
            return true;
        }
        if (physical != 0) {
            to.setPhysicalState(PhysicalState.values()[physical - 1]);
            return true;
        }
        return to.setState(PortState.values()[state]);
    }
}
