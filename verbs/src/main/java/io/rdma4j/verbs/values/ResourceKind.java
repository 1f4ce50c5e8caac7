// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/**
 * Kinds of objects in the resource register of a device. Corresponds to {@code enum rdma_restrack_type}.
 */
public enum ResourceKind {
    /** {@code RDMA_RESTRACK_PD}: protection domains. */
    PD("pd", "pdn"),
    /** {@code RDMA_RESTRACK_CQ}: completion queues. */
    CQ("cq", "cqn"),
    /** {@code RDMA_RESTRACK_QP}: queue pairs. */
    QP("qp", "lqpn"),
    /** {@code RDMA_RESTRACK_CM_ID}: ids of rdma_cm, which tells them to the device. */
    CM_ID("cm_id", "cm-idn"),
    /** {@code RDMA_RESTRACK_MR}: memory regions. */
    MR("mr", "mrn"),
    /** {@code RDMA_RESTRACK_CTX}: open devices. */
    CONTEXT("ctx", "ctxn"),
    /** {@code RDMA_RESTRACK_SRQ}: shared receive queues. */
    SRQ("srq", "srqn");

    private final String label;
    private final String idLabel;

    ResourceKind(String label, String idLabel) {
        this.label = label;
        this.idLabel = idLabel;
    }

    /** {@return the name of {@code rdma resource show}} */
    public String label() {
        return label;
    }

    /** {@return the name of its number in {@code rdma resource show}} */
    public String idLabel() {
        return idLabel;
    }
}
