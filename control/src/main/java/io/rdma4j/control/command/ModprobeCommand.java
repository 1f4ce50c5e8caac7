package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.List;

/**
 * {@code modprobe}: a machine has the software RoCE provider from the start, so this finds it, as on a Linux that has it built
 * in.
 */
final class ModprobeCommand implements Command {
    private static final String MODULE = "rdma_rxe";

    @Override
    public String name() {
        return "modprobe";
    }

    @Override
    public String usage() {
        return "modprobe " + MODULE;
    }

    @Override
    public int run(Session session, List<String> words) {
        if (words.size() != 1) {
            throw new UsageException("one module is wanted");
        }
        if (!words.getFirst().equals(MODULE)) {
            throw new RdmaException(
                    Errno.ENOENT, "module " + words.getFirst() + " not found; there is " + MODULE + ", built in");
        }
        return 0;
    }
}
