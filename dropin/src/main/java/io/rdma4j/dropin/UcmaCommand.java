// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** The commands of {@code <rdma/rdma_user_cm.h>}, in the order of their numbers. */
enum UcmaCommand {
    CREATE_ID,
    DESTROY_ID,
    BIND_IP,
    RESOLVE_IP,
    RESOLVE_ROUTE,
    QUERY_ROUTE,
    CONNECT,
    LISTEN,
    ACCEPT,
    REJECT,
    DISCONNECT,
    INIT_QP_ATTR,
    GET_EVENT,
    GET_OPTION,
    SET_OPTION,
    NOTIFY,
    JOIN_IP_MCAST,
    LEAVE_MCAST,
    MIGRATE_ID,
    QUERY,
    BIND,
    RESOLVE_ADDR,
    JOIN_MCAST,
    RESOLVE_IB_SERVICE,
    WRITE_CM_EVENT;

    private static final UcmaCommand[] BY_NUMBER = values();

    static UcmaCommand of(int number) {
        if (number < 0 || number >= BY_NUMBER.length) {
            throw new RdmaException(Errno.EINVAL, "command " + number + " of rdma_cm is unknown");
        }
        return BY_NUMBER[number];
    }
}
