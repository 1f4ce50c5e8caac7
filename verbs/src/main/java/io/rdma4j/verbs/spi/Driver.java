// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Provides access to devices that another process serves, as a driver library of libibverbs does
 * ({@code struct verbs_device_ops}). A {@link Provider} creates devices in this JVM. A driver creates client devices
 * for the entries of a {@link io.rdma4j.verbs.local.RunDirectory}.
 *
 * <p>The core loads drivers with {@link java.util.ServiceLoader} when no loaded driver matches a found device, or the
 * application registers them with a {@link io.rdma4j.verbs.Host}.
 */
public interface Driver {
    /** {@return a name for messages} */
    String name();

    /** {@return the oldest supported version of the commands ({@code match_min_abi_version})} */
    int minAbiVersion();

    /** {@return the newest supported version of the commands ({@code match_max_abi_version})} */
    int maxAbiVersion();

    /** {@return the match table ({@code match_table}): one matching entry is sufficient} */
    List<DeviceMatch> matchTable();

    /**
     * Creates a client device ({@code alloc_device}): a new object that stores {@code found} and opens nothing.
     * {@link DeviceOps#dispose} reverts it.
     *
     * @param found matches an entry of the table and has a version in the range
     * @return null if the driver cannot handle the device
     */
    @Nullable
    DeviceOps allocateDevice(FoundDevice found);
}
