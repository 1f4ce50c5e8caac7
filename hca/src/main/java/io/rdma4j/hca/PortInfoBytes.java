// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.LinkSpeed;
import io.rdma4j.verbs.device.LinkWidth;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortInfo;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The attribute PortInfo of a port, as the 64 bytes of a management datagram: what management writes to the port, and
 * what verbs and management read of it. It outlives the port, which exists only while the device is open. Any thread.
 *
 * <p>Bit 26 of the capability mask is {@link PortCapability#IP_BASED_GIDS}, as in {@code port_cap_flags}. Three bits
 * beside the attribute belong to no field of it: the LED (LedInfo), FDR10, which PortInfo shows as QDR
 * (MlnxExtendedPortInfo), and whether the port was shut down rather than its interface.
 */
public final class PortInfoBytes {
    /** Violation counters have 16 bits and saturate. */
    private static final int MAX_VIOLATIONS = 0xFFFF;

    private static final PortInfo EMPTY =
            new PortInfo(PortState.DOWN, PhysicalState.POLLING, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, false);

    private final MemorySegment bytes = MemorySegment.ofArray(new byte[PortInfoAttribute.LAYOUT.bytes()]);
    private boolean led;
    private boolean fdr10;
    private boolean shutDown;

    /** Creates the attribute of a port that management has not written to yet. */
    public PortInfoBytes() {
        set(PortInfoAttribute.GID_PREFIX, Gid.LINK_LOCAL_PREFIX);
        set(PortInfoAttribute.LOCAL_PORT_NUM, HcaLimits.PORT);
        set(PortInfoAttribute.LINK_DOWN_DEFAULT_STATE, PhysicalState.POLLING.code());
        set(PortInfoAttribute.MTU_CAP, Mtu.MTU_4096.code());
        states(PortState.DOWN, PhysicalState.POLLING);
    }

    synchronized long get(MadField field) {
        return field.get(bytes, 0);
    }

    private int value(MadField field) {
        return field.getInt(bytes, 0);
    }

    synchronized void set(MadField field, long value) {
        field.put(bytes, 0, value);
    }

    synchronized byte[] toArray() {
        return bytes.toArray(ValueLayout.JAVA_BYTE);
    }

    synchronized boolean isShutDown() {
        return shutDown;
    }

    synchronized void shutDown(boolean down) {
        shutDown = down;
    }

    /** Returns the capabilities, of the port itself and of programs. */
    synchronized int capabilities() {
        return value(PortInfoAttribute.CAPABILITY_MASK);
    }

    /** Writes the capabilities of a mask; the others stay. */
    synchronized void capabilities(int bits, int mask) {
        set(PortInfoAttribute.CAPABILITY_MASK, capabilities() & ~mask | bits);
    }

    /** Writes the present width, speed, lanes and MTU of the link. */
    synchronized void link(LinkRate rate, int lanes, Mtu mtu) {
        int width = rate.width().code();
        set(PortInfoAttribute.LINK_WIDTH_ENABLED, width);
        set(PortInfoAttribute.LINK_WIDTH_SUPPORTED, width);
        set(PortInfoAttribute.LINK_WIDTH_ACTIVE, width);
        fdr10 = rate.speed() == LinkSpeed.FDR10;
        int speed = Math.min(rate.speed().code(), LinkSpeed.QDR.code());
        set(PortInfoAttribute.LINK_SPEED_ACTIVE, speed);
        set(PortInfoAttribute.LINK_SPEED_SUPPORTED, upTo(speed));
        set(PortInfoAttribute.LINK_SPEED_ENABLED, upTo(speed));
        int extended = rate.speed().code() / LinkSpeed.FDR.code();
        set(PortInfoAttribute.LINK_SPEED_EXT_ACTIVE, extended);
        set(PortInfoAttribute.LINK_SPEED_EXT_SUPPORTED, upTo(extended));
        set(PortInfoAttribute.LINK_SPEED_EXT_ENABLED, upTo(extended));
        int vls = PortAttributes.vlCode(lanes);
        set(PortInfoAttribute.VL_CAP, vls);
        set(PortInfoAttribute.OPERATIONAL_VLS, vls);
        set(PortInfoAttribute.NEIGHBOR_MTU, mtu.code());
    }

    /** A mask with a bit and all bits below; 0 for 0. */
    private static int upTo(int bit) {
        return Math.max(0, 2 * bit - 1);
    }

    synchronized void states(PortState state, PhysicalState physical) {
        set(PortInfoAttribute.PORT_STATE, state.code());
        set(PortInfoAttribute.PORT_PHYSICAL_STATE, physical.code());
    }

    synchronized void violations(long badPkeys, long badQkeys) {
        set(PortInfoAttribute.P_KEY_VIOLATIONS, Math.min(badPkeys, MAX_VIOLATIONS));
        set(PortInfoAttribute.Q_KEY_VIOLATIONS, Math.min(badQkeys, MAX_VIOLATIONS));
    }

    /** Writes what a subnet manager writes, without the states, which the port itself determines. */
    public synchronized void write(PortInfo orders) {
        set(PortInfoAttribute.M_KEY, orders.managementKey());
        set(PortInfoAttribute.GID_PREFIX, orders.gidPrefix());
        set(PortInfoAttribute.LID, orders.lid());
        set(PortInfoAttribute.LMC, orders.lmc());
        set(PortInfoAttribute.MASTER_SM_LID, orders.masterSmLid());
        set(PortInfoAttribute.MASTER_SM_SL, orders.masterSmSl());
        set(PortInfoAttribute.SUBNET_TIMEOUT, orders.subnetTimeout());
        set(PortInfoAttribute.INIT_TYPE_REPLY, orders.initTypeReply());
        led = orders.led();
    }

    /** Returns what management reads. */
    public synchronized PortInfo toPortInfo() {
        return EMPTY.toBuilder()
                .state(state())
                .physicalState(physicalState())
                .managementKey(get(PortInfoAttribute.M_KEY))
                .gidPrefix(get(PortInfoAttribute.GID_PREFIX))
                .lid(value(PortInfoAttribute.LID), value(PortInfoAttribute.LMC))
                .masterSm(value(PortInfoAttribute.MASTER_SM_LID), value(PortInfoAttribute.MASTER_SM_SL))
                .subnetTimeout(value(PortInfoAttribute.SUBNET_TIMEOUT))
                .initType(value(PortInfoAttribute.INIT_TYPE))
                .initTypeReply(value(PortInfoAttribute.INIT_TYPE_REPLY))
                .clientReregister(get(PortInfoAttribute.CLIENT_REREGISTER) != 0)
                .led(led)
                .build();
    }

    private PortState state() {
        return PortState.values()[value(PortInfoAttribute.PORT_STATE)];
    }

    private PhysicalState physicalState() {
        return PhysicalState.values()[value(PortInfoAttribute.PORT_PHYSICAL_STATE) - 1];
    }

    /** Returns what verbs read ({@code query_port}), with the capabilities that agents add. */
    synchronized PortAttributes toAttributes(int pkeys, LinkLayer layer, int agentCapabilities) {
        return new PortAttributes(
                state(),
                Mtu.ofCode(value(PortInfoAttribute.MTU_CAP)),
                Mtu.ofCode(value(PortInfoAttribute.NEIGHBOR_MTU)),
                HcaLimits.GID_TABLE_LENGTH,
                PortCapability.ofMask(capabilities() | agentCapabilities),
                HcaLimits.MAX_MESSAGE_BYTES,
                value(PortInfoAttribute.P_KEY_VIOLATIONS),
                value(PortInfoAttribute.Q_KEY_VIOLATIONS),
                pkeys,
                value(PortInfoAttribute.LID),
                value(PortInfoAttribute.MASTER_SM_LID),
                value(PortInfoAttribute.LMC),
                value(PortInfoAttribute.VL_CAP),
                value(PortInfoAttribute.MASTER_SM_SL),
                value(PortInfoAttribute.SUBNET_TIMEOUT),
                value(PortInfoAttribute.INIT_TYPE_REPLY),
                LinkWidth.values()[Integer.numberOfTrailingZeros(value(PortInfoAttribute.LINK_WIDTH_ACTIVE))],
                speed(),
                physicalState(),
                layer);
    }

    private LinkSpeed speed() {
        int extended = value(PortInfoAttribute.LINK_SPEED_EXT_ACTIVE);
        if (fdr10) {
            return LinkSpeed.FDR10;
        }
        int code = extended > 0 ? extended * LinkSpeed.FDR.code() : value(PortInfoAttribute.LINK_SPEED_ACTIVE);
        return LinkSpeed.values()[Integer.numberOfTrailingZeros(code)];
    }
}
