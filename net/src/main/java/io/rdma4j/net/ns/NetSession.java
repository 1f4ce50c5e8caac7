package io.rdma4j.net.ns;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * A program on a machine, as far as the network is concerned ({@code nsproxy}, {@code cred}): which namespace it is in, and
 * whether it may make and join others. What it makes, sockets and devices, belongs to the namespace that it is in then.
 *
 * <p>The privilege is one of the model and asks the operating system for nothing. Belongs to one thread.
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

    /** {@return the namespace that it is in ({@code current->nsproxy->net_ns})} */
    public NetNamespace namespace() {
        return namespace;
    }

    /** {@return a program that it starts ({@code clone}): in the same namespace, with the same privilege} */
    public NetSession fork() {
        return new NetSession(host, namespace, user, admin);
    }

    /**
     * {@return a program that it starts in a namespace of its own ({@code clone(CLONE_NEWNET)})}
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
     * Goes to a namespace of its own ({@code unshare(CLONE_NEWNET)}), which goes when the last program leaves it.
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
     * Goes to a user namespace of its own ({@code unshare(CLONE_NEWUSER)}), for which nobody needs a privilege. It has all
     * privileges there, and none for what others own.
     */
    public void unshareUser() {
        user = user.child();
        admin = true;
    }

    /**
     * Goes to another namespace ({@code setns}).
     *
     * @param other of the same machine
     * @throws RdmaException EPERM without privilege in that namespace, EINVAL for one of another machine, ENOENT for one that
     *     is gone
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

    /** The program ends. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            namespace.put();
        }
    }
}
