// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

import io.rdma4j.base.Gid;

/**
 * A used entry of a port's GID table. Corresponds to {@code struct ibv_gid_entry}.
 *
 * @param gid the GID
 * @param index index in the table, from 0
 * @param port port number, from 1
 * @param type packet format of the entry
 * @param netDeviceName the network interface that has the address; empty if there is none
 */
public record GidEntry(Gid gid, int index, int port, GidType type, String netDeviceName) {}
