// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.Ece;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.JoinMode;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.function.LongConsumer;

/**
 * A command that librdmacm has written to a file of rdma_cm: a header, and a structure that {@code
 * <rdma/rdma_user_cm.h>} describes. The queue pair of an id is the program's: it moves it by the attributes of
 * INIT_QP_ATTR.
 */
final class UcmaCommands {
    private static final int MAX_TOS = 0xFF;
    private static final int ANSWER_BYTES = 4;
    private static final int QP_ATTR_BYTES = 144;
    private static final int COMM_EST = 4;
    private static final int PATH_MIG = 6;
    private static final int VENDOR_OPTION_NOT_SUPPORTED = 35;
    private static final int HEADER_BYTES = 8;
    private static final int LEVEL_IB = 1;
    private static final int IB_PATH = 1;

    private final UcmaFile file;

    /** Of the header; offsets of members count from here. */
    private final long at;

    /** Capacity of the answer's buffer. */
    private final int room;

    private UcmaCommands(UcmaFile file, long at) {
        this.file = file;
        this.at = at;
        room = CMemory.getShort(at + 6);
    }

    /** Carries out a command: number of the file, address. Returns 0, or the number of events that it has got. */
    static int execute(CallArguments a) {
        return new UcmaCommands(UcmaFile.of(a.small(0)), a.number(1)).execute();
    }

    private int execute() {
        UcmaCommand command = UcmaCommand.of(CMemory.getInt(at));
        switch (command) {
            case CREATE_ID -> createId();
            case DESTROY_ID -> answer(file.destroyId(id16()));
            case BIND_IP -> id(44).bindAddress(UcmaFormat.requireAddress(at + 16));
            case BIND -> id(8).bindAddress(UcmaFormat.requireAddress(at + 16));
            case RESOLVE_IP -> resolve(id(64), at + 8, at + 36, integer(68));
            case RESOLVE_ADDR -> resolve(id(8), at + 24, at + 152, integer(12));
            case RESOLVE_ROUTE -> id(8).resolveRoute(integer(12));
            case QUERY_ROUTE ->
                answer(UcmaQuery.ROUTE_BYTES, UcmaQuery.LEAST_ROUTE_BYTES, new UcmaQuery(id(16))::putRoute);
            case QUERY -> query(new UcmaQuery(id(16)), integer(20));
            case CONNECT -> connect();
            case LISTEN -> id(8).listen(integer(12));
            case ACCEPT -> accept();
            case REJECT -> reject();
            case DISCONNECT -> id(8).disconnect();
            case INIT_QP_ATTR -> initQpAttributes();
            case SET_OPTION -> setOption();
            case NOTIFY -> notifyEvent();
            case JOIN_IP_MCAST -> join(integer(52), at + 24);
            case JOIN_MCAST -> join(integer(24), at + 32);
            case LEAVE_MCAST -> leave();
            case MIGRATE_ID -> answer(file.migrate(id16()));
            case WRITE_CM_EVENT -> writeEvent();
            case GET_EVENT -> {
                return getEvent();
            }
            case GET_OPTION, RESOLVE_IB_SERVICE ->
                throw new RdmaException(Errno.ENOSYS, command + " is not a command of this device");
        }
        return 0;
    }

    // Members

    private int integer(int offset) {
        return CMemory.getInt(at + offset);
    }

    /** The number of an id behind the address of the answer. */
    private int id16() {
        return integer(16);
    }

    private RdmaId id(int offset) {
        return file.id(integer(offset)).rdma();
    }

    private static MemorySegment copy(long from, int bytes) {
        return MemorySegment.ofArray(CMemory.segment(from, bytes).toArray(ValueLayout.JAVA_BYTE));
    }

    private void answer(int number) {
        answer(ANSWER_BYTES, ANSWER_BYTES, out -> CMemory.putInt(out, number));
    }

    /**
     * Writes an answer, of which the program gets what it has room for.
     *
     * @param least what it must have room for; ENOSPC otherwise
     */
    private void answer(int bytes, int least, LongConsumer writer) {
        requireRoom(bytes, least);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(bytes, Long.BYTES);
            writer.accept(answer.address());
            int length = Math.min(bytes, room);
            CMemory.segment(CMemory.getLong(at + 8), length).copyFrom(answer.asSlice(0, length));
        }
    }

    private void requireRoom(int bytes, int least) {
        if (room < least) {
            throw new RdmaException(Errno.ENOSPC, "the answer has " + bytes + " bytes, the buffer " + room);
        }
    }

    // Ids

    private void createId() {
        // The kernel puts the user's address in front of that of the answer.
        RdmaId id = UcmaFile.manager().createId(file.channel(), portSpace(), qpType());
        int number = file.add(new UcmaId(file, id, CMemory.getLong(at + 8)));
        CMemory.putInt(CMemory.getLong(at + 16), number);
    }

    private PortSpace portSpace() {
        int value = CMemory.getShort(at + 24);
        for (PortSpace space : PortSpace.values()) {
            if (space.value() == value) {
                return space;
            }
        }
        throw new RdmaException(Errno.EINVAL, String.format("port space 0x%x is unknown", value));
    }

    private QpType qpType() {
        PortSpace space = portSpace();
        int code = CMemory.getByte(at + 26);
        for (QpType type : QpType.values()) {
            if (space == PortSpace.IB && type.code() == code) {
                return type;
            }
        }
        return space.qpType();
    }

    private static void resolve(RdmaId id, long source, long destination, int timeoutMs) {
        InetSocketAddress own = UcmaFormat.address(source);
        id.resolveAddress(own, UcmaFormat.requireAddress(destination), timeoutMs);
    }

    private void query(UcmaQuery query, int option) {
        switch (option) {
            case 0 -> answer(UcmaQuery.ADDRESS_BYTES, UcmaQuery.LEAST_ADDRESS_BYTES, query::putAddress);
            case 1 -> answer(UcmaQuery.PATH_BYTES, UcmaQuery.LEAST_PATH_BYTES, query::putPath);
            case 2 -> answer(UcmaQuery.ADDRESS_BYTES, UcmaQuery.LEAST_ADDRESS_BYTES, query::putGids);
            default -> throw new RdmaException(Errno.ENOSYS, "query " + option + " is unknown");
        }
    }

    private void setOption() {
        RdmaId id = id(16);
        long value = CMemory.getLong(at + 8);
        int level = integer(20);
        int name = integer(24);
        int length = integer(28);
        if (level == LEVEL_IB && name == IB_PATH) {
            id.setPath(UcmaPath.primary(id, value, length), null);
            return;
        }
        if (level != 0 || name > 3 || length < (name == 1 || name == 2 ? Integer.BYTES : 1)) {
            throw new RdmaException(
                    level == 0 && name <= 3 ? Errno.EINVAL : Errno.ENOSYS,
                    "option " + name + " of level " + level + " with " + length + " bytes");
        }
        switch (name) {
            case 0 -> id.setTypeOfService(CMemory.getByte(value) & MAX_TOS);
            case 1 -> id.setReuseAddress(CMemory.getInt(value) != 0);
            case 2 -> id.setAddressFamilyOnly(CMemory.getInt(value) != 0);
            default -> id.setAckTimeout(CMemory.getByte(value));
        }
    }

    // Connections

    private void connect() {
        if (!UcmaFormat.isValid(at + 8)) {
            throw new RdmaException(Errno.EINVAL, "a request without parameters");
        }
        RdmaId id = id(280);
        setEce(id, at + 288);
        id.connect(UcmaFormat.parameters(at + 8));
    }

    /** Programs of older releases of librdmacm have no options of a vendor. */
    private void setEce(RdmaId id, long ece) {
        boolean isThere = ece + 2 * Integer.BYTES <= at + HEADER_BYTES + CMemory.getShort(at + 4);
        if (isThere && CMemory.getInt(ece) != 0) {
            id.setLocalEce(new Ece(CMemory.getInt(ece), CMemory.getInt(ece + 4)));
        }
    }

    private void reject() {
        MemorySegment data = copy(at + 16, CMemory.getByte(at + 12));
        if (CMemory.getByte(at + 13) == VENDOR_OPTION_NOT_SUPPORTED) {
            id(8).rejectEce(data);
        } else {
            id(8).reject(data);
        }
    }

    /** Without parameters it confirms the connection that the peer has accepted. */
    private void accept() {
        UcmaId id = file.id(integer(288));
        if (!UcmaFormat.isValid(at + 16)) {
            id.rdma().establish();
            return;
        }
        long before = id.user();
        setEce(id.rdma(), at + 296);
        id.setUser(CMemory.getLong(at + 8)); // first: an event may come before the call returns
        try {
            id.rdma().accept(UcmaFormat.parameters(at + 16));
        } catch (RdmaException e) {
            id.setUser(before);
            throw e;
        }
    }

    private void initQpAttributes() {
        int state = integer(20);
        var attributes = id(16).initQpAttributes(QpState.ofCode(state));
        answer(QP_ATTR_BYTES, QP_ATTR_BYTES, out -> UcmaFormat.putQpAttributes(out, attributes));
    }

    private void notifyEvent() {
        switch (integer(12)) {
            case COMM_EST -> id(8).notifyEstablished();
            case PATH_MIG -> id(8).notifyPathMigrated();
            default ->
                throw new RdmaException(Errno.EINVAL, "event " + integer(12) + " says nothing about a connection");
        }
    }

    // Multicast

    /** The program attaches its queue pair itself; that makes the device a member. */
    private void join(int number, long address) {
        UcmaId id = file.id(number);
        UcmaGroup group = new UcmaGroup(id, UcmaFormat.requireAddress(address).getAddress(), CMemory.getLong(at + 16));
        int groupNumber = UcmaFile.addGroup(group);
        try {
            id.rdma().joinMulticast(group.address(), JoinMode.SEND_ONLY_FULL_MEMBER, group);
        } catch (RdmaException e) {
            file.removeGroup(groupNumber);
            throw e;
        }
        answer(groupNumber);
    }

    private void leave() {
        UcmaGroup group = file.removeGroup(id16());
        group.id().rdma().leaveMulticast(group.address());
        answer(group.eventsReported());
    }

    // Events

    private void writeEvent() {
        UcmaEvent.Written written = new UcmaEvent.Written(integer(16), CMemory.getLong(at + 24));
        id(8).writeEvent(integer(20), written);
    }

    /** Returns 0 if there is no event: its id was destroyed after the descriptor had counted it. */
    private int getEvent() {
        requireRoom(UcmaEvent.BYTES, UcmaEvent.LEAST_BYTES); // first: the event stays for the next command
        try (ConnectionEvent event = file.channel().poll()) {
            UcmaEvent reported = event == null ? null : UcmaEvent.of(event);
            if (reported == null) {
                return 0;
            }
            answer(UcmaEvent.BYTES, UcmaEvent.LEAST_BYTES, reported::put);
            reported.count();
            return 1;
        }
    }
}
