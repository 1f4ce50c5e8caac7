// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.Qpn;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;

/** Checks the values of a modify against their ranges. The state table checks which attributes are allowed. */
public final class QpAttributeCheck {
    private static final int MAX_TIMEOUT = 31;
    private static final int MAX_RETRY = 7;
    private static final int MAX_RNR_TIMER = 31;

    private final ContextState context;
    private final QpAttributes attributes;

    public QpAttributeCheck(ContextState context, QpAttributes attributes) {
        this.context = context;
        this.attributes = attributes;
    }

    /**
     * @param currentPort present port of the primary path; 0 if not set
     * @throws RdmaException EINVAL for the first value out of range; the message contains value and limit
     */
    public void values(int currentPort) {
        int port = attributes.has(QpAttribute.PORT) ? attributes.port() : Math.max(currentPort, 1);
        PortAttributes portAttributes = context.ports().attributes(port);
        scalars();
        rdAtomics(context.queryDevice());
        sizes(context.queryDevice(), attributes.capabilities());
        if (attributes.has(QpAttribute.PKEY_INDEX)) {
            context.partitions().key("pkey_index", port, attributes.pkeyIndex());
        }
        if (attributes.has(QpAttribute.PATH_MTU)) {
            pathMtu(attributes.pathMtu(), portAttributes.activeMtu());
        }
        AddressVector primary = attributes.addressVector();
        if (primary != null) {
            PathCheck.check(context.ports(), primary);
        }
        AlternatePath alternate = attributes.alternatePath();
        if (alternate != null) {
            alternatePath(alternate);
        }
        if (attributes.migrationState() != MigrationState.MIGRATED) {
            context.admission().require(DeviceCapability.AUTO_PATH_MIG);
        }
    }

    /** @throws RdmaException EINVAL for the first size that is above the device's limit */
    public static void sizes(DeviceAttributes device, QpCapabilities sizes) {
        Arguments.atMost("max_send_wr", sizes.maxSendWr(), device.limit(DeviceLimit.MAX_QP_WR));
        Arguments.atMost("max_recv_wr", sizes.maxReceiveWr(), device.limit(DeviceLimit.MAX_QP_WR));
        Arguments.atMost("max_send_sge", sizes.maxSendSge(), device.limit(DeviceLimit.MAX_SGE));
        Arguments.atMost("max_recv_sge", sizes.maxReceiveSge(), device.limit(DeviceLimit.MAX_SGE));
    }

    private void scalars() {
        Arguments.range("timeout", attributes.timeout(), 0, MAX_TIMEOUT);
        Arguments.range("retry_cnt", attributes.retryCount(), 0, MAX_RETRY);
        Arguments.range("rnr_retry", attributes.rnrRetry(), 0, MAX_RETRY);
        Arguments.range("min_rnr_timer", attributes.minRnrTimer(), 0, MAX_RNR_TIMER);
        Arguments.range("dest_qp_num", attributes.destinationQpn(), 0, Qpn.MASK);
    }

    private void rdAtomics(DeviceAttributes device) {
        Arguments.range("max_rd_atomic", attributes.maxRdAtomic(), 0, device.limit(DeviceLimit.MAX_QP_INIT_RD_ATOM));
        Arguments.range(
                "max_dest_rd_atomic", attributes.maxDestRdAtomic(), 0, device.limit(DeviceLimit.MAX_QP_RD_ATOM));
    }

    /**
     * Linux compares with the port's maximum MTU and so accepts a path MTU above the active MTU, which the path cannot
     * transfer.
     */
    private static void pathMtu(Mtu mtu, Mtu active) {
        if (mtu.compareTo(active) > 0) {
            throw new RdmaException(
                    Errno.EINVAL, "path_mtu " + mtu.bytes() + " is above the port's active MTU " + active.bytes());
        }
    }

    /** Linux always rejects alternate paths on Ethernet; here the device's capability decides. */
    private void alternatePath(AlternatePath alternate) {
        context.admission().require(DeviceCapability.AUTO_PATH_MIG);
        PathCheck.check(context.ports(), alternate.addressVector());
        if (alternate.port() != alternate.addressVector().port()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "alt_port_num " + alternate.port() + ": the alternate address vector leaves from port "
                            + alternate.addressVector().port());
        }
        Arguments.range("alt_timeout", alternate.timeout(), 0, MAX_TIMEOUT);
        context.partitions().key("alt_pkey_index", alternate.port(), alternate.pkeyIndex());
    }
}
