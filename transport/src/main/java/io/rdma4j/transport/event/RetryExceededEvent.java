// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A requester exhausts its retries: IBA 9.7.5.1.1, C9-141. */
@Name("rdma4j.RetryExceeded")
@Label("Retry Exceeded")
@Description("A requester gave up: the peer did not answer, or was not ready, too often")
@Category("rdma4j")
@StackTrace(false)
final class RetryExceededEvent extends Event {
    @Label("Interface")
    String netdev = "";

    @Label("Queue Pair Number")
    int qpn;

    @Label("Packet Sequence Number")
    int psn;

    @Label("Cause")
    String cause = "";
}
