package io.rdma4j.verbs;

import io.rdma4j.verbs.spi.DeviceOps;

/** A device that can be opened. Answers to {@code struct ibv_device}; belongs to its {@link Host}. Any thread may call. */
public final class Device {
    private final Host host;
    private final DeviceOps ops;
    private final ObjectQuota quota = new ObjectQuota();
    private final MulticastGroups multicastGroups = new MulticastGroups();

    Device(Host host, DeviceOps ops) {
        this.host = host;
        this.ops = ops;
    }

    /** Unique within the host. Answers to {@code ibv_get_device_name}. */
    public String name() {
        return ops.name();
    }

    /** EUI-64; print it with {@link io.rdma4j.base.Guid#toString(long)}. Answers to {@code ibv_get_device_guid}. */
    public long guid() {
        return ops.nodeGuid();
    }

    /** A few words for people, 64 bytes at most. Answers to {@code node_desc}. */
    public String nodeDescription() {
        return ops.nodeDescription();
    }

    /** The kind of node. */
    public NodeType nodeType() {
        return ops.nodeType();
    }

    /** The transport it speaks, which follows from the kind of node. */
    public TransportType transport() {
        return nodeType().transport();
    }

    /** The machine it belongs to. */
    public Host host() {
        return host;
    }

    /**
     * Opens the device; each context is independent of the others, and the caller closes it. Answers to
     * {@code ibv_open_device}.
     *
     * @throws io.rdma4j.base.RdmaException whatever keeps it from opening, EINVAL if the host is closed
     */
    public Context open() {
        return host.life().admit(ObjectKind.CONTEXT, () -> new Context(this, ops));
    }

    MulticastGroups multicastGroups() {
        return multicastGroups;
    }

    ObjectQuota quota() {
        return quota;
    }

    @Override
    public String toString() {
        return name();
    }
}
