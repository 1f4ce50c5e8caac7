// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;

/** An object type of {@code ip}: links, addresses, routes. Has no state. */
interface IpObject {
    /** Full name, such as {@code neighbour}. */
    String name();

    /**
     * Executes the words after the name.
     *
     * @return exit code, 0 on success
     * @throws UsageException for invalid words
     * @throws io.rdma4j.base.RdmaException errors of the machine
     */
    int run(ShellSession session, IpOptions options, ArgumentReader words);
}
