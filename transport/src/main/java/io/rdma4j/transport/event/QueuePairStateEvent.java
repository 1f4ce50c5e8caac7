// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A queue pair changed its state, by request or because of an error. */
@Name("rdma4j.QueuePairState")
@Label("Queue Pair State")
@Description("A queue pair changed its state")
@Category("rdma4j")
@Enabled(false)
@StackTrace(false)
final class QueuePairStateEvent extends Event {
    @Label("Interface")
    String netdev = "";

    @Label("Queue Pair Number")
    int qpn;

    @Label("From")
    String from = "";

    @Label("To")
    String to = "";
}
