// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

/** Carries out the commands of the C side. */
final class Verbs {
    private Verbs() {}

    /** Returns a number that is not negative: a handle, a count, or 0. */
    static int execute(VerbCommand command, CallArguments a) throws Exception {
        return switch (command) {
            case LIST_DEVICES -> DeviceVerbs.list(a);
            case OPEN_DEVICE -> DeviceVerbs.open(a);
            case CLOSE_DEVICE -> DeviceVerbs.close(a);
            case QUERY_DEVICE -> DeviceVerbs.query(a);
            case QUERY_PORT -> DeviceVerbs.queryPort(a);
            case QUERY_GID -> DeviceVerbs.queryGid(a);
            case QUERY_GID_TABLE -> DeviceVerbs.queryGidTable(a);
            case QUERY_PKEY -> DeviceVerbs.queryPkey(a);
            case WRITE_FILES -> SysfsTree.write(a);
            case CM_OPEN -> UcmaFile.open(a);
            case CM_COMMAND -> UcmaCommands.execute(a);
            case CM_CLOSE -> UcmaFile.close(a);
            case BEFORE_FORK -> SharedPages.beforeFork();
            case EXIT -> DeviceVerbs.exit();
            case ALLOC_PD -> MemoryVerbs.allocatePd(a);
            case IMPORT -> MemoryVerbs.importObject(a);
            case ADVISE_MR -> MemoryVerbs.advise(a);
            case REG_MR -> MemoryVerbs.register(a);
            case REREG_MR -> MemoryVerbs.reregister(a);
            case DEREG_MR -> MemoryVerbs.deregister(a);
            case ALLOC_MW -> MemoryVerbs.allocateWindow(a);
            case BIND_MW -> MemoryVerbs.bindWindow(a);
            case ALLOC_DM -> MemoryVerbs.allocateDeviceMemory(a);
            case COPY_DM -> MemoryVerbs.copyDeviceMemory(a);
            case REG_DM_MR -> MemoryVerbs.registerDeviceMemory(a);
            case CREATE_CQ -> QueueVerbs.createCq(a);
            case RESIZE_CQ -> QueueVerbs.resizeCq(a);
            case MODIFY_CQ -> QueueVerbs.modifyCq(a);
            case CREATE_SRQ -> QueueVerbs.createSrq(a);
            case MODIFY_SRQ -> QueueVerbs.modifySrq(a);
            case QUERY_SRQ -> QueueVerbs.querySrq(a);
            case GET_SRQ_NUM -> QueueVerbs.srqNumber(a);
            case OPEN_XRCD -> QueueVerbs.openXrcDomain(a);
            case CREATE_QP -> QpVerbs.create(a);
            case OPEN_QP -> QpVerbs.open(a);
            case MODIFY_QP -> QpVerbs.modify(a);
            case QUERY_QP -> QpVerbs.query(a);
            case ATTACH_MCAST -> QpVerbs.attachMulticast(a);
            case DETACH_MCAST -> QpVerbs.detachMulticast(a);
            case CREATE_AH -> QpVerbs.createAddressHandle(a);
            case INIT_AH_FROM_WC -> QpVerbs.replyPath(a);
            case DEALLOC_PD, DEALLOC_MW, FREE_DM, DESTROY_CQ, DESTROY_SRQ, CLOSE_XRCD, DESTROY_QP, DESTROY_AH ->
                ObjectTable.destroy(a.small(0));
        };
    }
}
