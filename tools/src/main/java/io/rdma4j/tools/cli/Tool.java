// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.cli;

import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.Rdma;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A tool in the dispatcher's table.
 *
 * @param name word that the user types
 * @param summary one line for the list of tools
 * @param maker creates the tool for the devices of a host; called only for the tool that runs, to keep the start fast
 */
public record Tool(String name, String summary, Function<Supplier<Host>, Command> maker) {
    /** {@return the tool for the devices of this machine} */
    public Command command() {
        return maker.apply(Rdma::host);
    }
}
