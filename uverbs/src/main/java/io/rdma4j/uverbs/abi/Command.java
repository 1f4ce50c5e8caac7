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
            List.of(Attribute.COMP_VECTORS, Attribute.CORE_SUPPORT, Attribute.FOLDER)),
    /** {@code IB_USER_VERBS_CMD_QUERY_DEVICE}. */
    QUERY_DEVICE(1, List.of(), List.of(Attribute.DEVICE)),
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
    /** {@code IB_USER_VERBS_CMD_REG_MR}: the memory is named by the file that the server maps, too. */
    REG_MR(
            9,
            List.of(Attribute.PD, Attribute.FILE, Attribute.OFFSET, Attribute.SIZE, Attribute.IOVA, Attribute.ACCESS),
            List.of(Attribute.HANDLE, Attribute.LKEY, Attribute.RKEY)),
    /** {@code IB_USER_VERBS_CMD_DEREG_MR}. */
    DEREG_MR(13, List.of(Attribute.HANDLE), List.of()),
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
    /** {@code IB_USER_VERBS_CMD_DESTROY_CQ}. */
    DESTROY_CQ(20, List.of(Attribute.HANDLE), List.of()),
    /** {@code IB_USER_VERBS_CMD_REQ_NOTIFY_CQ}. */
    REQ_NOTIFY_CQ(23, List.of(Attribute.HANDLE, Attribute.SOLICITED_ONLY), List.of(Attribute.WAITING)),
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
                    Attribute.USER_HANDLE),
            List.of(
                    Attribute.HANDLE,
                    Attribute.QPN,
                    Attribute.CAPABILITIES,
                    Attribute.FILE,
                    Attribute.OFFSET,
                    Attribute.SIZE,
                    Attribute.RECEIVE_OFFSET,
                    Attribute.RECEIVE_SIZE)),
    /** {@code IB_USER_VERBS_CMD_QUERY_QP}. */
    QUERY_QP(25, List.of(Attribute.HANDLE), QpAttributeList.withDraining()),
    /** {@code IB_USER_VERBS_CMD_MODIFY_QP}. */
    MODIFY_QP(26, QpAttributeList.behind(Attribute.HANDLE), List.of(Attribute.QP_STATE)),
    /** {@code IB_USER_VERBS_CMD_DESTROY_QP}. */
    DESTROY_QP(27, List.of(Attribute.HANDLE), List.of()),
    /** The work requests are in the queue: this is its doorbell, and has no answer. */
    POST_SEND(28, List.of(Attribute.HANDLE), List.of()),
    /** The same for receives. */
    POST_RECV(29, List.of(Attribute.HANDLE), List.of()),
    /** {@code IB_USER_VERBS_CMD_ATTACH_MCAST}. */
    ATTACH_MCAST(30, DeviceLimit.MAX_MCAST_GRP, List.of(Attribute.HANDLE, Attribute.GID, Attribute.LID), List.of()),
    /** {@code IB_USER_VERBS_CMD_DETACH_MCAST}. */
    DETACH_MCAST(31, DeviceLimit.MAX_MCAST_GRP, List.of(Attribute.HANDLE, Attribute.GID, Attribute.LID), List.of()),

    // Files of sysfs are read this way
    /** A slot of the GID table: {@code ports/N/gids} and {@code gid_attrs}. */
    QUERY_GID(0x100, List.of(Attribute.PORT, Attribute.INDEX), List.of(Attribute.GID_ENTRY)),
    /** A slot of the P_Key table: {@code ports/N/pkeys}. */
    QUERY_PKEY(0x101, List.of(Attribute.PORT, Attribute.INDEX), List.of(Attribute.PKEY)),
    /** What the device counts at a port: {@code ports/N/hw_counters}. */
    QUERY_COUNTERS(0x102, List.of(Attribute.PORT), List.of(Attribute.COUNTERS)),

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
        return this == POST_SEND || this == POST_RECV;
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
