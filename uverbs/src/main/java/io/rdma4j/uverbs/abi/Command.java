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
    GET_CONTEXT(0, List.of(Attribute.PID, Attribute.COMM), List.of(Attribute.COMP_VECTORS, Attribute.CORE_SUPPORT)),
    QUERY_DEVICE(1, List.of(), List.of(Attribute.DEVICE)),
    QUERY_PORT(2, List.of(Attribute.PORT), List.of(Attribute.PORT_ATTRIBUTES)),
    ALLOC_PD(3, List.of(), List.of(Attribute.HANDLE)),
    DEALLOC_PD(4, List.of(Attribute.HANDLE), List.of()),
    CREATE_AH(
            5,
            DeviceLimit.MAX_AH,
            List.of(Attribute.PD, Attribute.ADDRESS_VECTOR),
            List.of(Attribute.HANDLE, Attribute.AH_NUMBER)),
    MODIFY_AH(6, DeviceLimit.MAX_AH, List.of(Attribute.HANDLE, Attribute.ADDRESS_VECTOR), List.of()),
    DESTROY_AH(8, DeviceLimit.MAX_AH, List.of(Attribute.HANDLE), List.of()),
    REG_MR(
            9,
            List.of(Attribute.PD, Attribute.FILE, Attribute.OFFSET, Attribute.SIZE, Attribute.IOVA, Attribute.ACCESS),
            List.of(Attribute.HANDLE, Attribute.LKEY, Attribute.RKEY)),
    DEREG_MR(13, List.of(Attribute.HANDLE), List.of()),
    CREATE_CQ(
            18,
            List.of(
                    Attribute.CQE,
                    Attribute.COMP_VECTOR,
                    Attribute.USER_HANDLE,
                    Attribute.WC_FLAGS,
                    Attribute.CQ_FLAGS),
            List.of(Attribute.HANDLE, Attribute.CQE, Attribute.FILE, Attribute.OFFSET, Attribute.SIZE)),
    DESTROY_CQ(20, List.of(Attribute.HANDLE), List.of()),
    REQ_NOTIFY_CQ(23, List.of(Attribute.HANDLE, Attribute.SOLICITED_ONLY), List.of(Attribute.WAITING)),
    CREATE_QP(
            24,
            List.of(
                    Attribute.PD,
                    Attribute.QP_TYPE,
                    Attribute.SEND_CQ,
                    Attribute.RECV_CQ,
                    Attribute.CAPABILITIES,
                    Attribute.SQ_SIG_ALL,
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
    QUERY_QP(25, List.of(Attribute.HANDLE), QpAttributeList.withDraining()),
    MODIFY_QP(26, QpAttributeList.behind(Attribute.HANDLE), List.of(Attribute.QP_STATE)),
    DESTROY_QP(27, List.of(Attribute.HANDLE), List.of()),
    /** The work requests are in the queue: this is its doorbell, and has no answer. */
    POST_SEND(28, List.of(Attribute.HANDLE), List.of()),
    /** The same for receives. */
    POST_RECV(29, List.of(Attribute.HANDLE), List.of()),
    ATTACH_MCAST(30, DeviceLimit.MAX_MCAST_GRP, List.of(Attribute.HANDLE, Attribute.GID, Attribute.LID), List.of()),
    DETACH_MCAST(31, DeviceLimit.MAX_MCAST_GRP, List.of(Attribute.HANDLE, Attribute.GID, Attribute.LID), List.of()),

    // Files of sysfs are read this way
    QUERY_GID(0x100, List.of(Attribute.PORT, Attribute.INDEX), List.of(Attribute.GID_ENTRY)),
    QUERY_PKEY(0x101, List.of(Attribute.PORT, Attribute.INDEX), List.of(Attribute.PKEY)),
    QUERY_COUNTERS(0x102, List.of(Attribute.PORT), List.of(Attribute.COUNTERS)),

    // Events, from the server without being asked: what C programs read from the channels' file descriptors
    COMPLETION_EVENT(0x200, List.of(), List.of(Attribute.USER_HANDLE)),
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

    /** True for a doorbell: the client does not wait for an answer. */
    public boolean isDoorbell() {
        return this == POST_SEND || this == POST_RECV;
    }

    /** Whether a device has what the command needs ({@code UAPI_DEF_METHOD_NEEDS_FN}); without it there is no such command. */
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
