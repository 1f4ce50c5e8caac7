// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.datapath;

import io.rdma4j.hca.AddressTables;
import io.rdma4j.transport.port.TransportContext;

/**
 * The parts of a port that queue pairs of a transport service use.
 *
 * @param common to all queue pairs
 * @param link below the port
 * @param tables of the port's addresses and partitions
 * @param paths resolves address vectors
 * @param local delivers eager messages
 * @param groups of multicast
 * @param context shared by the engines
 */
public record QpServices(
        LoopServices common,
        DeviceLink link,
        AddressTables tables,
        NetworkPaths paths,
        LocalTransport local,
        GroupMembership<RxeQp> groups,
        TransportContext context) {}
