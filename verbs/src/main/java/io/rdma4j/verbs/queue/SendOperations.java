package io.rdma4j.verbs.queue;

import io.rdma4j.verbs.DeviceCapability;
import io.rdma4j.verbs.QpCreateFlag;
import io.rdma4j.verbs.WrOpcode;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Which operations need which capability of a device and which create flag of a queue pair. */
public final class SendOperations {
    /** One of these capabilities is enough; what is missing here needs none. */
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

    /** Carried out only for queue pairs that were made with the flag. */
    private static final Map<WrOpcode, QpCreateFlag> FLAGGED = new EnumMap<>(Map.of(
            WrOpcode.TSO, QpCreateFlag.IPOIB_UD_LSO,
            WrOpcode.MASKED_ATOMIC_CMP_AND_SWP, QpCreateFlag.MASKED_ATOMICS,
            WrOpcode.MASKED_ATOMIC_FETCH_AND_ADD, QpCreateFlag.MASKED_ATOMICS));

    private SendOperations() {}

    /**
     * {@return what may be posted to a queue pair of a device, as far as the queue pair's type has it}
     *
     * @param capabilities of the device
     * @param flags that the queue pair is made with
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
