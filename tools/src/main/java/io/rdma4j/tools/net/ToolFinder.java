// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.tools.cli.Command;
import io.rdma4j.verbs.Host;
import org.jspecify.annotations.Nullable;

/** Finds the project's tools. */
@FunctionalInterface
public interface ToolFinder {
    /** Creates the tool of this name for one run with the devices of a host; null if there is none. */
    @Nullable
    Command find(String name, Host host);
}
