// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import java.util.EnumSet;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The changes of a call of {@link io.rdma4j.verbs.Port#modify}; immutable. An absent part keeps its value, as with
 * {@code port_modify_mask}. Corresponds to {@code struct ib_port_modify}.
 *
 * @param shutdown {@code IB_PORT_SHUTDOWN}: the port goes down until management lets its link come up again
 * @param initType {@code init_type}, with {@code IB_PORT_INIT_TYPE}: 4 bits for the subnet manager
 * @param resetQkeyCounter {@code IB_PORT_RESET_QKEY_CNTR}: resets the counter of Q_Key violations to 0
 * @param setCapabilities {@code set_port_cap_mask}
 * @param clearCapabilities {@code clr_port_cap_mask}
 */
public record PortModification(
        boolean shutdown,
        OptionalInt initType,
        boolean resetQkeyCounter,
        Set<PortCapability> setCapabilities,
        Set<PortCapability> clearCapabilities) {
    /**
     * Checks the parts and copies the sets.
     *
     * @throws RdmaException EINVAL if the type has more than 4 bits, or if a capability is both set and cleared
     */
    public PortModification {
        initType.ifPresent(type -> Arguments.bits("init_type", type, 4));
        setCapabilities = Set.copyOf(setCapabilities);
        clearCapabilities = Set.copyOf(clearCapabilities);
        for (PortCapability capability : setCapabilities) {
            if (clearCapabilities.contains(capability)) {
                throw new RdmaException(Errno.EINVAL, capability + " cannot be both set and cleared");
            }
        }
    }

    /** {@return {@code IB_PORT_SHUTDOWN} alone} */
    public static PortModification ofShutdown() {
        return new PortModification(true, OptionalInt.empty(), false, Set.of(), Set.of());
    }

    /**
     * {@return {@code IB_PORT_INIT_TYPE} alone}
     *
     * @param type 4 bits
     */
    public static PortModification ofInitType(int type) {
        return new PortModification(false, OptionalInt.of(type), false, Set.of(), Set.of());
    }

    /** {@return {@code IB_PORT_RESET_QKEY_CNTR} alone} */
    public static PortModification ofQkeyCounterReset() {
        return new PortModification(false, OptionalInt.empty(), true, Set.of(), Set.of());
    }

    /**
     * {@return a change of capability bits only}
     *
     * @param set bits to set
     * @param clear bits to clear
     */
    public static PortModification ofCapabilities(Set<PortCapability> set, Set<PortCapability> clear) {
        return new PortModification(false, OptionalInt.empty(), false, set, clear);
    }

    /**
     * {@return the capabilities of a port after this change}
     *
     * @param capabilities the present capabilities
     */
    public Set<PortCapability> applyTo(Set<PortCapability> capabilities) {
        Set<PortCapability> changed = EnumSet.noneOf(PortCapability.class);
        changed.addAll(capabilities);
        changed.addAll(setCapabilities);
        changed.removeAll(clearCapabilities);
        return changed;
    }
}
