// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.umad2sim;

import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;

/** Messages as the preload library makes them. */
final class Program {
    private static final int ANY_LENGTH = Mad.BYTES;

    private Program() {}

    static MemorySegment control(int client, int type) {
        MemorySegment message = MemorySegment.ofArray(new byte[ControlMessage.BYTES]);
        ControlMessage.begin(message, client, type);
        return message;
    }

    /** A request to connect. */
    static MemorySegment connect(int dataPort, boolean isResponder, String node) {
        MemorySegment message = control(0, ControlMessage.CONNECT);
        ControlMessage.word(message, 0, dataPort);
        ControlMessage.word(message, 2, isResponder ? 1 : 0);
        ControlMessage.name(message, node);
        return message;
    }

    /** A request of subnet management along a directed route. Hops are the output ports. */
    static MemorySegment direct(MadMethod method, MadAttribute attribute, long transactionId, int... hops) {
        MemorySegment message = datagram(MadClass.SUBN_DIRECTED_ROUTE, method.code(), attribute, transactionId);
        DatagramMessage.lids(message, Lid.PERMISSIVE, Lid.PERMISSIVE);
        MemorySegment mad = DatagramMessage.mad(message);
        Smp.DR_SLID.put(mad, 0, Lid.PERMISSIVE);
        Smp.DR_DLID.put(mad, 0, Lid.PERMISSIVE);
        Smp.HOP_COUNT.put(mad, 0, hops.length);
        for (int i = 0; i < hops.length; i++) {
            Smp.INITIAL_PATH.elements().get(i + 1).put(mad, 0, hops[i]);
        }
        return message;
    }

    /** A request or response by LID, from queue pair 0 or 1 to the same one. */
    static MemorySegment toLid(
            MadClass mgmtClass, int method, MadAttribute attribute, long transactionId, int destination) {
        MemorySegment message = datagram(mgmtClass, method, attribute, transactionId);
        DatagramMessage.lids(message, destination, 0);
        int qpn = mgmtClass.isManagement() ? 0 : 1;
        DatagramMessage.qpns(message, qpn, qpn);
        return message;
    }

    private static MemorySegment datagram(MadClass mgmtClass, int method, MadAttribute attribute, long transactionId) {
        MemorySegment message = MemorySegment.ofArray(new byte[DatagramMessage.BYTES]);
        Mad.write(message, DatagramMessage.MAD, mgmtClass, method, attribute.attributeId(), transactionId);
        DatagramMessage.length(message, ANY_LENGTH);
        return message;
    }
}
