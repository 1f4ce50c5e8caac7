// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A send request was started. Corresponds to the tracepoint {@code post_send} of the rxe provider in rdma-core. */
@Name("rdma4j.SendRequest")
@Label("Send Request")
@Description("A queue pair began to carry out a send request")
@Category("rdma4j")
@Enabled(false)
@StackTrace(false)
final class SendRequestEvent extends Event {
    @Label("Interface")
    String netdev = "";

    @Label("Queue Pair Number")
    int qpn;

    @Label("Operation")
    String opcode = "";

    @Label("Length")
    @DataAmount
    long length;
}
