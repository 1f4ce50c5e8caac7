// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A requester retransmits: IBA 9.7.5.1.1, 9.7.6.1.3. */
@Name("rdma4j.Retransmission")
@Label("Retransmission")
@Description("A requester sends all packets from a sequence number on again")
@Category("rdma4j")
@StackTrace(false)
final class RetransmissionEvent extends Event {
    @Label("Interface")
    String netdev = "";

    @Label("Queue Pair Number")
    int qpn;

    @Label("Packet Sequence Number")
    int psn;

    @Label("Cause")
    String cause = "";
}
