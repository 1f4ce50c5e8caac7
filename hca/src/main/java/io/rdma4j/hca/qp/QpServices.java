// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.hca.AddressTables;
import io.rdma4j.hca.carrier.Carrier;
import io.rdma4j.transport.port.TransportContext;

/**
 * The parts of a port that queue pairs of a transport service use.
 *
 * @param common to all queue pairs
 * @param carrier of the packets
 * @param tables of the port's addresses and partitions
 * @param local makes links to queue pairs of other processes
 * @param links delivers messages to queue pairs of this port
 * @param groups of multicast
 * @param context shared by the engines
 */
public record QpServices(
        LoopServices common,
        Carrier carrier,
        AddressTables tables,
        LocalTransport local,
        QpLinks links,
        GroupMembership<HcaQp> groups,
        TransportContext context) {}
