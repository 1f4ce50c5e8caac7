// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.wr.WrOpcode;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Maps operations to the device capability and the create flag of a queue pair that they require. */
public final class SendOperations {
    /** One of these capabilities is sufficient; operations that are not listed need none. */
    private static final Map<WrOpcode, Set<DeviceCapability>> NEEDED = new EnumMap<>(Map.of(
            WrOpcode.REG_MR, EnumSet.of(DeviceCapability.MEM_MGT_EXTENSIONS),
            WrOpcode.LOCAL_INV, EnumSet.of(DeviceCapability.MEM_MGT_EXTENSIONS),
            WrOpcode.SEND_WITH_INV, EnumSet.of(DeviceCapability.MEM_MGT_EXTENSIONS),
            WrOpcode.RDMA_READ_WITH_INV, EnumSet.of(DeviceCapability.MEM_MGT_EXTENSIONS),
            WrOpcode.BIND_MW,
                    EnumSet.of(
                            DeviceCapability.MEM_WINDOW,
                            DeviceCapability.MEM_WINDOW_TYPE_2A,
                            DeviceCapability.MEM_WINDOW_TYPE_2B),
            WrOpcode.FLUSH, EnumSet.of(DeviceCapability.FLUSH_GLOBAL, DeviceCapability.FLUSH_PERSISTENT),
            WrOpcode.ATOMIC_WRITE, EnumSet.of(DeviceCapability.ATOMIC_WRITE)));

    /** Supported only for queue pairs that were created with the flag. */
    private static final Map<WrOpcode, QpCreateFlag> FLAGGED = new EnumMap<>(Map.of(
            WrOpcode.TSO, QpCreateFlag.IPOIB_UD_LSO,
            WrOpcode.MASKED_ATOMIC_CMP_AND_SWP, QpCreateFlag.MASKED_ATOMICS,
            WrOpcode.MASKED_ATOMIC_FETCH_AND_ADD, QpCreateFlag.MASKED_ATOMICS));

    private SendOperations() {}

    /**
     * {@return the operations that the device supports for a queue pair, before the restrictions of the queue pair's
     * type}
     *
     * @param capabilities of the device
     * @param flags create flags of the queue pair
     */
    public static Set<WrOpcode> of(Set<DeviceCapability> capabilities, Set<QpCreateFlag> flags) {
        Set<WrOpcode> operations = EnumSet.allOf(WrOpcode.class);
        NEEDED.forEach((operation, oneOf) -> {
            if (oneOf.stream().noneMatch(capabilities::contains)) {
                operations.remove(operation);
            }
        });
        FLAGGED.forEach((operation, flag) -> {
            if (!flags.contains(flag)) {
                operations.remove(operation);
            }
        });
        return operations;
    }
}
