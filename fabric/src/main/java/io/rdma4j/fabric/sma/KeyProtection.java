// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import io.rdma4j.fabric.FabricTimer;
import io.rdma4j.fabric.IbSubnet;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import java.lang.foreign.MemorySegment;

/** The protection of a node by its M_Key, with the lease of the key (IBA 14.2.4). */
final class KeyProtection {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final AgentPort port;
    private final FabricTimer lease;

    /**
     * @param port whose PortInfo contains the key
     * @param subnet runs the lease timer
     */
    KeyProtection(AgentPort port, IbSubnet subnet) {
        this.port = port;
        this.lease = subnet.newTimer(() -> port.put(PortInfoAttribute.M_KEY_PROTECT_BITS, 0));
    }

    /** True if the key of a datagram permits its method. The right key ends the lease timer. */
    boolean admits(MemorySegment memory, long mad, boolean isSet) {
        long key = port.get(PortInfoAttribute.M_KEY);
        if (key == 0 || Smp.M_KEY.get(memory, mad) == key) {
            lease.cancel();
            return true;
        }
        boolean may = !isSet && port.get(PortInfoAttribute.M_KEY_PROTECT_BITS) < 2;
        if (!may) {
            port.count(PortInfoAttribute.M_KEY_VIOLATIONS);
        }
        return may;
    }

    /** True if an answer to the datagram contains the key. */
    boolean isShownTo(MemorySegment memory, long mad) {
        long key = port.get(PortInfoAttribute.M_KEY);
        return port.get(PortInfoAttribute.M_KEY_PROTECT_BITS) == 0 || Smp.M_KEY.get(memory, mad) == key;
    }

    /** A wrong key has come: when the lease ends, a new manager may read the key. */
    void startLease() {
        long seconds = port.get(PortInfoAttribute.M_KEY_LEASE_PERIOD);
        if (seconds != 0 && !lease.isSet()) {
            lease.after(seconds * NANOS_PER_SECOND);
        }
    }
}
