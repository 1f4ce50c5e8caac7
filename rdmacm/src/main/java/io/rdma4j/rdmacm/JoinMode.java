// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

/** What a member of a multicast group may do. Corresponds to {@code RDMA_MC_JOIN_FLAG_*}. */
public enum JoinMode {
    /** Sends to the group and receives from it: {@code RDMA_MC_JOIN_FLAG_FULLMEMBER}. */
    FULL_MEMBER,
    /** Only sends to the group: {@code RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER}. */
    SEND_ONLY_FULL_MEMBER
}
