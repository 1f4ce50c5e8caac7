// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.SendBatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The target queue pairs of an XRC domain, for use by providers. A target has several handles, of any context, and
 * exists until the last one is closed. Corresponds to {@code tgt_qps} of {@code struct ib_xrcd} and
 * {@code __ib_open_qp}. Any thread.
 */
public final class XrcTargets {
    private final Map<Integer, Target> targets = new HashMap<>();

    /** Creates an empty set of targets. */
    public XrcTargets() {}

    /**
     * Creates a target.
     *
     * @param events callbacks for events of the first handle
     * @param maker creates the queue pair with callbacks that reach all handles
     * @return the first handle
     */
    public QpOps add(QpEvents events, Function<QpEvents, ? extends QpOps> maker) {
        Target target = new Target(maker);
        synchronized (targets) {
            targets.put(target.qp.qpn(), target);
            return target.open(events);
        }
    }

    /**
     * Opens a target by its number.
     *
     * @param qpn its number
     * @param events callbacks for events of the new handle
     * @return another handle
     * @throws RdmaException ENOENT if there is no such target
     */
    public QpOps open(int qpn, QpEvents events) {
        synchronized (targets) {
            Target target = targets.get(qpn);
            if (target == null) {
                throw new RdmaException(
                        Errno.ENOENT,
                        String.format("the XRC domain has no XRC_TGT queue pair with number 0x%06x", qpn));
            }
            return target.open(events);
        }
    }

    private void close(Handle handle) {
        synchronized (targets) {
            Target target = handle.target;
            target.remove(handle);
            if (target.handles.isEmpty()) {
                targets.remove(target.qp.qpn());
                target.qp.close();
            }
        }
    }

    private final class Target {
        private final QpOps qp;

        /** Copied on each change, because events read it at any time. */
        private volatile List<Handle> handles = List.of();

        Target(Function<QpEvents, ? extends QpOps> maker) {
            this.qp = maker.apply(this::tell);
        }

        private void tell(EventType type) {
            for (Handle handle : handles) {
                handle.events.event(type);
            }
        }

        Handle open(QpEvents events) {
            Handle handle = new Handle(this, events);
            List<Handle> more = new ArrayList<>(handles);
            more.add(handle);
            handles = List.copyOf(more);
            return handle;
        }

        @SuppressWarnings("ReferenceEquality") // identity is intended
        void remove(Handle closed) {
            handles = handles.stream().filter(other -> other != closed).toList();
        }
    }

    private final class Handle implements QpOps {
        private final Target target;
        private final QpEvents events;

        Handle(Target target, QpEvents events) {
            this.target = target;
            this.events = events;
        }

        @Override
        public int qpn() {
            return target.qp.qpn();
        }

        @Override
        public QpCapabilities capabilities() {
            return target.qp.capabilities();
        }

        @Override
        public QpState state() {
            return target.qp.state();
        }

        /** Serializes the calls through all handles. */
        @Override
        public void modify(QpAttributes attributes) {
            synchronized (target) {
                target.qp.modify(attributes);
            }
        }

        @Override
        public QpAttributes query() {
            return target.qp.query();
        }

        @Override
        public SendBatch startSend() {
            return target.qp.startSend();
        }

        @Override
        public ReceiveBatch startReceive() {
            return target.qp.startReceive();
        }

        @Override
        public void close() {
            XrcTargets.this.close(this);
        }
    }
}
