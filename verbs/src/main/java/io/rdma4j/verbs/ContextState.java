package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.ContextOps;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The state behind an open device that other objects of this module use. Any thread. */
final class ContextState {
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
    ContextState(
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

    Lifecycle life() {
        return life;
    }

    ContextOps ops() {
        return ops;
    }

    ObjectQuota quota() {
        return quota;
    }

    Admission admission() {
        return admission;
    }

    PortTables ports() {
        return ports;
    }

    PartitionCheck partitions() {
        return partitions;
    }

    /** @throws RdmaException EINVAL if the context is closed, EIO if the device was removed */
    DeviceAttributes queryDevice() {
        life.checkUsable();
        return ops.queryDevice();
    }

    int nextHandle() {
        return lastHandle.incrementAndGet();
    }

    /** @throws RdmaException EINVAL unless {@code other} is this context */
    void checkSame(ContextState other, Object owned) {
        if (other != this) {
            throw new RdmaException(Errno.EINVAL, owned + " belongs to another context");
        }
    }

    /** The object that resolves device addresses; {@code maker} creates it at the first call. */
    synchronized PhysicalMapper mapper(Supplier<? extends PhysicalMapper> maker) {
        if (mapper == PhysicalMapper.NONE) {
            mapper = maker.get();
        }
        return mapper;
    }

    /** See {@link PhysicalMapper#resolve}. */
    PhysicalMemory resolve(List<PhysicalBuffer> buffers, Set<AccessFlag> access) {
        PhysicalMapper present;
        synchronized (this) {
            present = mapper;
        }
        return present.resolve(buffers, access);
    }
}
