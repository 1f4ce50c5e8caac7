// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.port;

import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Options of a port that do not depend on its carrier.
 *
 * @param transport of its queue pairs
 * @param randomNumbers whether numbers and keys cannot be predicted
 * @param pkeys first P_Key table, 16 bits each
 * @param privilegedQkeys whether datagram queue pairs may use a Q_Key with bit 31
 * @param limits lower than those of the device
 * @param withheld capabilities that the device does not have
 * @param nonVolatile directory of the file that keeps M_Key and P_Keys; null for none
 */
public record PortOptions(
        TransportOptions transport,
        boolean randomNumbers,
        List<Integer> pkeys,
        boolean privilegedQkeys,
        Map<DeviceLimit, Long> limits,
        Set<DeviceCapability> withheld,
        @Nullable Path nonVolatile) {}
