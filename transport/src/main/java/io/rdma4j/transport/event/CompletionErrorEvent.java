// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A work request completes with an error: IBA 11.6.2. */
@Name("rdma4j.CompletionError")
@Label("Completion Error")
@Description("A work request completed with an error")
@Category("rdma4j")
@StackTrace(false)
final class CompletionErrorEvent extends Event {
    @Label("Interface")
    String netdev = "";

    @Label("Queue Pair Number")
    int qpn;

    @Label("Work Request ID")
    long wrId;

    @Label("Status")
    String status = "";

    @Label("Vendor Error")
    int vendorError;
}
