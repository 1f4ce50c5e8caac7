// SPDX-License-Identifier: Apache-2.0
/**
 * Connections for Java programs: {@link io.rdma4j.rdmacm.connection.RdmaServer} listens, {@link
 * io.rdma4j.rdmacm.connection.RdmaConnection} sends and receives messages, and reads and writes remote memory.
 */
@NullMarked
package io.rdma4j.rdmacm.connection;

import org.jspecify.annotations.NullMarked;
