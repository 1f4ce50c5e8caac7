// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.PhysicalBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The state behind an open device that other objects of this module use. Any thread. */
public final class ContextState {
    private final Lifecycle life;
    private final ContextOps ops;
    private final ObjectQuota quota;
    private final Admission admission;
    private final PortTables ports;
    private final PartitionCheck partitions;
    private final AtomicInteger lastHandle = new AtomicInteger();
    private PhysicalMapper mapper = PhysicalMapper.NONE;

    /**
     * @param device name of the device
     * @param quota counts the objects of all contexts of the device
     */
    public ContextState(
            String device,
            Lifecycle life,
            ContextOps ops,
            ObjectQuota quota,
            Admission.Register register,
            PartitionCheck.Policy policy) {
        this.life = life;
        this.ops = ops;
        this.quota = quota;
        this.ports = new PortTables(this);
        this.partitions = new PartitionCheck(device, this, policy);
        this.admission = new Admission(device, this, register);
    }

    public Lifecycle life() {
        return life;
    }

    public ContextOps ops() {
        return ops;
    }

    public ObjectQuota quota() {
        return quota;
    }

    public Admission admission() {
        return admission;
    }

    public PortTables ports() {
        return ports;
    }

    public PartitionCheck partitions() {
        return partitions;
    }

    /** @throws RdmaException EINVAL if the context is closed, EIO if the device was removed */
    public DeviceAttributes queryDevice() {
        life.checkUsable();
        return ops.queryDevice();
    }

    public int nextHandle() {
        return lastHandle.incrementAndGet();
    }

    /** @throws RdmaException EINVAL unless {@code other} is this context */
    public void checkSame(ContextState other, Object owned) {
        if (!other.equals(this)) {
            throw new RdmaException(Errno.EINVAL, owned + " belongs to another context");
        }
    }

    /** The object that resolves device addresses; {@code maker} creates it at the first call. */
    public synchronized PhysicalMapper mapper(Supplier<? extends PhysicalMapper> maker) {
        if (mapper.equals(PhysicalMapper.NONE)) {
            mapper = maker.get();
        }
        return mapper;
    }

    /** See {@link PhysicalMapper#resolve}. */
    public PhysicalMemory resolve(List<PhysicalBuffer> buffers, Set<AccessFlag> access) {
        PhysicalMapper present;
        synchronized (this) {
            present = mapper;
        }
        return present.resolve(buffers, access);
    }
}
