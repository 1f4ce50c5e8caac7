// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.RxeModule;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ExitCode;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;

/** {@code modprobe}: loads the only module, {@code rdma_rxe}, or unloads it and deletes its devices. */
public final class ModprobeCommand implements ShellCommand {
    @Override
    public String name() {
        return "modprobe";
    }

    @Override
    public String usage() {
        return "modprobe [-r] " + RxeModule.NAME;
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        boolean remove = arguments.take("-r", "--remove");
        String name = arguments.next("a module");
        arguments.end();
        try {
            change(session.machine().rxeModule(), name, remove);
            return 0;
        } catch (RdmaException e) {
            session.err().println("modprobe: FATAL: " + e.getMessage());
            return ExitCode.FAILED;
        }
    }

    private static void change(RxeModule module, String name, boolean remove) {
        if (!name.equals(RxeModule.NAME)) {
            throw new RdmaException(Errno.ENOENT, "module " + name + " not found; there is " + RxeModule.NAME);
        }
        if (!remove) {
            module.load();
        } else if (module.isLoaded()) {
            module.unload();
        }
    }
}
