package io.rdma4j.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Kinds of objects in the resource register of a device. Corresponds to {@code enum rdma_restrack_type}, without the
 * kinds of other layers.
 */
public enum ResourceKind {
    /** {@code RDMA_RESTRACK_PD}: protection domains. */
    PD("pd", "pdn", ObjectKind.PROTECTION_DOMAIN),
    /** {@code RDMA_RESTRACK_CQ}: completion queues. */
    CQ("cq", "cqn", ObjectKind.COMPLETION_QUEUE),
    /** {@code RDMA_RESTRACK_QP}: queue pairs. */
    QP("qp", "lqpn", ObjectKind.QUEUE_PAIR),
    /** {@code RDMA_RESTRACK_MR}: memory regions. */
    MR("mr", "mrn", ObjectKind.MEMORY_REGION),
    /** {@code RDMA_RESTRACK_CTX}: open devices. */
    CONTEXT("ctx", "ctxn", ObjectKind.CONTEXT),
    /** {@code RDMA_RESTRACK_SRQ}: shared receive queues. */
    SRQ("srq", "srqn", ObjectKind.SHARED_RECEIVE_QUEUE);

    private final String label;
    private final String idLabel;
    private final ObjectKind objects;

    ResourceKind(String label, String idLabel, ObjectKind objects) {
        this.label = label;
        this.idLabel = idLabel;
        this.objects = objects;
    }

    /** {@return the name of {@code rdma resource show}} */
    public String label() {
        return label;
    }

    /** {@return the name of its number in {@code rdma resource show}} */
    public String idLabel() {
        return idLabel;
    }

    /** Null for objects that the register does not contain. */
    static @Nullable ResourceKind of(ObjectKind objects) {
        for (ResourceKind kind : values()) {
            if (kind.objects == objects) {
                return kind;
            }
        }
        return null;
    }
}
