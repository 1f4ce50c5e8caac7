// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.values.Owner;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A device of another process that discovery has found; immutable. Corresponds to {@code struct verbs_sysfs_dev}. Two
 * objects are equal if they describe the same entry, also if the addresses of the device have changed; a new entry of
 * the same name is another device.
 *
 * @param systemName {@code sysfs_name}: name of its entry, such as {@code uverbs0}
 * @param name {@code ibdev_name}: name of the device
 * @param path {@code ibdev_path}: directory of the entry
 * @param index {@code ibdev_idx}: always -1, because a run directory has no indexes
 * @param abiVersion {@code abi_ver}: version of the commands that the endpoint supports
 * @param nodeType {@code node_type}
 * @param driverId {@code driver_id}, see {@link DeviceOps#driverId}; 0 if unknown
 * @param created {@code time_created}
 * @param server the process that serves it; number 0 if unknown
 * @param ofThisProcess true if that is this process
 * @param endpoints its UDP addresses in the order of the GID table; empty if it has none
 */
public record FoundDevice(
        String systemName,
        String name,
        Path path,
        int index,
        int abiVersion,
        NodeType nodeType,
        int driverId,
        FileTime created,
        Owner server,
        boolean ofThisProcess,
        List<InetSocketAddress> endpoints) {
    /** Name of the server's socket in the directory of the entry. */
    public static final String ENDPOINT = "control";

    /** Copies the list. */
    public FoundDevice {
        endpoints = List.copyOf(endpoints);
    }

    /**
     * {@return true if it shares a UDP address with a device of this process, so that only one of them can be open}
     *
     * @param device of this process
     */
    public boolean hasAddressOf(DeviceOps device) {
        return !Collections.disjoint(endpoints, device.endpoints());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FoundDevice that
                && path.equals(that.path)
                && name.equals(that.name)
                && created.equals(that.created)
                && server.equals(that.server)
                && abiVersion == that.abiVersion
                && driverId == that.driverId
                && nodeType == that.nodeType;
    }

    @Override
    public int hashCode() {
        return Objects.hash(path, created);
    }

    /** {@return the socket of the server, in place of {@code /dev/infiniband/uverbsN}} */
    public Path endpoint() {
        return path.resolve(ENDPOINT);
    }
}
