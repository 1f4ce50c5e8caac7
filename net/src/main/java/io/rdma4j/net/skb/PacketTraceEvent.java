// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A traced packet reached a stage of its path. */
@Name("rdma4j.PacketTrace")
@Label("Packet Trace")
@Description("A packet that a filter wants traced came to a stage of its way")
@Category("rdma4j")
@Enabled(false)
@StackTrace(false)
final class PacketTraceEvent extends Event {
    @Label("Stage")
    String stage = "";

    @Label("Input Device")
    @Nullable
    String in;

    @Label("Output Device")
    @Nullable
    String out;

    @Label("Packet")
    String packet = "";

    @Label("Length")
    @DataAmount
    int bytes;

    @Label("Mark")
    int mark;
}
