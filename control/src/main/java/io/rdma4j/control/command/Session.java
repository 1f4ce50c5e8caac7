package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.control.Machine;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.NetNamespace;
import java.io.PrintWriter;

/**
 * Where a command runs: a machine, one of its namespaces, and where it prints. One thread.
 *
 * @param namespaceName {@link Machine#INITIAL}, or as the machine calls it
 */
record Session(Machine machine, String namespaceName, PrintWriter out, PrintWriter err) {
    /** The same in another namespace. */
    Session in(String otherNamespace) {
        return new Session(machine, otherNamespace, out, err);
    }

    /** @throws RdmaException ENOENT if it is gone */
    NetNamespace namespace() {
        return machine.namespace(namespaceName);
    }

    /** @throws RdmaException ENODEV if there is no device of this name in the namespace */
    NetDevice device(String name) {
        NetDevice found = namespace().find(name);
        if (found == null) {
            throw new RdmaException(Errno.ENODEV, "Cannot find device \"" + name + "\"");
        }
        return found;
    }
}
