// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A received packet was dropped, before its queue pair was found or by the queue pair. */
@Name("rdma4j.PacketDrop")
@Label("Packet Drop")
@Description("A packet that arrived was dropped")
@Category("rdma4j")
@StackTrace(false)
final class PacketDropEvent extends Event {
    @Label("Interface")
    String netdev = "";

    @Label("Queue Pair Number")
    int qpn;

    @Label("Packet Sequence Number")
    int psn;

    @Label("Opcode")
    int opcode;

    @Label("Reason")
    String reason = "";
}
