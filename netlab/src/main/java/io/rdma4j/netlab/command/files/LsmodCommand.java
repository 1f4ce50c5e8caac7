// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.netlab.RxeModule;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;

/** {@code lsmod}: shows whether the only module is loaded; its size is 0. */
public final class LsmodCommand implements ShellCommand {
    @Override
    public String name() {
        return "lsmod";
    }

    @Override
    public String usage() {
        return "lsmod";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        new ArgumentReader(words).end();
        session.out().println("Module                  Size  Used by");
        RxeModule module = session.machine().rxeModule();
        if (module.isLoaded()) {
            session.out().println(String.format("%-19s %8d  %d", RxeModule.NAME, 0, module.users()));
        }
        return 0;
    }
}
