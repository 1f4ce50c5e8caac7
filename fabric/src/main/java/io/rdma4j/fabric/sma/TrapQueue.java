// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import io.rdma4j.fabric.FabricTimer;
import io.rdma4j.fabric.IbSubnet;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The traps of a node (IBA 14.2.5.1, 13.4.9): the first one is sent to the subnet manager, again in the interval of
 * SubnetTimeOut, until the manager represses it. The others wait. One of each number is enough.
 */
final class TrapQueue {
    private static final int MAX_WAITING = 16;
    private static final long TRAP_SUPPORTED = 1 << 3;

    private final SubnetManagementInterface output;
    private final ManagedNode node;
    private final AgentPort port;
    private final FabricTimer repetition;
    private final Deque<MemorySegment> waiting = new ArrayDeque<>();
    private @Nullable MemorySegment sent;
    private long transactionId;

    /** @param port with the address of the manager */
    TrapQueue(SubnetManagementInterface output, ManagedNode node, AgentPort port, IbSubnet subnet) {
        this.output = output;
        this.node = node;
        this.port = port;
        this.repetition = subnet.newTimer(this::send);
    }

    /**
     * Sends a trap, unless one with this number waits already, or the node has no manager.
     *
     * @param type 0 fatal, 1 urgent, 2 security, 3 subnet management, 4 informational
     * @param details writes {@link Notice#DATA_DETAILS}, whose first byte is that of the segment
     */
    void raise(int type, int number, Consumer<MemorySegment> details) {
        if (!maySend() || waiting.size() == MAX_WAITING || isThere(number)) {
            return;
        }
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        NodeType producer = node.isSwitch() ? NodeType.SWITCH : NodeType.CA;
        Mad.write(
                mad,
                0,
                MadClass.SUBN_LID_ROUTED,
                MadMethod.TRAP.code(),
                MadAttribute.SM_NOTICE.attributeId(),
                ++transactionId);
        Notice.IS_GENERIC.put(mad, Smp.DATA, 1);
        Notice.TYPE.put(mad, Smp.DATA, type);
        Notice.PRODUCER_TYPE.put(mad, Smp.DATA, producer.code());
        Notice.TRAP_NUMBER.put(mad, Smp.DATA, number);
        Notice.ISSUER_LID.put(mad, Smp.DATA, node.lid());
        details.accept(mad.asSlice(Smp.DATA + Notice.DATA_DETAILS.offset()));
        waiting.add(mad);
        if (sent == null) {
            next();
        }
    }

    private boolean maySend() {
        boolean isActive = node.isSwitch() || node.port(1).state() == PortState.ACTIVE;
        return isActive
                && port.get(PortInfoAttribute.MASTER_SM_LID) != 0
                && (port.get(PortInfoAttribute.CAPABILITY_MASK) & TRAP_SUPPORTED) != 0;
    }

    private boolean isThere(int number) {
        MemorySegment first = sent;
        return first != null && Notice.TRAP_NUMBER.getInt(first, Smp.DATA) == number
                || waiting.stream().anyMatch(mad -> Notice.TRAP_NUMBER.getInt(mad, Smp.DATA) == number);
    }

    private void next() {
        sent = waiting.poll();
        repetition.cancel();
        send();
    }

    private void send() {
        MemorySegment mad = sent;
        if (mad == null) {
            return;
        }
        if (!maySend()) {
            waiting.clear();
            sent = null;
            return;
        }
        repetition.after(PortAttributes.timeoutNs((int) port.get(PortInfoAttribute.SUBNET_TIMEOUT)));
        output.send(mad, 0, (int) port.get(PortInfoAttribute.MASTER_SM_LID));
    }

    /** The manager has heard of a trap. */
    void repress(long ofTransaction) {
        if (isSent(ofTransaction)) {
            next();
        }
    }

    /** True if the trap that is sent at present has this transaction id. */
    boolean isSent(long transaction) {
        MemorySegment mad = sent;
        return mad != null && Mad.TRANSACTION_ID.get(mad, 0) == transaction;
    }
}
