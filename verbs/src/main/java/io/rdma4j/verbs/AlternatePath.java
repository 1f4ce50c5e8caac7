package io.rdma4j.verbs;

/**
 * The path that automatic migration falls back to: the {@code alt_*} members of {@code struct ibv_qp_attr}.
 *
 * @param addressVector {@code alt_ah_attr}
 * @param pkeyIndex {@code alt_pkey_index}
 * @param port {@code alt_port_num}: from 1
 * @param timeout {@code alt_timeout}: 4.096 µs · 2^value, 5 bits, 0 for never
 */
public record AlternatePath(AddressVector addressVector, int pkeyIndex, int port, int timeout) {}
