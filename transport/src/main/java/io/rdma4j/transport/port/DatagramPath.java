// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.verbs.values.Rate;

/** The path of an address handle; only the device around the engine can interpret it. */
public interface DatagramPath {
    /** {@return the maximum rate of datagrams on this path} */
    Rate staticRate();
}
