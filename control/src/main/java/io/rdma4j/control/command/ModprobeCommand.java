package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.control.RxeModule;
import java.util.List;

/** {@code modprobe}: loads the module that makes RDMA devices, or unloads it with its devices. There is no other module. */
final class ModprobeCommand implements Command {
    @Override
    public String name() {
        return "modprobe";
    }

    @Override
    public String usage() {
        return "modprobe [-r] " + RxeModule.NAME;
    }

    @Override
    public int run(Session session, List<String> words) {
        Arguments arguments = new Arguments(words);
        boolean remove = arguments.take("-r", "--remove");
        String name = arguments.next("a module");
        arguments.end();
        try {
            change(session.machine().rxeModule(), name, remove);
            return 0;
        } catch (RdmaException e) {
            session.err().println("modprobe: FATAL: " + e.getMessage());
            return Shell.FAILED;
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
