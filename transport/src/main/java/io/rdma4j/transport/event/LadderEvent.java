// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A step of a ladder ended the processing of a packet, with the result of that step. */
@Name("rdma4j.Ladder")
@Label("Ladder")
@Description("A step of the responder or completer ended the way of a packet")
@Category("rdma4j")
@Enabled(false)
@StackTrace(false)
final class LadderEvent extends Event {
    @Label("Interface")
    String netdev = "";

    @Label("Queue Pair Number")
    int qpn;

    @Label("Packet Sequence Number")
    int psn;

    @Label("Step")
    String step = "";

    @Label("Result")
    String result = "";
}
