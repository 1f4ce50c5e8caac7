// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import java.lang.foreign.MemorySegment;

/** The device behind the port of a channel adapter. The agent calls it for what a subnet manager reads and writes. */
public interface ManagedDevice {
    /** A port without a device. */
    ManagedDevice NONE = new ManagedDevice() {};

    /**
     * Writes the components of PortInfo that the device determines, before a subnet manager reads them.
     *
     * @param portInfo the attribute, from its first byte
     */
    default void refresh(MemorySegment portInfo) {}

    /**
     * A subnet manager has written PortInfo. The state of the port changes afterwards.
     *
     * @param portInfo the attribute, from its first byte; valid during the call
     */
    default void portInfoWritten(MemorySegment portInfo) {}

    /** A subnet manager asks the clients of the port to register with the subnet administrator again. */
    default void reregister() {}

    /**
     * A subnet manager has written the P_Key table.
     *
     * @param pkeys 16 bits each, 0 for an empty entry; valid during the call
     */
    default void pkeysWritten(int[] pkeys) {}

    /**
     * A subnet manager has written the GUIDs of the port.
     *
     * @param guids the first one is that of the port; 0 for an empty entry; valid during the call
     */
    default void guidsWritten(long[] guids) {}
}
