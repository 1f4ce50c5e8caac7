// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceLimit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The table of commands: attributes of request and answer, and the device limit that must not be 0. Corresponds to
 * {@code DECLARE_UVERBS_WRITE}. Codes up to 57 are those of {@code enum ib_uverbs_write_cmds}; codes from 0x100 on are
 * project-specific.
 */
public enum CommandType {
    /**
     * {@code IB_USER_VERBS_CMD_GET_CONTEXT}: first command of a session; it carries the client's process id and name.
     */
    GET_CONTEXT(
            0,
            List.of(CommandAttribute.PID, CommandAttribute.COMM),
            List.of(
                    CommandAttribute.COMP_VECTORS,
                    CommandAttribute.CORE_SUPPORT,
                    CommandAttribute.FOLDER,
                    CommandAttribute.FILE,
                    CommandAttribute.OFFSET,
                    CommandAttribute.SIZE)),
    /** {@code IB_USER_VERBS_CMD_QUERY_DEVICE}. */
    QUERY_DEVICE(1, List.of(), List.of(CommandAttribute.DEVICE, CommandAttribute.WC_FLAGS, CommandAttribute.CQ_FLAGS)),
    /** {@code IB_USER_VERBS_CMD_QUERY_PORT}. */
    QUERY_PORT(2, List.of(CommandAttribute.PORT), List.of(CommandAttribute.PORT_ATTRIBUTES)),
    /** {@code IB_USER_VERBS_CMD_ALLOC_PD}. */
    ALLOC_PD(3, List.of(), List.of(CommandAttribute.HANDLE)),
    /** {@code IB_USER_VERBS_CMD_DEALLOC_PD}. */
    DEALLOC_PD(4, List.of(CommandAttribute.HANDLE), List.of()),
    /** {@code IB_USER_VERBS_CMD_CREATE_AH}. */
    CREATE_AH(
            5,
            DeviceLimit.MAX_AH,
            List.of(CommandAttribute.PD, CommandAttribute.ADDRESS_VECTOR),
            List.of(CommandAttribute.HANDLE, CommandAttribute.AH_NUMBER)),
    /** {@code IB_USER_VERBS_CMD_MODIFY_AH}. */
    MODIFY_AH(6, DeviceLimit.MAX_AH, List.of(CommandAttribute.HANDLE, CommandAttribute.ADDRESS_VECTOR), List.of()),
    /** {@code IB_USER_VERBS_CMD_DESTROY_AH}. */
    DESTROY_AH(8, DeviceLimit.MAX_AH, List.of(CommandAttribute.HANDLE), List.of()),
    /**
     * {@code IB_USER_VERBS_CMD_REG_MR}: a file names one writable piece of memory. Several pieces, or a read-only one,
     * are sent as PIECES.
     */
    REG_MR(
            9,
            List.of(
                    CommandAttribute.PD,
                    CommandAttribute.FILE,
                    CommandAttribute.OFFSET,
                    CommandAttribute.SIZE,
                    CommandAttribute.IOVA,
                    CommandAttribute.ACCESS,
                    CommandAttribute.PIECES),
            List.of(CommandAttribute.HANDLE, CommandAttribute.LKEY, CommandAttribute.RKEY)),
    /**
     * {@code IB_USER_VERBS_CMD_REREG_MR}: carries all attributes of the region, changed or not, but the memory only if
     * it or its address changes.
     */
    REREG_MR(
            11,
            List.of(
                    CommandAttribute.HANDLE,
                    CommandAttribute.PD,
                    CommandAttribute.PIECES,
                    CommandAttribute.IOVA,
                    CommandAttribute.ACCESS),
            List.of(CommandAttribute.LKEY, CommandAttribute.RKEY)),
    /** {@code IB_USER_VERBS_CMD_DEREG_MR}. */
    DEREG_MR(13, List.of(CommandAttribute.HANDLE), List.of()),
    /** {@code IB_USER_VERBS_CMD_ALLOC_MW}. */
    ALLOC_MW(
            14,
            DeviceLimit.MAX_MW,
            List.of(CommandAttribute.PD, CommandAttribute.MW_TYPE),
            List.of(CommandAttribute.HANDLE, CommandAttribute.NUMBER, CommandAttribute.RKEY)),
    /** {@code IB_USER_VERBS_CMD_DEALLOC_MW}. */
    DEALLOC_MW(16, DeviceLimit.MAX_MW, List.of(CommandAttribute.HANDLE), List.of()),
    /** {@code IB_USER_VERBS_CMD_CREATE_CQ}: the answer names the file that contains the queue. */
    CREATE_CQ(
            18,
            List.of(
                    CommandAttribute.CQE,
                    CommandAttribute.COMP_VECTOR,
                    CommandAttribute.USER_HANDLE,
                    CommandAttribute.WC_FLAGS,
                    CommandAttribute.CQ_FLAGS),
            List.of(
                    CommandAttribute.HANDLE,
                    CommandAttribute.CQE,
                    CommandAttribute.FILE,
                    CommandAttribute.OFFSET,
                    CommandAttribute.SIZE)),
    /** {@code IB_USER_VERBS_CMD_RESIZE_CQ}: the answer names the file that contains the resized queue. */
    RESIZE_CQ(
            19,
            List.of(CommandAttribute.HANDLE, CommandAttribute.CQE),
            List.of(CommandAttribute.CQE, CommandAttribute.FILE, CommandAttribute.OFFSET, CommandAttribute.SIZE)),
    /** {@code IB_USER_VERBS_CMD_DESTROY_CQ}. */
    DESTROY_CQ(20, List.of(CommandAttribute.HANDLE), List.of()),
    /**
     * {@code IB_USER_VERBS_CMD_REQ_NOTIFY_CQ} after a number of completions. The client writes other requests into the
     * queue's shared memory.
     */
    REQ_NOTIFY_CQ(23, List.of(CommandAttribute.HANDLE, CommandAttribute.COMPLETIONS), List.of()),
    /** {@code IB_USER_VERBS_CMD_CREATE_QP}: the answer names the file that contains the queues. */
    CREATE_QP(
            24,
            List.of(
                    CommandAttribute.PD,
                    CommandAttribute.QP_TYPE,
                    CommandAttribute.SEND_CQ,
                    CommandAttribute.RECV_CQ,
                    CommandAttribute.CAPABILITIES,
                    CommandAttribute.SQ_SIG_ALL,
                    CommandAttribute.PORT,
                    CommandAttribute.USER_HANDLE,
                    CommandAttribute.SRQ,
                    CommandAttribute.XRCD,
                    CommandAttribute.QP_FLAGS,
                    CommandAttribute.SEND_OPERATIONS,
                    CommandAttribute.ETHER_TYPE),
            List.of(
                    CommandAttribute.HANDLE,
                    CommandAttribute.QPN,
                    CommandAttribute.CAPABILITIES,
                    CommandAttribute.FILE,
                    CommandAttribute.OFFSET,
                    CommandAttribute.SIZE,
                    CommandAttribute.RECEIVE_OFFSET,
                    CommandAttribute.RECEIVE_SIZE,
                    CommandAttribute.DOORBELL)),
    /** {@code IB_USER_VERBS_CMD_QUERY_QP}. */
    QUERY_QP(25, List.of(CommandAttribute.HANDLE), QpAttributeList.withDraining()),
    /** {@code IB_USER_VERBS_CMD_MODIFY_QP}. */
    MODIFY_QP(26, QpAttributeList.behind(CommandAttribute.HANDLE), List.of(CommandAttribute.QP_STATE)),
    /** {@code IB_USER_VERBS_CMD_DESTROY_QP}. */
    DESTROY_QP(27, List.of(CommandAttribute.HANDLE), List.of()),
    /**
     * Wakes the device after the client has set a doorbell on the {@link DoorbellPage} while threads of the server
     * slept. The server sends no answer.
     */
    POST_SEND(28, List.of(), List.of()),
    /** {@code IB_USER_VERBS_CMD_ATTACH_MCAST}. */
    ATTACH_MCAST(
            30,
            DeviceLimit.MAX_MCAST_GRP,
            List.of(CommandAttribute.HANDLE, CommandAttribute.GID, CommandAttribute.LID),
            List.of()),
    /** {@code IB_USER_VERBS_CMD_DETACH_MCAST}. */
    DETACH_MCAST(
            31,
            DeviceLimit.MAX_MCAST_GRP,
            List.of(CommandAttribute.HANDLE, CommandAttribute.GID, CommandAttribute.LID),
            List.of()),
    /**
     * {@code IB_USER_VERBS_CMD_CREATE_SRQ}: the answer names the file that contains the queue. Receives are posted
     * without a command.
     */
    CREATE_SRQ(
            32,
            DeviceLimit.MAX_SRQ,
            List.of(CommandAttribute.PD, CommandAttribute.SRQ_ATTRIBUTES, CommandAttribute.USER_HANDLE),
            List.of(
                    CommandAttribute.HANDLE,
                    CommandAttribute.SRQ_ATTRIBUTES,
                    CommandAttribute.FILE,
                    CommandAttribute.OFFSET,
                    CommandAttribute.SIZE,
                    CommandAttribute.SRQ_NUMBER)),
    /**
     * {@code IB_USER_VERBS_CMD_MODIFY_SRQ}: changes size or limit. After a change of the size, the answer names the
     * queue's new file.
     */
    MODIFY_SRQ(
            33,
            DeviceLimit.MAX_SRQ,
            List.of(CommandAttribute.HANDLE, CommandAttribute.SRQ_MASK, CommandAttribute.SRQ_ATTRIBUTES),
            List.of(
                    CommandAttribute.SRQ_ATTRIBUTES,
                    CommandAttribute.FILE,
                    CommandAttribute.OFFSET,
                    CommandAttribute.SIZE)),
    /** {@code IB_USER_VERBS_CMD_QUERY_SRQ}. */
    QUERY_SRQ(34, DeviceLimit.MAX_SRQ, List.of(CommandAttribute.HANDLE), List.of(CommandAttribute.SRQ_ATTRIBUTES)),
    /** {@code IB_USER_VERBS_CMD_DESTROY_SRQ}. */
    DESTROY_SRQ(35, DeviceLimit.MAX_SRQ, List.of(CommandAttribute.HANDLE), List.of()),
    /** {@code IB_USER_VERBS_CMD_OPEN_XRCD}: without a file, the domain belongs to this session only. */
    OPEN_XRCD(37, List.of(CommandAttribute.FILE, CommandAttribute.OPEN_FLAGS), List.of(CommandAttribute.HANDLE)),
    /** {@code IB_USER_VERBS_CMD_CLOSE_XRCD}. */
    CLOSE_XRCD(38, List.of(CommandAttribute.HANDLE), List.of()),
    /** {@code IB_USER_VERBS_CMD_CREATE_XSRQ}: as CREATE_SRQ, in an XRC domain. */
    CREATE_XSRQ(
            39,
            DeviceLimit.MAX_SRQ,
            List.of(
                    CommandAttribute.PD,
                    CommandAttribute.SRQ_ATTRIBUTES,
                    CommandAttribute.USER_HANDLE,
                    CommandAttribute.XRCD,
                    CommandAttribute.RECV_CQ),
            List.of(
                    CommandAttribute.HANDLE,
                    CommandAttribute.SRQ_ATTRIBUTES,
                    CommandAttribute.FILE,
                    CommandAttribute.OFFSET,
                    CommandAttribute.SIZE,
                    CommandAttribute.SRQ_NUMBER)),
    /** {@code IB_USER_VERBS_CMD_OPEN_QP}: opens another handle of an XRC target queue pair. */
    OPEN_QP(
            40,
            List.of(CommandAttribute.XRCD, CommandAttribute.QPN, CommandAttribute.USER_HANDLE),
            List.of(CommandAttribute.HANDLE, CommandAttribute.QPN, CommandAttribute.CAPABILITIES)),
    /** {@code IB_USER_VERBS_EX_CMD_MODIFY_CQ}: moderation. */
    MODIFY_CQ(57, List.of(CommandAttribute.HANDLE, CommandAttribute.CQ_COUNT, CommandAttribute.CQ_PERIOD), List.of()),

    // Attributes that Linux provides in sysfs
    /** Entry of the GID table: {@code ports/N/gids} and {@code gid_attrs}. */
    QUERY_GID(0x100, List.of(CommandAttribute.PORT, CommandAttribute.INDEX), List.of(CommandAttribute.GID_ENTRY)),
    /** Entry of the P_Key table: {@code ports/N/pkeys}. */
    QUERY_PKEY(0x101, List.of(CommandAttribute.PORT, CommandAttribute.INDEX), List.of(CommandAttribute.PKEY)),
    /** Hardware counters of a port: {@code ports/N/hw_counters}. */
    QUERY_COUNTERS(0x102, List.of(CommandAttribute.PORT), List.of(CommandAttribute.COUNTERS)),

    // Methods that Linux provides only by ioctl or only to drivers in the kernel
    /** {@code UVERBS_METHOD_DM_ALLOC}. */
    ALLOC_DM(
            0x110,
            DeviceLimit.MAX_DM_SIZE,
            List.of(CommandAttribute.SIZE, CommandAttribute.LOG_ALIGNMENT),
            List.of(CommandAttribute.HANDLE)),
    /** {@code UVERBS_METHOD_DM_FREE}. */
    FREE_DM(0x111, DeviceLimit.MAX_DM_SIZE, List.of(CommandAttribute.HANDLE), List.of()),
    /** {@code UVERBS_METHOD_DM_MR_REG}. */
    REG_DM_MR(
            0x112,
            DeviceLimit.MAX_DM_SIZE,
            List.of(
                    CommandAttribute.PD,
                    CommandAttribute.DM,
                    CommandAttribute.OFFSET,
                    CommandAttribute.SIZE,
                    CommandAttribute.ACCESS),
            List.of(CommandAttribute.HANDLE, CommandAttribute.LKEY, CommandAttribute.RKEY)),
    /** {@code ibv_memcpy_to_dm}: one part, at most {@link FrameCodec#MAX_DATA_BYTES}. */
    WRITE_DM(
            0x113,
            DeviceLimit.MAX_DM_SIZE,
            List.of(CommandAttribute.HANDLE, CommandAttribute.OFFSET, CommandAttribute.DATA),
            List.of()),
    /** {@code ibv_memcpy_from_dm}: one part, at most {@link FrameCodec#MAX_DATA_BYTES}. */
    READ_DM(
            0x114,
            DeviceLimit.MAX_DM_SIZE,
            List.of(CommandAttribute.HANDLE, CommandAttribute.OFFSET, CommandAttribute.SIZE),
            List.of(CommandAttribute.DATA)),
    /** {@code ib_alloc_mr}. */
    ALLOC_FAST_MR(
            0x120,
            DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN,
            List.of(CommandAttribute.PD, CommandAttribute.MAX_PAGES),
            List.of(CommandAttribute.HANDLE, CommandAttribute.NUMBER, CommandAttribute.RKEY)),
    /** {@code ib_map_mr_sg}. */
    MAP_FAST_MR(
            0x121,
            DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN,
            List.of(CommandAttribute.HANDLE, CommandAttribute.PIECES),
            List.of()),
    /** {@code ib_dereg_mr} of a fast region. */
    DEALLOC_FAST_MR(0x122, DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN, List.of(CommandAttribute.HANDLE), List.of()),
    /** {@code ib_alloc_fmr}. */
    ALLOC_FMR(
            0x123,
            DeviceLimit.MAX_FMR,
            List.of(CommandAttribute.PD, CommandAttribute.FMR_ATTRIBUTES, CommandAttribute.ACCESS),
            List.of(CommandAttribute.HANDLE, CommandAttribute.RKEY)),
    /** {@code ib_map_phys_fmr}. */
    MAP_FMR(
            0x124,
            DeviceLimit.MAX_FMR,
            List.of(CommandAttribute.HANDLE, CommandAttribute.PIECES, CommandAttribute.IOVA),
            List.of(CommandAttribute.RKEY)),
    /** {@code ib_unmap_fmr}. */
    UNMAP_FMR(0x125, DeviceLimit.MAX_FMR, List.of(CommandAttribute.HANDLE), List.of()),
    /** {@code ib_dealloc_fmr}. */
    DEALLOC_FMR(0x126, DeviceLimit.MAX_FMR, List.of(CommandAttribute.HANDLE), List.of()),
    /** {@code ib_dma_map_single}. */
    MAP_DMA(
            0x130,
            List.of(CommandAttribute.PIECES, CommandAttribute.DMA_DIRECTION, CommandAttribute.DMA_ATTRIBUTES),
            List.of(CommandAttribute.HANDLE, CommandAttribute.DMA_ADDRESS)),
    /** {@code ib_dma_sync_single_for_cpu} and {@code ib_dma_sync_single_for_device}. */
    SYNC_DMA(0x131, List.of(CommandAttribute.HANDLE, CommandAttribute.TO_DEVICE), List.of()),
    /** {@code ib_dma_unmap_single}. */
    UNMAP_DMA(0x132, List.of(CommandAttribute.HANDLE), List.of()),
    /** {@code ib_get_dma_mr}. */
    GET_DMA_MR(
            0x133,
            List.of(CommandAttribute.PD, CommandAttribute.ACCESS),
            List.of(CommandAttribute.HANDLE, CommandAttribute.LKEY, CommandAttribute.RKEY)),
    /** {@code local_dma_lkey}. */
    QUERY_LOCAL_DMA_LKEY(0x134, List.of(), List.of(CommandAttribute.LKEY)),

    // Files of ib_umad, which are character devices of their own in Linux
    /** Opens a file for a port. */
    OPEN_UMAD(0x140, List.of(CommandAttribute.PORT, CommandAttribute.USER_HANDLE), List.of(CommandAttribute.HANDLE)),
    /** {@code IB_USER_MAD_REGISTER_AGENT2}. */
    REGISTER_UMAD_AGENT(
            0x141,
            List.of(
                    CommandAttribute.HANDLE,
                    CommandAttribute.QPN,
                    CommandAttribute.MGMT_CLASS,
                    CommandAttribute.CLASS_VERSION,
                    CommandAttribute.OUI,
                    CommandAttribute.METHODS,
                    CommandAttribute.RMPP_VERSION),
            List.of(CommandAttribute.INDEX)),
    /** {@code IB_USER_MAD_UNREGISTER_AGENT}. */
    UNREGISTER_UMAD_AGENT(0x142, List.of(CommandAttribute.HANDLE, CommandAttribute.INDEX), List.of()),
    /** A write: one part, at most {@link FrameCodec#MAX_DATA_BYTES}; the last part sends the message. */
    WRITE_UMAD(
            0x143,
            List.of(CommandAttribute.HANDLE, CommandAttribute.OFFSET, CommandAttribute.SIZE, CommandAttribute.DATA),
            List.of()),
    /** A read: one part, at most {@link FrameCodec#MAX_DATA_BYTES}; offset 0 takes the next message. */
    READ_UMAD(
            0x144,
            List.of(CommandAttribute.HANDLE, CommandAttribute.OFFSET),
            List.of(CommandAttribute.SIZE, CommandAttribute.DATA)),
    /** Closes the file and its agents. */
    CLOSE_UMAD(0x145, List.of(CommandAttribute.HANDLE), List.of()),

    // The use of queue pair 1 by a communication manager of the client, which ib_ucm gives to programs in Linux
    /** Begins the use; the answer has its communication IDs and its agent. */
    OPEN_CM(
            0x150,
            List.of(CommandAttribute.USER_HANDLE),
            List.of(
                    CommandAttribute.HANDLE,
                    CommandAttribute.CM_FIRST_ID,
                    CommandAttribute.CM_ID_BITS,
                    CommandAttribute.INDEX)),
    /** {@code IB_USER_CM_CMD_LISTEN}: requests to a service come to the client. */
    LISTEN_CM(
            0x151,
            List.of(CommandAttribute.HANDLE, CommandAttribute.SERVICE_ID, CommandAttribute.SERVICE_MASK),
            List.of()),
    /** Ends {@link #LISTEN_CM}. */
    END_LISTEN_CM(
            0x152,
            List.of(CommandAttribute.HANDLE, CommandAttribute.SERVICE_ID, CommandAttribute.SERVICE_MASK),
            List.of()),
    /** {@code RDMA_USER_CM_CMD_BIND}: claims a port of rdma_cm at an address. */
    BIND_CM_PORT(
            0x153,
            List.of(
                    CommandAttribute.HANDLE,
                    CommandAttribute.SERVICE_ID,
                    CommandAttribute.GID,
                    CommandAttribute.REUSE_ADDRESS),
            List.of()),
    /** Ends {@link #BIND_CM_PORT}. */
    RELEASE_CM_PORT(
            0x154, List.of(CommandAttribute.HANDLE, CommandAttribute.SERVICE_ID, CommandAttribute.GID), List.of()),
    /** Sends a CM message. The server sends no answer; it drops a message that is not the client's to send. */
    SEND_CM(
            0x155,
            List.of(
                    CommandAttribute.HANDLE,
                    CommandAttribute.ADDRESS_VECTOR,
                    CommandAttribute.QP_PKEY_INDEX,
                    CommandAttribute.DATA),
            List.of()),
    /** Takes the next received CM message; without data if there is none. */
    RECEIVE_CM(
            0x156,
            List.of(CommandAttribute.HANDLE),
            List.of(CommandAttribute.ADDRESS_VECTOR, CommandAttribute.QP_PKEY_INDEX, CommandAttribute.DATA)),
    /** Ends the use, and what it has open. */
    CLOSE_CM(0x157, List.of(CommandAttribute.HANDLE), List.of()),
    /** The answer to {@link #RESOURCES_EVENT}, with its number; has no answer of its own. */
    REPORT_RESOURCES(0x158, List.of(CommandAttribute.USER_HANDLE, CommandAttribute.RESOURCES), List.of()),

    // Addresses and paths of an InfiniBand port for rdma_cm, which Linux has in the kernel
    /** The network interfaces over ports of the device. */
    QUERY_INTERFACES(0x160, List.of(), List.of(CommandAttribute.INTERFACES)),
    /** The answer has the index 1 if the route to an address leaves through the interface with an index. */
    QUERY_ROUTE(0x161, List.of(CommandAttribute.INDEX, CommandAttribute.GID), List.of(CommandAttribute.INDEX)),
    /** Requests the link address of the next hop to an address; the answer has the index 1 if it is known. */
    RESOLVE_ADDRESS(0x162, List.of(CommandAttribute.INDEX, CommandAttribute.GID), List.of(CommandAttribute.INDEX)),
    /** The GID in the link address of the next hop; none while it is not known. */
    QUERY_NEIGHBOUR(0x163, List.of(CommandAttribute.INDEX, CommandAttribute.GID), List.of(CommandAttribute.GID)),
    /** Asks the subnet administrator for a path or a group; the session waits for its answer. */
    QUERY_RECORD(
            0x164,
            List.of(
                    CommandAttribute.PORT,
                    CommandAttribute.SA_ATTRIBUTE,
                    CommandAttribute.DATA,
                    CommandAttribute.COMPONENT_MASK,
                    CommandAttribute.TIMEOUT_MS),
            List.of(CommandAttribute.DATA)),
    /** Makes a port a member of a multicast group; {@link #GROUP_EVENT} tells of each result. */
    JOIN_GROUP(
            0x165,
            List.of(
                    CommandAttribute.PORT,
                    CommandAttribute.DATA,
                    CommandAttribute.COMPONENT_MASK,
                    CommandAttribute.USER_HANDLE),
            List.of(CommandAttribute.HANDLE)),
    /** Leaves the group. */
    LEAVE_GROUP(0x166, List.of(CommandAttribute.HANDLE), List.of()),

    // Commands without a context; Linux has them in netlink
    /** The live objects of the device and their owners ({@code RDMA_NLDEV_CMD_RES_GET}). */
    QUERY_RESOURCES(0x180, List.of(), List.of(CommandAttribute.RESOURCES)),
    /** Deletes the device if its process only serves it ({@code RDMA_NLDEV_CMD_DELLINK}). */
    DELETE_LINK(0x181, List.of(), List.of()),

    // Events, which the server sends without a request; C programs read them from the channels' file descriptors
    /** A completion queue has an event: {@code struct ib_uverbs_comp_event_desc}. */
    COMPLETION_EVENT(0x200, List.of(), List.of(CommandAttribute.USER_HANDLE)),
    /** Event of an object, a port or the device: {@code struct ib_uverbs_async_event_desc}. */
    ASYNC_EVENT(
            0x201,
            List.of(),
            List.of(CommandAttribute.EVENT_TYPE, CommandAttribute.PORT, CommandAttribute.USER_HANDLE)),
    /** A file of {@code ib_umad} has become readable. */
    UMAD_EVENT(0x202, List.of(), List.of(CommandAttribute.USER_HANDLE)),
    /** CM messages have arrived. */
    CM_EVENT(0x203, List.of(), List.of(CommandAttribute.USER_HANDLE)),
    /** A port has joined a group, or is no member: the record of the group, or an error. */
    GROUP_EVENT(
            0x205,
            List.of(),
            List.of(CommandAttribute.USER_HANDLE, CommandAttribute.RESULT_ERRNO, CommandAttribute.DATA)),
    /** Asks for the objects of other modules of the client's context, such as ids of rdma_cm, by a number. */
    RESOURCES_EVENT(0x204, List.of(), List.of(CommandAttribute.USER_HANDLE));

    private final int code;
    private final @Nullable DeviceLimit needs;

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable
    private final List<CommandAttribute> request;

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable
    private final List<CommandAttribute> response;

    CommandType(int code, List<CommandAttribute> request, List<CommandAttribute> response) {
        this(code, null, request, response);
    }

    CommandType(
            int code, @Nullable DeviceLimit needs, List<CommandAttribute> request, List<CommandAttribute> response) {
        this.code = code;
        this.needs = needs;
        this.request = request;
        this.response = response;
    }

    /** 16 bits. */
    int code() {
        return code;
    }

    /** {@return true for a command that has no answer} */
    public boolean isUnanswered() {
        return this == POST_SEND || this == SEND_CM || this == REPORT_RESOURCES;
    }

    /**
     * {@return whether a device supports the command ({@code UAPI_DEF_METHOD_NEEDS_FN}); otherwise it fails with
     * EOPNOTSUPP}
     *
     * @param device attributes of the device
     */
    public boolean isSupportedBy(DeviceAttributes device) {
        return needs == null || device.limit(needs) > 0;
    }

    List<CommandAttribute> request() {
        return request;
    }

    List<CommandAttribute> response() {
        return response;
    }

    static @Nullable CommandType ofCode(int code) {
        for (CommandType command : values()) {
            if (command.code == code) {
                return command;
            }
        }
        return null;
    }
}
