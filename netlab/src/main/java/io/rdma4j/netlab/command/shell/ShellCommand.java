// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.shell;

import io.rdma4j.netlab.command.Shell;
import java.util.List;

/** One command of a {@link Shell}, such as {@code ip}. Has no state. */
public interface ShellCommand {
    /** First word of the command. */
    String name();

    /** The forms of the command, one on each line. */
    String usage();

    /**
     * Runs the command. Output goes to the session's {@code out}, warnings to its {@code err}.
     *
     * @param words words after the name
     * @return exit code, 0 on success
     * @throws UsageException for invalid words
     * @throws io.rdma4j.base.RdmaException errors of the machine
     */
    int run(ShellSession session, List<String> words);
}
