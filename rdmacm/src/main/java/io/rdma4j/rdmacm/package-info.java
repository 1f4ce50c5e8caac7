// SPDX-License-Identifier: Apache-2.0
/**
 * Connections by IP address and port: {@link io.rdma4j.rdmacm.RdmaId} and {@link io.rdma4j.rdmacm.EventChannel}, which
 * correspond to librdmacm. No thread and no clock; {@code io.rdma4j.rdmacm.host} adds the devices of a host.
 */
@NullMarked
package io.rdma4j.rdmacm;

import org.jspecify.annotations.NullMarked;
