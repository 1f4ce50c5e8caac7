// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.device.AtomicCapability;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.state.QpAttributeCheck;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.SrqType;
import org.jspecify.annotations.Nullable;

/**
 * Checks the attributes of a new queue pair by type (IBA 11.2.5.1). Corresponds to {@code create_qp} of uverbs and
 * ib_core.
 */
final class QpCreation {
    /** Smaller values are lengths, not types (IEEE 802.3). */
    private static final int MIN_ETHER_TYPE = 0x0600;

    private static final int MAX_ETHER_TYPE = 0xFFFF;

    private final Context context;
    private final QpInitAttributes asked;

    private QpCreation(Context context, QpInitAttributes asked) {
        this.context = context;
        this.asked = asked;
    }

    /**
     * Checks all attributes as far as they do not depend on the provider.
     *
     * @return the attributes without those that the type does not have
     * @throws RdmaException EINVAL for missing or superfluous objects, objects of another context, sizes above the
     *     device's limits; EOPNOTSUPP for features that the device does not support
     */
    static QpInitAttributes check(Context context, QpInitAttributes asked) {
        QpInitAttributes relevant = asked.relevant();
        new QpCreation(context, relevant).check();
        return relevant;
    }

    private void check() {
        rwqIndirectionTable();
        completionQueues();
        sharedReceiveQueue();
        xrcDomain();
        port();
        etherType();
        createFlags();
        sizes();
        context.state().partitions().any();
    }

    /** The table's work queues have their own completion queues and sizes. */
    private void rwqIndirectionTable() {
        RwqIndirectionTable table = asked.rwqIndirectionTable();
        if (table == null) {
            return;
        }
        context.checkSame(table.context(), table);
        if (!asked.type().hasReceiveQueue()) {
            throw invalid("has no receive queue, so none to take from " + table);
        }
        excludes(table, "a completion queue for receives", asked.receiveCq() != null);
        excludes(table, "a shared receive queue", asked.srq() != null);
        QpCapabilities sizes = asked.capabilities();
        excludes(table, "max_recv_wr " + sizes.maxReceiveWr(), sizes.maxReceiveWr() != 0);
        excludes(table, "max_recv_sge " + sizes.maxReceiveSge(), sizes.maxReceiveSge() != 0);
    }

    private void excludes(RwqIndirectionTable table, String what, boolean given) {
        if (given) {
            throw invalid("that receives through " + table + " cannot have " + what);
        }
    }

    private void completionQueues() {
        CompletionQueue sends = asked.sendCq();
        CompletionQueue receives = asked.receiveCq();
        boolean receiving = asked.type().hasReceiveQueue() && asked.rwqIndirectionTable() == null;
        if ((sends == null && asked.hasSendQueue()) || (receives == null && receiving)) {
            throw invalid("needs a completion queue for sends" + (receiving ? " and one for receives" : ""));
        }
        if (sends != null) {
            context.checkSame(sends.context(), sends);
        }
        if (receives != null) {
            context.checkSame(receives.context(), receives);
        }
    }

    private void sharedReceiveQueue() {
        SharedReceiveQueue srq = asked.srq();
        if (srq == null) {
            return;
        }
        context.checkSame(srq.context(), srq);
        if (!asked.type().hasReceiveQueue()) {
            throw invalid("has no receive queue, so none to share: XRC senders name a shared one with each message");
        }
        if (srq.type() == SrqType.XRC) {
            throw invalid("cannot use " + srq + " of type XRC: those are for XRC_TGT queue pairs of its domain");
        }
    }

    private void xrcDomain() {
        XrcDomain domain = asked.xrcDomain();
        boolean extended = asked.type() == QpType.XRC_INI || asked.type() == QpType.XRC_TGT;
        String missing = extended ? missing(DeviceCapability.XRC) : null;
        if (missing != null) {
            throw unsupported("", missing);
        }
        if ((domain != null) != (asked.type() == QpType.XRC_TGT)) {
            throw invalid(domain == null ? "needs an XRC domain" : "has no XRC domain: that is for XRC_TGT");
        }
        if (domain != null) {
            context.checkSame(domain.context(), domain);
        }
    }

    private void port() {
        if (asked.type() == QpType.SMI || asked.type() == QpType.GSI) {
            Arguments.range("port_num", asked.port(), 1, context.queryDevice().physicalPortCount());
        }
    }

    /**
     * The EtherType is fixed at creation, so that the device can demultiplex received frames. In the specification it
     * is an attribute of each request (IBA 11.4.1.1).
     */
    private void etherType() {
        if (asked.type() == QpType.RAW_ETHERTYPE) {
            Arguments.range("ether_type", asked.etherType(), MIN_ETHER_TYPE, MAX_ETHER_TYPE);
        } else if (asked.etherType() != 0) {
            throw invalid("has no EtherType: that is for RAW_ETHERTYPE");
        }
    }

    private void createFlags() {
        for (QpCreateFlag flag : asked.createFlags()) {
            if (!flag.isFor(asked.type())) {
                throw invalid("takes no create flag " + flag);
            }
            String missing = missing(flag);
            if (missing != null) {
                throw unsupported(" with the create flag " + flag, missing);
            }
        }
    }

    /** The device feature that the flag requires and the device lacks; null if there is none. */
    private @Nullable String missing(QpCreateFlag flag) {
        return switch (flag) {
            case IPOIB_UD_LSO -> missing(DeviceCapability.UD_TSO);
            case BLOCK_MULTICAST_LOOPBACK -> missing(DeviceCapability.BLOCK_MULTICAST_LOOPBACK);
            case MASKED_ATOMICS ->
                context.queryDevice().maskedAtomicCapability() == AtomicCapability.NONE ? "masked atomics" : null;
        };
    }

    private @Nullable String missing(DeviceCapability capability) {
        return context.queryDevice().has(capability) ? null : "capability " + capability;
    }

    private void sizes() {
        QpAttributeCheck.sizes(context.queryDevice(), asked.capabilities());
    }

    private RdmaException invalid(String message) {
        return new RdmaException(Errno.EINVAL, "a queue pair of type " + asked.type() + " " + message);
    }

    private RdmaException unsupported(String how, String missing) {
        return new RdmaException(
                Errno.EOPNOTSUPP,
                "no queue pair of type " + asked.type() + how + ": " + context.device() + " has no " + missing);
    }
}
