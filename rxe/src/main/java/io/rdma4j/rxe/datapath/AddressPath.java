// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.datapath;

import io.rdma4j.transport.port.DatagramPath;
import io.rdma4j.verbs.values.Rate;

/**
 * The path of an address handle.
 *
 * @param network headers of its datagrams
 * @param staticRate their maximum rate
 */
record AddressPath(NetworkPath network, Rate staticRate) implements DatagramPath {}
