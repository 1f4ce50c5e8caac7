// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.transport.port.TransportCounters;

/**
 * The parts of a port that count.
 *
 * @param link below the port
 * @param transport of its queue pairs
 * @param input of packets dropped on arrival
 * @param output of packets sent
 * @param states of its link
 * @param settle adds what links have counted to the counters of the transport
 */
public record PortCounters(
        PortLink link,
        TransportCounters transport,
        InputCounters input,
        SendCounters output,
        PortStateMachine states,
        Runnable settle) {}
