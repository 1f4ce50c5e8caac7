package io.rdma4j.control.command;

import io.rdma4j.control.RxeModule;
import java.util.List;

/** {@code lsmod}: the modules that are loaded. There is one, which takes no memory of its own. */
final class LsmodCommand implements Command {
    @Override
    public String name() {
        return "lsmod";
    }

    @Override
    public String usage() {
        return "lsmod";
    }

    @Override
    public int run(Session session, List<String> words) {
        new Arguments(words).end();
        session.out().println("Module                  Size  Used by");
        RxeModule module = session.machine().rxeModule();
        if (module.isLoaded()) {
            session.out().println(String.format("%-19s %8d  %d", RxeModule.NAME, 0, module.users()));
        }
        return 0;
    }
}
