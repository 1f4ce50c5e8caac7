package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.Qpn;
import io.rdma4j.base.RdmaException;

/** Whether the values of a modify are in range; which attributes may be given is {@link QpStateTable}'s business. */
final class QpAttributeCheck {
    private static final int MAX_TIMEOUT = 31;
    private static final int MAX_RETRY = 7;
    private static final int MAX_RNR_TIMER = 31;

    private final Context context;
    private final QpAttributes attributes;

    /** @param attributes what is to be set */
    QpAttributeCheck(Context context, QpAttributes attributes) {
        this.context = context;
        this.attributes = attributes;
    }

    /**
     * @param currentPort port of the primary path now; 0 if it has none yet
     * @throws RdmaException EINVAL for the first value that is out of range; the message names value and limit
     */
    void values(int currentPort) {
        int port = attributes.has(QpAttribute.PORT) ? attributes.port() : Math.max(currentPort, 1);
        PortAttributes portAttributes = context.queryPort(port);
        scalars();
        rdAtomics(context.queryDevice());
        QpCreation.sizes(context.queryDevice(), attributes.capabilities());
        if (attributes.has(QpAttribute.PKEY_INDEX)) {
            PartitionCheck.key(context, "pkey_index", port, attributes.pkeyIndex());
        }
        if (attributes.has(QpAttribute.PATH_MTU)) {
            pathMtu(attributes.pathMtu(), portAttributes.activeMtu());
        }
        AddressVector primary = attributes.addressVector();
        if (primary != null) {
            PathCheck.check(context, primary);
        }
        AlternatePath alternate = attributes.alternatePath();
        if (alternate != null) {
            alternatePath(alternate);
        }
        if (attributes.migrationState() != MigrationState.MIGRATED) {
            context.admission().require(DeviceCapability.AUTO_PATH_MIG);
        }
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

    /** Linux compares with the port's largest MTU and so lets a path be set up that cannot carry its packets. */
    private static void pathMtu(Mtu mtu, Mtu active) {
        if (mtu.compareTo(active) > 0) {
            throw new RdmaException(
                    Errno.EINVAL, "path_mtu " + mtu.bytes() + " is above the port's active MTU " + active.bytes());
        }
    }

    /** Linux refuses alternate paths on Ethernet whatever the device can; here its capability decides. */
    private void alternatePath(AlternatePath alternate) {
        context.admission().require(DeviceCapability.AUTO_PATH_MIG);
        PathCheck.check(context, alternate.addressVector());
        if (alternate.port() != alternate.addressVector().port()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "alt_port_num " + alternate.port() + ": the alternate address vector leaves from port "
                            + alternate.addressVector().port());
        }
        Arguments.range("alt_timeout", alternate.timeout(), 0, MAX_TIMEOUT);
        PartitionCheck.key(context, "alt_pkey_index", alternate.port(), alternate.pkeyIndex());
    }
}
