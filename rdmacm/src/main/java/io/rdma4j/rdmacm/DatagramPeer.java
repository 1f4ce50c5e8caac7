// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.verbs.values.AddressVector;

/**
 * Where datagrams go: a queue pair or a multicast group. Corresponds to {@code struct rdma_ud_param}.
 *
 * @param addressVector for an address handle
 * @param qpn queue pair: 24 bits; 0xFFFFFF for a group
 * @param qkey its Q_Key
 */
public record DatagramPeer(AddressVector addressVector, int qpn, int qkey) {}
