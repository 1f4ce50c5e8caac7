// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.shell;

import java.util.List;

/** Runs a command within another one, such as {@code ip netns exec}. */
public interface CommandRunner {
    /**
     * Runs a command in a session.
     *
     * @param words the command and its arguments, at least one word
     * @return exit code, 0 on success
     */
    int run(ShellSession session, List<String> words);
}
