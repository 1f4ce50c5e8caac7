// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.hca.HcaCapabilities;
import io.rdma4j.hca.PortStateMachine;

/**
 * The parts of a port that every queue pair uses.
 *
 * @param loop drives it
 * @param output sends its packets
 * @param queuePairs contains it
 * @param states of the port
 * @param capabilities of the device
 */
public record LoopServices(
        PortLoop loop, PortOutput output, QpTable queuePairs, PortStateMachine states, HcaCapabilities capabilities) {}
