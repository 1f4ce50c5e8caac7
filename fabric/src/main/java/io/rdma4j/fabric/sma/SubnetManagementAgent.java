// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import io.rdma4j.fabric.IbEndPort;
import io.rdma4j.fabric.IbPort;
import io.rdma4j.fabric.IbSubnet;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.PortKind;
import io.rdma4j.wire.mad.sm.GuidInfo;
import io.rdma4j.wire.mad.sm.NodeDescription;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.TrapDetails;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The subnet management agent of a node (SMA, IBA 14.2.5): answers Get and Set of its attributes, and changes ports and
 * tables. One thread at a time.
 */
public final class SubnetManagementAgent {
    private static final int PKEYS = 32;
    private static final int DEFAULT_PKEY = 0xFFFF;
    private static final int IS_SM = 1 << 1;
    private static final int MKEY_NVRAM = 1 << 7;
    private static final int PKEY_NVRAM = 1 << 8;
    private static final int SM_DISABLED = 1 << 10;
    private static final int EXTERNAL_PORT_PKEY_TRAP = 1 << 12;
    private static final int REINIT = 1 << 18;
    private static final int CLIENT_REREGISTRATION = 1 << 25;
    /** Traps, SL-to-VL table, system image GUID, directed routes in traps. */
    private static final int CAPABILITIES = 1 << 3 | 1 << 6 | 1 << 11 | 1 << 21;

    private static final int URGENT = 1;
    private static final int SECURITY = 2;
    private static final int INFORMATIONAL = 4;
    private static final int DETAILS_OF_PATH = 30;

    private static final int GUIDS = 8;
    private static final int PORT_MASK = 0xFF;
    private static final int BLOCK_MASK = 0xFFFF;

    private final ManagedNode node;
    private final long guid;
    private final byte[] description;
    private final AgentPort[] ports;
    private final ManagedDevice device;
    private final int[][] pkeys;
    private final LaneAttributes lanes;

    /** Null for a channel adapter. */
    private final @Nullable SwitchAttributes tables;

    private final long[] guids = new long[GUIDS];
    private boolean isSetting;
    private @Nullable TrapQueue traps;
    private @Nullable KeyProtection key;

    private SubnetManagementAgent(ManagedNode node, long guid, String description, ManagedDevice device) {
        this.node = node;
        this.device = device;
        this.guid = guid;
        this.description = Arrays.copyOf(description.getBytes(StandardCharsets.UTF_8), Smp.DATA_BYTES);
        this.ports = new AgentPort[node.portCount() + 1];
        this.pkeys = new int[ports.length][PKEYS];
        for (int i = 0; i < ports.length; i++) {
            pkeys[i][0] = DEFAULT_PKEY;
        }
        this.lanes = new LaneAttributes(node);
        IbSwitch ownSwitch = node.asSwitch();
        this.tables = ownSwitch == null ? null : new SwitchAttributes(ownSwitch, PKEYS);
        guids[0] = portGuid();
    }

    private long portGuid() {
        return node.isSwitch() ? guid : guid + 1;
    }

    /**
     * {@return the agent of a switch}
     *
     * @param node the switch
     * @param guid of the node and of port 0
     * @param description text of at most 64 bytes
     */
    public static SubnetManagementAgent of(IbSwitch node, long guid, String description) {
        SubnetManagementAgent agent =
                new SubnetManagementAgent(ManagedNode.of(node), guid, description, ManagedDevice.NONE);
        agent.ports[0] =
                new AgentPort(PortKind.SWITCH_BASE, null, CAPABILITIES | EXTERNAL_PORT_PKEY_TRAP, ManagedDevice.NONE);
        for (int i = 1; i < agent.ports.length; i++) {
            agent.ports[i] = new AgentPort(PortKind.SWITCH_EXTERNAL, node.port(i), 0, ManagedDevice.NONE);
            node.port(i).partitions().pkeys(agent.pkeys[i]);
        }
        return agent;
    }

    /**
     * {@return the agent of a channel adapter with one port}
     *
     * @param end the port
     * @param guid of the node; that of the port is greater by 1
     * @param description text of at most 64 bytes
     * @param device hears what a subnet manager writes
     */
    public static SubnetManagementAgent of(IbEndPort end, long guid, String description, ManagedDevice device) {
        SubnetManagementAgent agent = new SubnetManagementAgent(ManagedNode.of(end), guid, description, device);
        int capabilities = CAPABILITIES | REINIT | CLIENT_REREGISTRATION;
        AgentPort port = new AgentPort(PortKind.CHANNEL_ADAPTER, end.port(), capabilities, device);
        Arrays.fill(agent.ports, port);
        agent.pkeys[0] = agent.pkeys[1];
        return agent;
    }

    ManagedNode node() {
        return node;
    }

    /**
     * Reads an attribute, as the agent would answer a Get that arrives at port 1 of an adapter or port 0 of a switch.
     *
     * @param attribute of class {@link MadClass#SUBN_LID_ROUTED}
     * @param modifier of the attribute
     * @param to 64 bytes, written from its first byte
     * @return {@link MadStatus}
     */
    public int read(MadAttribute attribute, int modifier, MemorySegment to) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, MadClass.SUBN_LID_ROUTED, MadMethod.GET.code(), attribute.attributeId(), 0);
        Mad.ATTRIBUTE_MODIFIER.put(mad, 0, modifier);
        int status = status(mad, 0, arrivalPort(0), false);
        MemorySegment.copy(mad, Smp.DATA, to, 0, Smp.DATA_BYTES);
        return status;
    }

    /** {@return the capabilities of the agent, as bits of {@code PortInfo.CapabilityMask}} */
    public int capabilities() {
        return ports[0].ownCapabilities();
    }

    /**
     * Announces whether a subnet manager runs at the node (capability IsSM) and whether it is inactive (IsSMdisabled),
     * and sends the trap of a change.
     *
     * @param isThere true if there is one
     * @param isDisabled true if all that are there are in the state NOT-ACTIVE
     */
    public void manager(boolean isThere, boolean isDisabled) {
        announce(isThere ? IS_SM | (isDisabled ? SM_DISABLED : 0) : 0, IS_SM | SM_DISABLED);
    }

    private void announce(int bits, int mask) {
        int before = capabilities();
        int after = before & ~mask | bits;
        if (after != before) {
            ports[0].ownCapabilities(after);
            capabilitiesChanged();
        }
    }

    /**
     * Starts the port of a channel adapter with the keys that its device has kept in non-volatile memory, and announces
     * the memory (capabilities IsM_KeyNVRAM and IsP_KeyNVRAM). Called before the first packet arrives.
     *
     * @param key M_Key; 0 for none
     * @param protectBits {@code M_KeyProtectBits}
     * @param leaseSeconds {@code M_KeyLeasePeriod}
     * @param table P_Keys, 16 bits each; empty if none are kept
     */
    public void restoreKeys(long key, int protectBits, int leaseSeconds, int[] table) {
        AgentPort own = ports[0];
        own.put(PortInfoAttribute.M_KEY, key);
        own.put(PortInfoAttribute.M_KEY_PROTECT_BITS, protectBits);
        own.put(PortInfoAttribute.M_KEY_LEASE_PERIOD, leaseSeconds);
        if (table.length > 0) {
            System.arraycopy(table, 0, pkeys[0], 0, Math.min(table.length, PKEYS));
            device.pkeysWritten(pkeys[0]);
        }
        own.ownCapabilities(capabilities() | MKEY_NVRAM | PKEY_NVRAM);
    }

    /** Announces that keys are no longer kept, because the memory has failed, and sends the trap of the change. */
    public void keysAreVolatile() {
        announce(0, MKEY_NVRAM | PKEY_NVRAM);
    }

    /** Called once by the interface of the node. */
    void start(SubnetManagementInterface output, IbSubnet subnet) {
        traps = new TrapQueue(output, node, ports[0], subnet);
        key = new KeyProtection(ports[0], subnet);
    }

    private TrapQueue traps() {
        return started(traps);
    }

    private KeyProtection key() {
        return started(key);
    }

    private static <T> T started(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("the agent has no interface yet");
        }
        return part;
    }

    private SwitchAttributes tables() {
        if (tables == null) {
            throw new IllegalStateException("the node is no switch");
        }
        return tables;
    }

    /** The state of a port changed: SwitchInfo shows it, and a trap tells it, unless a Set is the cause. */
    void portChanged() {
        if (isSetting) {
            return;
        }
        if (tables != null) {
            tables.portChanged();
            traps().raise(
                            URGENT,
                            TrapDetails.LINK_STATE_CHANGE,
                            details -> TrapDetails.SWITCH_LID.put(details, 0, node.lid()));
        }
    }

    /** Sends the trap that the capability mask has changed at the node itself. */
    public void capabilitiesChanged() {
        AgentPort own = ports[0];
        own.refresh();
        traps().raise(INFORMATIONAL, TrapDetails.CAPABILITY_CHANGE, details -> {
            TrapDetails.LID.put(details, 0, node.lid());
            TrapDetails.CAPABILITY_MASK.put(details, 0, own.get(PortInfoAttribute.CAPABILITY_MASK));
        });
    }

    /**
     * Sends the trap that a packet with a P_Key of another partition has arrived.
     *
     * @param source LID of its sender
     * @param pkey 16 bits
     * @param serviceLevel of the packet
     * @param sourceQpn of the sender; 0 if the packet does not tell
     * @param destinationQpn of the receiver
     */
    public void badPkey(int source, int pkey, int serviceLevel, int sourceQpn, int destinationQpn) {
        traps().raise(SECURITY, TrapDetails.BAD_P_KEY, details -> {
            TrapDetails.LID_1.put(details, 0, source);
            TrapDetails.LID_2.put(details, 0, node.lid());
            TrapDetails.KEY.put(details, 0, pkey);
            TrapDetails.SL.put(details, 0, serviceLevel);
            TrapDetails.QPN_1.put(details, 0, sourceQpn);
            TrapDetails.QPN_2.put(details, 0, destinationQpn);
        });
    }

    /** A port of the switch has dropped a packet because of its P_Key: counts it, and sends a trap. */
    void pkeyRejected(int port, SkBuff packet) {
        ports[0].count(PortInfoAttribute.P_KEY_VIOLATIONS);
        traps().raise(SECURITY, TrapDetails.BAD_P_KEY_AT_SWITCH, details -> {
            RejectedPkey.describe(packet, details);
            TrapDetails.ENFORCING_LID.put(details, 0, node.lid());
            TrapDetails.ENFORCING_PORT.put(details, 0, port);
        });
    }

    /** True if a TrapRepress is for a trap of this agent, and not of a manager at the node. */
    boolean hasSent(MemorySegment memory, long trapRepress) {
        return traps().isSent(Mad.TRANSACTION_ID.get(memory, trapRepress));
    }

    /**
     * Answers a request in place.
     *
     * @return false if there is no answer
     */
    boolean answer(MemorySegment memory, long mad, int inputPort, ManagementCounts counts) {
        MadMethod method = MadMethod.of(Mad.METHOD.getInt(memory, mad));
        boolean isSet = method == MadMethod.SET;
        if (!isSet && method != MadMethod.GET && method != MadMethod.TRAP_REPRESS) {
            return false;
        }
        if (!key().admits(memory, mad, method != MadMethod.GET)) {
            counts.addKeyViolation();
            keyViolated(memory, mad);
            return false;
        }
        if (method == MadMethod.TRAP_REPRESS) {
            traps().repress(Mad.TRANSACTION_ID.get(memory, mad));
            return false;
        }
        isSetting = isSet;
        Mad.STATUS.put(memory, mad, status(memory, mad, arrivalPort(inputPort), isSet));
        isSetting = false;
        return true;
    }

    /** A channel adapter has one port, by which also its own datagrams arrive. */
    private int arrivalPort(int inputPort) {
        return node.isSwitch() ? inputPort : 1;
    }

    /** Starts the lease, after which a new manager may read the key, and sends a trap. */
    private void keyViolated(MemorySegment memory, long mad) {
        key().startLease();
        boolean isDirected = Mad.MGMT_CLASS.getInt(memory, mad) == MadClass.SUBN_DIRECTED_ROUTE.code();
        traps().raise(SECURITY, TrapDetails.BAD_M_KEY, details -> {
            TrapDetails.LID.put(details, 0, node.lid());
            TrapDetails.METHOD.put(details, 0, Mad.METHOD.get(memory, mad));
            TrapDetails.ATTRIBUTE_ID.put(details, 0, Mad.ATTRIBUTE_ID.get(memory, mad));
            TrapDetails.ATTRIBUTE_MODIFIER.put(details, 0, Mad.ATTRIBUTE_MODIFIER.get(memory, mad));
            TrapDetails.M_KEY.put(details, 0, Smp.M_KEY.get(memory, mad));
            if (isDirected) {
                addRoute(details, memory, mad);
            }
        });
    }

    private static void addRoute(MemorySegment details, MemorySegment memory, long mad) {
        int hops = Smp.HOP_COUNT.getInt(memory, mad);
        TrapDetails.DR_SLID.put(details, 0, Smp.DR_SLID.get(memory, mad));
        TrapDetails.DR_NOTICE.put(details, 0, 1);
        TrapDetails.DR_PATH_TRUNCATED.put(details, 0, hops >= DETAILS_OF_PATH ? 1 : 0);
        TrapDetails.DR_HOP_COUNT.put(details, 0, hops);
        for (int i = 0; i < Math.min(hops + 1, DETAILS_OF_PATH); i++) {
            TrapDetails.DR_RETURN_PATH.elements().get(i).put(details, 0, Smp.RETURN_PATH.getInt(memory, mad, i));
        }
    }

    private int status(MemorySegment memory, long mad, int inputPort, boolean isSet) {
        if (Mad.CLASS_VERSION.getInt(memory, mad) != MadClass.SUBN_LID_ROUTED.version()) {
            return MadStatus.BAD_VERSION;
        }
        MadAttribute attribute = MadAttribute.of(MadClass.SUBN_LID_ROUTED, Mad.ATTRIBUTE_ID.getInt(memory, mad));
        if (attribute == null
                || !attribute.allows(isSet ? MadMethod.SET : MadMethod.GET)
                || attribute.isSwitchOnly() && !node.isSwitch()) {
            return MadStatus.BAD_METHOD_ATTRIBUTE;
        }
        long data = mad + Smp.DATA;
        int modifier = Mad.ATTRIBUTE_MODIFIER.getInt(memory, mad);
        boolean isGood;
        switch (attribute) {
            case NODE_INFO -> isGood = nodeInfo(memory, data, modifier, inputPort);
            case NODE_DESCRIPTION -> isGood = nodeDescription(memory, data, modifier);
            case SWITCH_INFO -> isGood = tables().info(memory, data, modifier, isSet);
            case PORT_INFO -> isGood = portInfo(memory, mad, modifier, inputPort, isSet);
            case P_KEY_TABLE -> isGood = pkeyTable(memory, data, modifier, isSet);
            case GUID_INFO -> isGood = guidInfo(memory, data, modifier, isSet);
            case SL_TO_VL_TABLE -> isGood = lanes.slToVl(memory, data, modifier, isSet);
            case VL_ARBITRATION_TABLE -> isGood = lanes.arbitration(memory, data, modifier, isSet);
            case LINEAR_FORWARDING_TABLE -> isGood = tables().linear(memory, data, modifier, isSet);
            case MULTICAST_FORWARDING_TABLE -> isGood = tables().multicast(memory, data, modifier, isSet);
            default -> {
                return MadStatus.BAD_METHOD_ATTRIBUTE;
            }
        }
        return isGood ? MadStatus.SUCCESS : MadStatus.BAD_FIELD;
    }

    private static void clear(MemorySegment memory, long data) {
        memory.asSlice(data, Smp.DATA_BYTES).fill((byte) 0);
    }

    private boolean nodeInfo(MemorySegment memory, long data, int modifier, int inputPort) {
        clear(memory, data);
        NodeType type = node.isSwitch() ? NodeType.SWITCH : NodeType.CA;
        NodeInfo.BASE_VERSION.put(memory, data, Mad.BASE_VERSION_1);
        NodeInfo.CLASS_VERSION.put(memory, data, MadClass.SUBN_LID_ROUTED.version());
        NodeInfo.NODE_TYPE.put(memory, data, type.code());
        NodeInfo.NUM_PORTS.put(memory, data, node.portCount());
        NodeInfo.SYSTEM_IMAGE_GUID.put(memory, data, guid);
        NodeInfo.NODE_GUID.put(memory, data, guid);
        NodeInfo.PORT_GUID.put(memory, data, portGuid());
        NodeInfo.PARTITION_CAP.put(memory, data, PKEYS);
        NodeInfo.LOCAL_PORT_NUM.put(memory, data, inputPort);
        return modifier == 0;
    }

    private boolean nodeDescription(MemorySegment memory, long data, int modifier) {
        NodeDescription.NODE_DESCRIPTION.bytes(memory, data).copyFrom(MemorySegment.ofArray(description));
        return modifier == 0;
    }

    private boolean portInfo(MemorySegment memory, long mad, int modifier, int inputPort, boolean isSet) {
        int number = modifier & PORT_MASK;
        if (number >= ports.length) {
            return false;
        }
        boolean isGood = !isSet || ports[number].write(memory, mad + Smp.DATA, node);
        clear(memory, mad + Smp.DATA);
        ports[number].read(memory, mad + Smp.DATA, inputPort, key == null || key.isShownTo(memory, mad));
        return isGood;
    }

    private boolean pkeyTable(MemorySegment memory, long data, int modifier, boolean isSet) {
        int number = node.isSwitch() ? modifier >>> Short.SIZE : 0;
        if ((modifier & BLOCK_MASK) != 0 || number >= ports.length) {
            return false;
        }
        int[] table = pkeys[number];
        for (int i = 0; i < PKEYS; i++) {
            if (isSet) {
                table[i] = PkeyTableBlock.PKEYS.getInt(memory, data, i);
            } else {
                PkeyTableBlock.PKEYS.elements().get(i).put(memory, data, table[i]);
            }
        }
        if (isSet && node.isSwitch() && number > 0) {
            IbPort port = node.port(number);
            port.partitions().pkeys(table);
        } else if (isSet) {
            device.pkeysWritten(table);
        }
        return true;
    }

    /** Entry 0 is the port GUID, which does not change. */
    private boolean guidInfo(MemorySegment memory, long data, int block, boolean isSet) {
        if (block != 0) {
            return false;
        }
        for (int i = 0; i < GUIDS; i++) {
            MadField entry = GuidInfo.GUIDS.elements().get(i);
            if (isSet && i > 0) {
                guids[i] = entry.get(memory, data);
            }
            entry.put(memory, data, guids[i]);
        }
        if (isSet) {
            device.guidsWritten(guids);
        }
        return true;
    }
}
