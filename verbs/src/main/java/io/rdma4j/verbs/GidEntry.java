package io.rdma4j.verbs;

import io.rdma4j.base.Gid;

/**
 * An occupied slot of a port's GID table. Answers to {@code struct ibv_gid_entry}.
 *
 * @param gid the address
 * @param index slot, from 0
 * @param port from 1
 * @param type framing of packets that use the entry
 * @param netDeviceName the network interface that has the address; empty if there is none
 */
public record GidEntry(Gid gid, int index, int port, GidType type, String netDeviceName) {}
