// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.hca.PortLock;
import io.rdma4j.hca.carrier.LocalPeers;
import io.rdma4j.hca.qp.PortOutput;
import io.rdma4j.hca.qp.QpDomain;
import io.rdma4j.hca.qp.QpLinks;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.transport.memory.MemoryKey;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.values.AccessFlag;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** The memory keys of a device. When one is revoked, packets that wait to be sent from its memory are dropped. */
public final class DeviceKeys {
    private final KeyTable table;
    private final PortLock lock;
    private final PortOutput output;
    private final QpLinks links;
    private final LocalPeers peers;
    private final AtomicInteger domains = new AtomicInteger();

    public DeviceKeys(KeyTable table, PortLock lock, PortOutput output, QpLinks links, LocalPeers peers) {
        this.table = table;
        this.lock = lock;
        this.output = output;
        this.links = links;
        this.peers = peers;
    }

    /** Returns a number for a new protection domain, see {@link QpDomain#number}. Any thread. */
    int nextDomain() {
        return domains.incrementAndGet();
    }

    /** Permits peers on this machine to store into a region, if it is one piece of memory that they can map. */
    void publish(RegionKey key, QpDomain domain) {
        if (key.isSimple() && key.length() > 0 && key.hasAccess(AccessFlag.REMOTE_WRITE.bit())) {
            long start = key.start();
            peers.publish(domain.number(), key.key(), key.memory(start), start);
        }
    }

    /**
     * Ends what {@link #publish} permits. {@link #quiesce} follows. Any thread.
     *
     * @param rkey key of the region before the change
     */
    void withdraw(int rkey) {
        peers.withdraw(rkey);
    }

    KeyTable table() {
        return table;
    }

    PortLock lock() {
        return lock;
    }

    /** Drops the waiting packets for which {@code condition} is true. For the owner of the loop. */
    void dropWaiting(Predicate<SkBuff> condition) {
        output.dropWaiting(condition);
    }

    /**
     * Waits until no posting thread, in this process or in that of a peer, uses a key that was revoked before. For the
     * owner of the loop.
     */
    void quiesce() {
        links.quiesce();
    }

    /** Revokes the key of a window, or of a region that is not in use. Any thread. */
    void revoke(MemoryKey key) {
        lock.exclusively(() -> table.revoke(key));
    }

    /**
     * Revokes the key of a region while no thread runs the loop or delivers a message: afterwards the device does not
     * access the memory. Any thread.
     */
    void revokeRegion(RegionKey key) {
        lock.exclusively(() -> {
            int rkey = key.key();
            table.revoke(key);
            withdraw(rkey);
            links.quiesce();
            output.dropWaiting(key::isSentBy);
        });
    }
}
