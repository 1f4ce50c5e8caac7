// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A responder had no receive posted: IBA 9.7.5.2.8. */
@Name("rdma4j.RnrNak")
@Label("Receiver Not Ready")
@Description("A responder had no receive posted and asked the requester to wait")
@Category("rdma4j")
@StackTrace(false)
final class RnrNakEvent extends Event {
    @Label("Interface")
    String netdev = "";

    @Label("Queue Pair Number")
    int qpn;

    @Label("Packet Sequence Number")
    int psn;

    @Label("Direction")
    String direction = "";

    @Label("Delay, ns")
    long delayNs;
}
