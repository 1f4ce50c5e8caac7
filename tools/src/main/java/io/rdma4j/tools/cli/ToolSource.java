// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.cli;

import java.util.List;

/** Provides the tools of another module. The dispatcher finds sources by {@link java.util.ServiceLoader}. */
public interface ToolSource {
    /** {@return the tools, in the order in which {@code help} lists them} */
    List<Tool> tools();
}
