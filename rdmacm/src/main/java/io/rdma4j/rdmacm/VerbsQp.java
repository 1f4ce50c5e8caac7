// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpType;

/** A queue pair of a device. */
record VerbsQp(QueuePair verbs) implements ManagedQp {
    @Override
    public int qpn() {
        return verbs.qpn();
    }

    @Override
    public QpType type() {
        return verbs.initAttributes().type();
    }

    @Override
    public boolean hasSrq() {
        return verbs.initAttributes().srq() != null;
    }

    @Override
    public void modify(QpAttributes attributes) {
        verbs.modify(attributes);
    }

    @Override
    public void attachMulticast(Gid group, int lid) {
        verbs.attachMulticast(group, lid);
    }

    @Override
    public void detachMulticast(Gid group, int lid) {
        verbs.detachMulticast(group, lid);
    }

    @Override
    public void close() {
        verbs.close();
    }
}
