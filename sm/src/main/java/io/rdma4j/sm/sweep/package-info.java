// SPDX-License-Identifier: Apache-2.0
/**
 * The subnet manager (IBA 14.4). {@link io.rdma4j.sm.sweep.SubnetManager} has the order of a sweep: discovery along
 * directed routes ({@code SubnetDiscovery}), election ({@code SmElection}), LIDs ({@code LidTable}), and the writers of
 * ports, P_Keys, lanes and forwarding tables. {@code SmpRequests} sends their requests; the caller passes datagrams and
 * the time.
 */
@NullMarked
package io.rdma4j.sm.sweep;

import org.jspecify.annotations.NullMarked;
