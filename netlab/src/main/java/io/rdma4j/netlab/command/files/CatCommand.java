// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import java.util.List;

/** {@code cat}: prints values of {@link MachineFiles}. */
public final class CatCommand implements ShellCommand {
    @Override
    public String name() {
        return "cat";
    }

    @Override
    public String usage() {
        return "cat PATH...";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        if (words.isEmpty()) {
            throw new UsageException("a path is missing");
        }
        MachineFiles files = new MachineFiles(session);
        for (String word : words) {
            files.matching(word).forEach(path -> session.out().println(files.read(path)));
        }
        return 0;
    }
}
