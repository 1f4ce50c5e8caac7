// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.spi.ring.SendOperations;
import io.rdma4j.verbs.wr.WrOpcode;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** The capabilities of a device and the operations that they permit. */
public final class HcaCapabilities {
    private static final Set<DeviceCapability> ALL = EnumSet.of(
            DeviceCapability.RESIZE_MAX_WR,
            DeviceCapability.BAD_PKEY_CNTR,
            DeviceCapability.BAD_QKEY_CNTR,
            DeviceCapability.RAW_MULTI,
            DeviceCapability.AUTO_PATH_MIG,
            DeviceCapability.CURR_QP_STATE_MOD,
            DeviceCapability.SHUTDOWN_PORT,
            DeviceCapability.INIT_TYPE,
            DeviceCapability.PORT_ACTIVE_EVENT,
            DeviceCapability.SYS_IMAGE_GUID,
            DeviceCapability.RC_RNR_NAK_GEN,
            DeviceCapability.SRQ_RESIZE,
            DeviceCapability.N_NOTIFY_CQ,
            DeviceCapability.LOCAL_DMA_LKEY,
            DeviceCapability.MEM_WINDOW,
            DeviceCapability.UD_IP_CSUM,
            DeviceCapability.UD_TSO,
            DeviceCapability.XRC,
            DeviceCapability.MEM_MGT_EXTENSIONS,
            DeviceCapability.BLOCK_MULTICAST_LOOPBACK,
            DeviceCapability.MEM_WINDOW_TYPE_2B,
            DeviceCapability.FLUSH_GLOBAL,
            DeviceCapability.FLUSH_PERSISTENT,
            DeviceCapability.ATOMIC_WRITE);

    /** Capabilities that cannot be withheld, because no verb would fail without them. */
    private static final Set<DeviceCapability> INNATE =
            EnumSet.of(DeviceCapability.RC_RNR_NAK_GEN, DeviceCapability.SYS_IMAGE_GUID);

    private final Set<DeviceCapability> all;

    /** @param withheld capabilities that the device does not have */
    public HcaCapabilities(Set<DeviceCapability> withheld) {
        Set<DeviceCapability> left = EnumSet.copyOf(ALL);
        left.removeAll(withheld);
        this.all = Collections.unmodifiableSet(left);
    }

    /** @throws RdmaException EINVAL if {@code withheld} contains a capability that cannot be withheld */
    public static void checkWithheld(Set<DeviceCapability> withheld) {
        for (DeviceCapability capability : INNATE) {
            if (withheld.contains(capability)) {
                throw new RdmaException(Errno.EINVAL, capability + " cannot be withheld: the device works that way");
            }
        }
    }

    /** Returns all capabilities of the device. */
    public Set<DeviceCapability> all() {
        return all;
    }

    public boolean has(DeviceCapability capability) {
        return all.contains(capability);
    }

    /**
     * Returns the operations that the device permits on a queue pair with these creation flags; its type may restrict
     * them further.
     */
    public Set<WrOpcode> operations(QpSetup attributes) {
        return SendOperations.of(all, attributes.createFlags());
    }
}
