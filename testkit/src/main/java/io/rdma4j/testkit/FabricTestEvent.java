// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The time of a test in the recording, which contains other tests as well. */
@Name("rdma4j.Test")
@Label("Test")
@Description("A test with a fabric ran")
@Category("rdma4j")
@StackTrace(false)
final class FabricTestEvent extends Event {
    @Label("Name")
    String name = "";

    @Label("Seed")
    long seed;

    @Label("Failed")
    boolean failed;
}
