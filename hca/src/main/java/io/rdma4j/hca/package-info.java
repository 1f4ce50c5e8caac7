// SPDX-License-Identifier: Apache-2.0
/**
 * The state of a device and its port, independent of the link: limits and capabilities, tables of P_Keys, GIDs and
 * numbers, the port state machine, management with its notices and its non-volatile memory, counters, and the
 * interfaces that a link implements ({@link io.rdma4j.hca.PortLink}, {@link io.rdma4j.hca.DeviceLoop}, {@link
 * io.rdma4j.hca.PathResolver}, {@link io.rdma4j.hca.QpMaker}).
 */
@NullMarked
package io.rdma4j.hca;

import org.jspecify.annotations.NullMarked;
