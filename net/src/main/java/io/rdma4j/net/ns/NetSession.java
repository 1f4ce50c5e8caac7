// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * The network context of a program on a machine ({@code nsproxy}, {@code cred}): its namespace, and its privilege to
 * create and join others. Sockets and devices that the program creates belong to its present namespace.
 *
 * <p>The privilege is part of the model; the operating system is not involved. Only one thread may use a session.
 */
public final class NetSession implements AutoCloseable {
    private final NetHost host;
    private UserNamespace user;
    private boolean admin;
    private NetNamespace namespace;
    private boolean closed;

    NetSession(NetHost host, NetNamespace namespace, UserNamespace user, boolean admin) {
        this.host = host;
        this.user = user;
        this.admin = admin;
        this.namespace = namespace;
        namespace.get();
    }

    /** {@return the program's namespace ({@code current->nsproxy->net_ns})} */
    public NetNamespace namespace() {
        return namespace;
    }

    /** {@return a child program in the same namespace, with the same privilege ({@code clone})} */
    public NetSession fork() {
        return new NetSession(host, namespace, user, admin);
    }

    /**
     * {@return a child program in a new namespace ({@code clone(CLONE_NEWNET)})}
     *
     * @throws RdmaException EPERM without privilege
     */
    public NetSession forkInNewNamespace() {
        requireAdmin(user, "make a namespace");
        NetNamespace made = host.makeNamespace(user);
        NetSession child = new NetSession(host, made, user, admin);
        made.put();
        return child;
    }

    /**
     * Moves to a new namespace ({@code unshare(CLONE_NEWNET)}), which is deleted when the last program leaves it.
     *
     * @return the namespace
     * @throws RdmaException EPERM without privilege
     */
    public NetNamespace unshare() {
        requireAdmin(user, "make a namespace");
        NetNamespace made = host.makeNamespace(user);
        enter(made);
        made.put();
        return made;
    }

    /**
     * Moves to a new user namespace ({@code unshare(CLONE_NEWUSER)}), which needs no privilege. The program has all
     * privileges there, and none for namespaces of other owners.
     */
    public void unshareUser() {
        user = user.child();
        admin = true;
    }

    /**
     * Moves to another namespace ({@code setns}).
     *
     * @param other a namespace of the same machine
     * @throws RdmaException EPERM without privilege in that namespace, EINVAL for one of another machine, ENOENT for a
     *     deleted one
     */
    public void join(NetNamespace other) {
        if (other.host() != host) {
            throw new RdmaException(Errno.EINVAL, "a program joins namespaces of its own machine");
        }
        requireAdmin(other.owner(), "join namespace " + other.id());
        enter(other);
    }

    /** {@code ns_capable(CAP_SYS_ADMIN)}. */
    private void requireAdmin(UserNamespace owner, String what) {
        if (!admin || !owner.isWithin(user)) {
            throw new RdmaException(
                    Errno.EPERM, "to " + what + " a program needs CAP_SYS_ADMIN there, or a user namespace of its own");
        }
    }

    private void enter(NetNamespace other) {
        other.get();
        namespace.put();
        namespace = other;
    }

    /** Ends the program. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            namespace.put();
        }
    }
}
