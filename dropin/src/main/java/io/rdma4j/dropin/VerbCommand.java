// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

/** The verbs that the C side calls by number. {@code enum command} in {@code rdma4j.h} has the same order. */
enum VerbCommand {
    LIST_DEVICES,
    OPEN_DEVICE,
    CLOSE_DEVICE,
    QUERY_DEVICE,
    QUERY_PORT,
    QUERY_GID,
    QUERY_GID_TABLE,
    QUERY_PKEY,
    ALLOC_PD,
    DEALLOC_PD,
    IMPORT,
    ADVISE_MR,
    REG_MR,
    REREG_MR,
    DEREG_MR,
    ALLOC_MW,
    BIND_MW,
    DEALLOC_MW,
    ALLOC_DM,
    COPY_DM,
    REG_DM_MR,
    FREE_DM,
    CREATE_CQ,
    RESIZE_CQ,
    MODIFY_CQ,
    DESTROY_CQ,
    CREATE_SRQ,
    MODIFY_SRQ,
    QUERY_SRQ,
    GET_SRQ_NUM,
    DESTROY_SRQ,
    OPEN_XRCD,
    CLOSE_XRCD,
    CREATE_QP,
    OPEN_QP,
    MODIFY_QP,
    QUERY_QP,
    DESTROY_QP,
    ATTACH_MCAST,
    DETACH_MCAST,
    CREATE_AH,
    INIT_AH_FROM_WC,
    DESTROY_AH,
    WRITE_FILES,
    CM_OPEN,
    CM_COMMAND,
    CM_CLOSE,
    BEFORE_FORK,
    EXIT;

    private static final VerbCommand[] BY_NUMBER = values();

    static VerbCommand of(int number) {
        return BY_NUMBER[number];
    }
}
