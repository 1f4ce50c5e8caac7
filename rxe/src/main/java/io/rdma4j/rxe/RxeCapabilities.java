package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.DeviceCapability;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.WrOpcode;
import io.rdma4j.verbs.queue.SendOperations;
import java.util.EnumSet;
import java.util.Set;

/** What a device can do, and which operations need which of it. */
final class RxeCapabilities {
    private static final Set<DeviceCapability> ALL = EnumSet.of(
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

    /** How the device works whatever it says; there is no verb that would fail without it. */
    private static final Set<DeviceCapability> INNATE =
            EnumSet.of(DeviceCapability.RC_RNR_NAK_GEN, DeviceCapability.SYS_IMAGE_GUID);

    private RxeCapabilities() {}

    /** @throws RdmaException EINVAL for one that cannot be withheld */
    static void checkWithheld(Set<DeviceCapability> withheld) {
        for (DeviceCapability capability : INNATE) {
            if (withheld.contains(capability)) {
                throw new RdmaException(Errno.EINVAL, capability + " cannot be withheld: the device works that way");
            }
        }
    }

    /** What a device has. */
    static Set<DeviceCapability> of(DeviceProfile profile) {
        Set<DeviceCapability> left = EnumSet.copyOf(ALL);
        left.removeAll(profile.withheld());
        return left;
    }

    /** What may be posted to a queue pair of a device, as far as its type has it. */
    static Set<WrOpcode> operations(DeviceProfile profile, QpInitAttributes attributes) {
        return SendOperations.of(of(profile), attributes.createFlags());
    }
}
