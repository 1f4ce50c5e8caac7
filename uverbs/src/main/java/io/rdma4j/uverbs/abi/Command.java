package io.rdma4j.uverbs.abi;

import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.DeviceLimit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The table of commands: what each takes, what it answers, and what the device must have for it. Answers to
 * {@code DECLARE_UVERBS_WRITE}; codes are those of {@code enum ib_uverbs_write_cmds}, and above them our own.
 */
public enum Command {
    /** {@code IB_USER_VERBS_CMD_GET_CONTEXT}: the first of a session; says who opens the device. */
    GET_CONTEXT(
            0,
            List.of(Attribute.PID, Attribute.COMM),
            List.of(
                    Attribute.COMP_VECTORS,
                    Attribute.CORE_SUPPORT,
                    Attribute.FOLDER,
                    Attribute.FILE,
                    Attribute.OFFSET,
                    Attribute.SIZE)),
    /** {@code IB_USER_VERBS_CMD_QUERY_DEVICE}. */
    QUERY_DEVICE(1, List.of(), List.of(Attribute.DEVICE, Attribute.WC_FLAGS, Attribute.CQ_FLAGS)),
    /** {@code IB_USER_VERBS_CMD_QUERY_PORT}. */
    QUERY_PORT(2, List.of(Attribute.PORT), List.of(Attribute.PORT_ATTRIBUTES)),
    /** {@code IB_USER_VERBS_CMD_ALLOC_PD}. */
    ALLOC_PD(3, List.of(), List.of(Attribute.HANDLE)),
    /** {@code IB_USER_VERBS_CMD_DEALLOC_PD}. */
    DEALLOC_PD(4, List.of(Attribute.HANDLE), List.of()),
    /** {@code IB_USER_VERBS_CMD_CREATE_AH}. */
    CREATE_AH(
            5,
            DeviceLimit.MAX_AH,
            List.of(Attribute.PD, Attribute.ADDRESS_VECTOR),
            List.of(Attribute.HANDLE, Attribute.AH_NUMBER)),
    /** {@code IB_USER_VERBS_CMD_MODIFY_AH}. */
    MODIFY_AH(6, DeviceLimit.MAX_AH, List.of(Attribute.HANDLE, Attribute.ADDRESS_VECTOR), List.of()),
    /** {@code IB_USER_VERBS_CMD_DESTROY_AH}. */
    DESTROY_AH(8, DeviceLimit.MAX_AH, List.of(Attribute.HANDLE), List.of()),
    /**
     * {@code IB_USER_VERBS_CMD_REG_MR}: the memory is named by the file that the server maps, too; by pieces if there are several, or one that
     * must not be written.
     */
    REG_MR(
            9,
            List.of(
                    Attribute.PD,
                    Attribute.FILE,
                    Attribute.OFFSET,
                    Attribute.SIZE,
                    Attribute.IOVA,
                    Attribute.ACCESS,
                    Attribute.PIECES),
            List.of(Attribute.HANDLE, Attribute.LKEY, Attribute.RKEY)),
    /** {@code IB_USER_VERBS_CMD_REREG_MR}: everything as it shall be from now on. */
    REREG_MR(
            11,
            List.of(Attribute.HANDLE, Attribute.PD, Attribute.PIECES, Attribute.IOVA, Attribute.ACCESS),
            List.of(Attribute.LKEY, Attribute.RKEY)),
    /** {@code IB_USER_VERBS_CMD_DEREG_MR}. */
    DEREG_MR(13, List.of(Attribute.HANDLE), List.of()),
    /** {@code IB_USER_VERBS_CMD_ALLOC_MW}. */
    ALLOC_MW(
            14,
            DeviceLimit.MAX_MW,
            List.of(Attribute.PD, Attribute.MW_TYPE),
            List.of(Attribute.HANDLE, Attribute.NUMBER, Attribute.RKEY)),
    /** {@code IB_USER_VERBS_CMD_DEALLOC_MW}. */
    DEALLOC_MW(16, DeviceLimit.MAX_MW, List.of(Attribute.HANDLE), List.of()),
    /** {@code IB_USER_VERBS_CMD_CREATE_CQ}: the answer names the file that the queue lies in. */
    CREATE_CQ(
            18,
            List.of(
                    Attribute.CQE,
                    Attribute.COMP_VECTOR,
                    Attribute.USER_HANDLE,
                    Attribute.WC_FLAGS,
                    Attribute.CQ_FLAGS),
            List.of(Attribute.HANDLE, Attribute.CQE, Attribute.FILE, Attribute.OFFSET, Attribute.SIZE)),
    /** {@code IB_USER_VERBS_CMD_RESIZE_CQ}: the answer names the file that the queue lies in from now on. */
    RESIZE_CQ(
            19,
            List.of(Attribute.HANDLE, Attribute.CQE),
            List.of(Attribute.CQE, Attribute.FILE, Attribute.OFFSET, Attribute.SIZE)),
    /** {@code IB_USER_VERBS_CMD_DESTROY_CQ}. */
    DESTROY_CQ(20, List.of(Attribute.HANDLE), List.of()),
    /** {@code IB_USER_VERBS_CMD_REQ_NOTIFY_CQ} after a number of completions; other requests lie in the memory of the queue. */
    REQ_NOTIFY_CQ(23, List.of(Attribute.HANDLE, Attribute.COMPLETIONS), List.of()),
    /** {@code IB_USER_VERBS_CMD_CREATE_QP}: the answer names the file that the queues lie in. */
    CREATE_QP(
            24,
            List.of(
                    Attribute.PD,
                    Attribute.QP_TYPE,
                    Attribute.SEND_CQ,
                    Attribute.RECV_CQ,
                    Attribute.CAPABILITIES,
                    Attribute.SQ_SIG_ALL,
                    Attribute.PORT,
                    Attribute.USER_HANDLE,
                    Attribute.SRQ,
                    Attribute.XRCD,
                    Attribute.QP_FLAGS,
                    Attribute.SEND_OPERATIONS,
                    Attribute.ETHER_TYPE),
            List.of(
                    Attribute.HANDLE,
                    Attribute.QPN,
                    Attribute.CAPABILITIES,
                    Attribute.FILE,
                    Attribute.OFFSET,
                    Attribute.SIZE,
                    Attribute.RECEIVE_OFFSET,
                    Attribute.RECEIVE_SIZE,
                    Attribute.DOORBELL)),
    /** {@code IB_USER_VERBS_CMD_QUERY_QP}. */
    QUERY_QP(25, List.of(Attribute.HANDLE), QpAttributeList.withDraining()),
    /** {@code IB_USER_VERBS_CMD_MODIFY_QP}. */
    MODIFY_QP(26, QpAttributeList.behind(Attribute.HANDLE), List.of(Attribute.QP_STATE)),
    /** {@code IB_USER_VERBS_CMD_DESTROY_QP}. */
    DESTROY_QP(27, List.of(Attribute.HANDLE), List.of()),
    /** A doorbell was rung on the {@link DoorbellPage} while threads of the server slept: it looks there. Without an answer. */
    POST_SEND(28, List.of(), List.of()),
    /** {@code IB_USER_VERBS_CMD_ATTACH_MCAST}. */
    ATTACH_MCAST(30, DeviceLimit.MAX_MCAST_GRP, List.of(Attribute.HANDLE, Attribute.GID, Attribute.LID), List.of()),
    /** {@code IB_USER_VERBS_CMD_DETACH_MCAST}. */
    DETACH_MCAST(31, DeviceLimit.MAX_MCAST_GRP, List.of(Attribute.HANDLE, Attribute.GID, Attribute.LID), List.of()),
    /** {@code IB_USER_VERBS_CMD_CREATE_SRQ}: the answer names the file that the queue lies in. Posts need no command. */
    CREATE_SRQ(
            32,
            DeviceLimit.MAX_SRQ,
            List.of(Attribute.PD, Attribute.SRQ_ATTRIBUTES, Attribute.USER_HANDLE),
            List.of(
                    Attribute.HANDLE,
                    Attribute.SRQ_ATTRIBUTES,
                    Attribute.FILE,
                    Attribute.OFFSET,
                    Attribute.SIZE,
                    Attribute.SRQ_NUMBER)),
    /** {@code IB_USER_VERBS_CMD_MODIFY_SRQ}: size or limit; with another size, the answer names the file of the queue. */
    MODIFY_SRQ(
            33,
            DeviceLimit.MAX_SRQ,
            List.of(Attribute.HANDLE, Attribute.SRQ_MASK, Attribute.SRQ_ATTRIBUTES),
            List.of(Attribute.SRQ_ATTRIBUTES, Attribute.FILE, Attribute.OFFSET, Attribute.SIZE)),
    /** {@code IB_USER_VERBS_CMD_QUERY_SRQ}. */
    QUERY_SRQ(34, DeviceLimit.MAX_SRQ, List.of(Attribute.HANDLE), List.of(Attribute.SRQ_ATTRIBUTES)),
    /** {@code IB_USER_VERBS_CMD_DESTROY_SRQ}. */
    DESTROY_SRQ(35, DeviceLimit.MAX_SRQ, List.of(Attribute.HANDLE), List.of()),
    /** {@code IB_USER_VERBS_CMD_OPEN_XRCD}: without a file a domain of the session alone. */
    OPEN_XRCD(37, List.of(Attribute.FILE, Attribute.OPEN_FLAGS), List.of(Attribute.HANDLE)),
    /** {@code IB_USER_VERBS_CMD_CLOSE_XRCD}. */
    CLOSE_XRCD(38, List.of(Attribute.HANDLE), List.of()),
    /** {@code IB_USER_VERBS_CMD_CREATE_XSRQ}: as CREATE_SRQ, in an XRC domain. */
    CREATE_XSRQ(
            39,
            DeviceLimit.MAX_SRQ,
            List.of(Attribute.PD, Attribute.SRQ_ATTRIBUTES, Attribute.USER_HANDLE, Attribute.XRCD, Attribute.RECV_CQ),
            List.of(
                    Attribute.HANDLE,
                    Attribute.SRQ_ATTRIBUTES,
                    Attribute.FILE,
                    Attribute.OFFSET,
                    Attribute.SIZE,
                    Attribute.SRQ_NUMBER)),
    /** {@code IB_USER_VERBS_CMD_OPEN_QP}: one more handle of an XRC target. */
    OPEN_QP(
            40,
            List.of(Attribute.XRCD, Attribute.QPN, Attribute.USER_HANDLE),
            List.of(Attribute.HANDLE, Attribute.QPN, Attribute.CAPABILITIES)),
    /** {@code IB_USER_VERBS_EX_CMD_MODIFY_CQ}: moderation. */
    MODIFY_CQ(57, List.of(Attribute.HANDLE, Attribute.CQ_COUNT, Attribute.CQ_PERIOD), List.of()),

    // Files of sysfs are read this way
    /** A slot of the GID table: {@code ports/N/gids} and {@code gid_attrs}. */
    QUERY_GID(0x100, List.of(Attribute.PORT, Attribute.INDEX), List.of(Attribute.GID_ENTRY)),
    /** A slot of the P_Key table: {@code ports/N/pkeys}. */
    QUERY_PKEY(0x101, List.of(Attribute.PORT, Attribute.INDEX), List.of(Attribute.PKEY)),
    /** What the device counts at a port: {@code ports/N/hw_counters}. */
    QUERY_COUNTERS(0x102, List.of(Attribute.PORT), List.of(Attribute.COUNTERS)),

    // Methods that Linux has for its ioctl or for its own drivers only
    /** {@code UVERBS_METHOD_DM_ALLOC}. */
    ALLOC_DM(
            0x110,
            DeviceLimit.MAX_DM_SIZE,
            List.of(Attribute.SIZE, Attribute.LOG_ALIGNMENT),
            List.of(Attribute.HANDLE)),
    /** {@code UVERBS_METHOD_DM_FREE}. */
    FREE_DM(0x111, DeviceLimit.MAX_DM_SIZE, List.of(Attribute.HANDLE), List.of()),
    /** {@code UVERBS_METHOD_DM_MR_REG}. */
    REG_DM_MR(
            0x112,
            DeviceLimit.MAX_DM_SIZE,
            List.of(Attribute.PD, Attribute.DM, Attribute.OFFSET, Attribute.SIZE, Attribute.ACCESS),
            List.of(Attribute.HANDLE, Attribute.LKEY, Attribute.RKEY)),
    /** {@code ibv_memcpy_to_dm}, a part that a frame has room for. */
    WRITE_DM(0x113, DeviceLimit.MAX_DM_SIZE, List.of(Attribute.HANDLE, Attribute.OFFSET, Attribute.DATA), List.of()),
    /** {@code ibv_memcpy_from_dm}, likewise. */
    READ_DM(
            0x114,
            DeviceLimit.MAX_DM_SIZE,
            List.of(Attribute.HANDLE, Attribute.OFFSET, Attribute.SIZE),
            List.of(Attribute.DATA)),
    /** {@code ib_alloc_mr}. */
    ALLOC_FAST_MR(
            0x120,
            DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN,
            List.of(Attribute.PD, Attribute.MAX_PAGES),
            List.of(Attribute.HANDLE, Attribute.NUMBER, Attribute.RKEY)),
    /** {@code ib_map_mr_sg}. */
    MAP_FAST_MR(0x121, DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN, List.of(Attribute.HANDLE, Attribute.PIECES), List.of()),
    /** {@code ib_dereg_mr} of a fast region. */
    DEALLOC_FAST_MR(0x122, DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN, List.of(Attribute.HANDLE), List.of()),
    /** {@code ib_alloc_fmr}. */
    ALLOC_FMR(
            0x123,
            DeviceLimit.MAX_FMR,
            List.of(Attribute.PD, Attribute.FMR_ATTRIBUTES, Attribute.ACCESS),
            List.of(Attribute.HANDLE, Attribute.RKEY)),
    /** {@code ib_map_phys_fmr}. */
    MAP_FMR(
            0x124,
            DeviceLimit.MAX_FMR,
            List.of(Attribute.HANDLE, Attribute.PIECES, Attribute.IOVA),
            List.of(Attribute.RKEY)),
    /** {@code ib_unmap_fmr}. */
    UNMAP_FMR(0x125, DeviceLimit.MAX_FMR, List.of(Attribute.HANDLE), List.of()),
    /** {@code ib_dealloc_fmr}. */
    DEALLOC_FMR(0x126, DeviceLimit.MAX_FMR, List.of(Attribute.HANDLE), List.of()),
    /** {@code ib_dma_map_single}. */
    MAP_DMA(
            0x130,
            List.of(Attribute.PIECES, Attribute.DMA_DIRECTION, Attribute.DMA_ATTRIBUTES),
            List.of(Attribute.HANDLE, Attribute.DMA_ADDRESS)),
    /** {@code ib_dma_sync_single_for_cpu} and {@code ib_dma_sync_single_for_device}. */
    SYNC_DMA(0x131, List.of(Attribute.HANDLE, Attribute.TO_DEVICE), List.of()),
    /** {@code ib_dma_unmap_single}. */
    UNMAP_DMA(0x132, List.of(Attribute.HANDLE), List.of()),
    /** {@code ib_get_dma_mr}. */
    GET_DMA_MR(
            0x133, List.of(Attribute.PD, Attribute.ACCESS), List.of(Attribute.HANDLE, Attribute.LKEY, Attribute.RKEY)),
    /** {@code local_dma_lkey}. */
    QUERY_LOCAL_DMA_LKEY(0x134, List.of(), List.of(Attribute.LKEY)),

    // Netlink answers these, without a context
    /** The live objects of the device and the processes that have them ({@code RDMA_NLDEV_CMD_RES_GET}). */
    QUERY_RESOURCES(0x180, List.of(), List.of(Attribute.RESOURCES)),
    /** Takes the device away, if it was made to be served only ({@code RDMA_NLDEV_CMD_DELLINK}). */
    DELETE_LINK(0x181, List.of(), List.of()),

    // Events, from the server without being asked: what C programs read from the channels' file descriptors
    /** A completion queue has an event: {@code struct ib_uverbs_comp_event_desc}. */
    COMPLETION_EVENT(0x200, List.of(), List.of(Attribute.USER_HANDLE)),
    /** Something happened to an object, a port or the device: {@code struct ib_uverbs_async_event_desc}. */
    ASYNC_EVENT(0x201, List.of(), List.of(Attribute.EVENT_TYPE, Attribute.PORT, Attribute.USER_HANDLE));

    private final int code;
    private final @Nullable DeviceLimit needs;

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable
    private final List<Attribute> request;

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable
    private final List<Attribute> response;

    Command(int code, List<Attribute> request, List<Attribute> response) {
        this(code, null, request, response);
    }

    Command(int code, @Nullable DeviceLimit needs, List<Attribute> request, List<Attribute> response) {
        this.code = code;
        this.needs = needs;
        this.request = request;
        this.response = response;
    }

    /** 16 bits. */
    int code() {
        return code;
    }

    /** {@return true for a doorbell: the client does not wait for an answer} */
    public boolean isDoorbell() {
        return this == POST_SEND;
    }

    /**
     * {@return whether a device has what the command needs ({@code UAPI_DEF_METHOD_NEEDS_FN}); without it there is no
     * such command}
     *
     * @param device what it says of itself
     */
    public boolean isSupportedBy(DeviceAttributes device) {
        return needs == null || device.limit(needs) > 0;
    }

    List<Attribute> request() {
        return request;
    }

    List<Attribute> response() {
        return response;
    }

    static @Nullable Command ofCode(int code) {
        for (Command command : values()) {
            if (command.code == code) {
                return command;
            }
        }
        return null;
    }
}
