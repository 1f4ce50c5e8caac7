// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/**
 * Describes the alternate path of automatic path migration. Corresponds to the {@code alt_*} members of
 * {@code struct ibv_qp_attr}.
 *
 * @param addressVector {@code alt_ah_attr}
 * @param pkeyIndex {@code alt_pkey_index}
 * @param port {@code alt_port_num}: from 1
 * @param timeout {@code alt_timeout}: 4.096 µs · 2^value, 5 bits, 0 disables the timeout
 */
public record AlternatePath(AddressVector addressVector, int pkeyIndex, int port, int timeout) {}
