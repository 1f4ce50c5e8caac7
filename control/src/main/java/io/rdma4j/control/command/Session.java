package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.control.Machine;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.NetNamespace;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a command runs: a machine, one of its namespaces, and where it prints. One thread.
 *
 * @param namespace of the machine; it need not have a name
 * @param console whose lines they are; null if no further line follows
 */
record Session(
        Machine machine, NetNamespace namespace, @Nullable Console console, PrintWriter out, PrintWriter err) {
    /**
     * The same in another namespace.
     *
     * @throws RdmaException ENOENT if there is none of this name
     */
    Session in(String otherNamespace) {
        return in(machine.namespace(otherNamespace));
    }

    /** The same in another namespace. */
    Session in(NetNamespace other) {
        return new Session(machine, other, console, out, err);
    }

    /** @throws RdmaException ENODEV if there is no device of this name in the namespace */
    NetDevice device(String name) {
        NetDevice found = namespace().find(name);
        if (found == null) {
            throw new RdmaException(Errno.ENODEV, "Cannot find device \"" + name + "\"");
        }
        return found;
    }

    /** What the machine calls a namespace; nothing for the initial one, and for one that has no name. */
    @SuppressWarnings("ReferenceEquality") // a namespace is itself
    Optional<String> nameOf(NetNamespace other) {
        return machine.namespaces().entrySet().stream()
                .filter(entry -> entry.getValue() == other && !entry.getKey().equals(Machine.INITIAL))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** Changes something, as the only one who does, and while nobody is in the machine's loop: in that order everybody takes the two. */
    void change(Runnable action) {
        machine.net().rtnl().run(() -> machine.loop().exclusively(action));
    }

    /** Looks at something in the same way. */
    <T> T look(Supplier<T> action) {
        return machine.net().rtnl().call(() -> machine.loop().exclusively(action));
    }
}
