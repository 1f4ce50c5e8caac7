/**
 * Machines and their network namespaces: {@link io.rdma4j.net.ns.NetHost} is one machine, {@link
 * io.rdma4j.net.ns.NetNamespace} a set of devices on it with names and numbers of their own, the loopback interface among
 * them.
 *
 * <p>Whoever assembles a network calls this package. There is no global state: a JVM may hold as many machines as it likes.
 */
@NullMarked
package io.rdma4j.net.ns;

import org.jspecify.annotations.NullMarked;
