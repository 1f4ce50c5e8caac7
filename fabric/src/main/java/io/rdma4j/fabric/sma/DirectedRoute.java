// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sm.Smp;
import java.lang.foreign.MemorySegment;

/**
 * The rules of directed routes (IBA 14.2.2): what a node does with a datagram, by its hop pointer. A request counts the
 * pointer up from 0 to the hop count plus 1, a response counts it down to 0.
 */
final class DirectedRoute {
    /** The agent of the node handles the request. */
    static final int AGENT = 0;
    /** The requester is at this node. */
    static final int MANAGER = -1;
    /** The datagram goes on by the LID of its LID-routed part. */
    static final int BY_LID = -2;
    /** The datagram is dropped. */
    static final int DROP = -3;

    private DirectedRoute() {}

    /**
     * Moves the hop pointer, and notes the port of arrival in the return path.
     *
     * @param arrivalPort at which the datagram arrived; not used where the node itself sends it
     * @param isSwitch a channel adapter forwards nothing
     * @param ports number of ports of the node
     * @return a port by which the datagram leaves, {@link #AGENT}, {@link #MANAGER}, {@link #BY_LID} or {@link #DROP}
     */
    static int step(MemorySegment mad, long offset, int arrivalPort, boolean isSwitch, int ports) {
        if (Smp.HOP_COUNT.getInt(mad, offset) > Smp.MAX_HOPS) {
            return DROP;
        }
        int output = (Mad.STATUS.getInt(mad, offset) & MadStatus.DIRECTION) == 0
                ? request(mad, offset, arrivalPort, isSwitch)
                : response(mad, offset, isSwitch);
        return output > ports ? DROP : output;
    }

    private static int request(MemorySegment mad, long offset, int arrivalPort, boolean isSwitch) {
        int count = Smp.HOP_COUNT.getInt(mad, offset);
        int pointer = Smp.HOP_POINTER.getInt(mad, offset);
        if (pointer > count) {
            return pointer == count + 1 ? AGENT : DROP;
        }
        if (pointer > 0) {
            Smp.RETURN_PATH.elements().get(pointer).put(mad, offset, arrivalPort);
        }
        Smp.HOP_POINTER.put(mad, offset, pointer + 1);
        if (pointer < count) {
            return pointer == 0 || isSwitch ? leave(Smp.INITIAL_PATH.getInt(mad, offset, pointer + 1)) : DROP;
        }
        return end(Smp.DR_DLID.getInt(mad, offset), AGENT, isSwitch);
    }

    private static int response(MemorySegment mad, long offset, boolean isSwitch) {
        int count = Smp.HOP_COUNT.getInt(mad, offset);
        int pointer = Smp.HOP_POINTER.getInt(mad, offset);
        if (pointer == 0) {
            return MANAGER;
        }
        if (pointer > count + 1) {
            return DROP;
        }
        Smp.HOP_POINTER.put(mad, offset, pointer - 1);
        if (pointer > 1) {
            boolean isFirst = pointer == count + 1;
            return isFirst || isSwitch ? leave(Smp.RETURN_PATH.getInt(mad, offset, pointer - 1)) : DROP;
        }
        return end(Smp.DR_SLID.getInt(mad, offset), MANAGER, isSwitch);
    }

    private static int leave(int port) {
        return port == 0 ? DROP : port;
    }

    private static int end(int lid, int here, boolean isSwitch) {
        if (lid == Lid.PERMISSIVE) {
            return here;
        }
        return isSwitch ? BY_LID : DROP;
    }
}
