// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.shell;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.netlab.Machine;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a command: a machine, one of its namespaces, and its output. One thread.
 *
 * @param namespace namespace of the machine, with or without a name
 * @param runner runs a command within the command
 * @param shells nested shells of the console that reads the lines; null for a single command
 */
public record ShellSession(
        Machine machine,
        NetNamespace namespace,
        CommandRunner runner,
        @Nullable NestedShells shells,
        PrintWriter out,
        PrintWriter err) {
    /**
     * Returns the same session in another namespace.
     *
     * @throws RdmaException ENOENT if no namespace has this name
     */
    public ShellSession in(String otherNamespace) {
        return in(machine.namespace(otherNamespace));
    }

    public ShellSession in(NetNamespace other) {
        return new ShellSession(machine, other, runner, shells, out, err);
    }

    /** Runs a command in this session; returns its exit code. */
    public int run(List<String> words) {
        return runner.run(this, words);
    }

    /** @throws RdmaException ENODEV if there is no device of this name in the namespace */
    public NetDevice device(String name) {
        NetDevice found = namespace().find(name);
        if (found == null) {
            throw new RdmaException(Errno.ENODEV, "Cannot find device \"" + name + "\"");
        }
        return found;
    }

    /** Name of a namespace; empty for the initial one and for one without a name. */
    @SuppressWarnings("ReferenceEquality") // identity is intended
    public Optional<String> nameOf(NetNamespace other) {
        return machine.namespaces().entrySet().stream()
                .filter(entry -> entry.getValue() == other && !entry.getKey().equals(Machine.INITIAL))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** Runs a change under the rtnl lock and then the loop lock. All threads acquire the two locks in this order. */
    public void change(Runnable action) {
        machine.net().rtnl().run(() -> machine.loop().exclusively(action));
    }

    /** Runs a query under the same locks. */
    public <T> T look(Supplier<T> action) {
        return machine.net().rtnl().call(() -> machine.loop().exclusively(action));
    }
}
