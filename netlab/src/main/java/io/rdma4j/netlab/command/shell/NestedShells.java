// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.shell;

import io.rdma4j.net.ns.NetNamespace;
import java.util.ArrayDeque;
import java.util.Deque;

/** The shells that commands of a console have opened, each in a namespace. One thread at a time. */
public final class NestedShells {
    private record Nested(NetNamespace namespace, Deque<Runnable> atExit) {}

    private final Deque<Nested> shells = new ArrayDeque<>();

    /** Opens a shell in a namespace, in which the next lines run. */
    void open(NetNamespace namespace) {
        shells.push(new Nested(namespace, new ArrayDeque<>()));
    }

    /** Ends the innermost shell; there is one. */
    public void exit() {
        shells.pop().atExit().forEach(Runnable::run);
    }

    public boolean isEmpty() {
        return shells.isEmpty();
    }

    int depth() {
        return shells.size();
    }

    /** Namespace of the innermost shell; there is one. */
    public NetNamespace namespace() {
        return shells.element().namespace();
    }

    /** Runs the action when the innermost shell ends. */
    void atExit(Runnable action) {
        shells.element().atExit().push(action);
    }
}
