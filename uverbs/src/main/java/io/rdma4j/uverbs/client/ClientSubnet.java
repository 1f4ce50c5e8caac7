// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.sa.SaHandler;
import io.rdma4j.sa.SaRecord;
import io.rdma4j.sa.SaResult;
import io.rdma4j.sa.SubnetAccess;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.uverbs.abi.InterfaceCodec;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.Worker;
import io.rdma4j.verbs.spi.PortInterface;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Network interfaces and paths of an InfiniBand device, which the process that serves it knows. */
final class ClientSubnet implements SubnetAccess {
    private final ClientSession session;
    private final Supplier<ClientSession> sessions;

    /** @param sessions opens a session of its own for a query, during which the server answers nothing else */
    ClientSubnet(ClientSession session, Supplier<ClientSession> sessions) {
        this.session = session;
        this.sessions = sessions;
    }

    /** An older server knows no interfaces. */
    @Override
    public List<PortInterface> interfaces() {
        try {
            Message answer = session.call(new Message(CommandType.QUERY_INTERFACES));
            return InterfaceCodec.decode(answer.getBytes(CommandAttribute.INTERFACES)).stream()
                    .<PortInterface>map(Served::new)
                    .toList();
        } catch (RdmaException e) {
            if (e.errno() == Errno.EIO) {
                throw e;
            }
            return List.of();
        }
    }

    /** An interface of the other process. */
    private final class Served implements PortInterface {
        private final InterfaceCodec.Entry entry;

        Served(InterfaceCodec.Entry entry) {
            this.entry = entry;
        }

        private Message ask(CommandType command, Gid destination) {
            return session.call(new Message(command)
                    .put(CommandAttribute.INDEX, entry.index())
                    .putBytes(CommandAttribute.GID, destination.toBytes()));
        }

        @Override
        public List<Gid> addresses() {
            return entry.addresses();
        }

        @Override
        public Gid gid() {
            return entry.gid();
        }

        @Override
        public int pkey() {
            return entry.pkey();
        }

        @Override
        public int interfaceIndex() {
            return entry.index();
        }

        @Override
        public boolean hasRoute(Gid destination) {
            return ask(CommandType.QUERY_ROUTE, destination).get(CommandAttribute.INDEX) != 0;
        }

        @Override
        public boolean resolve(Gid destination) {
            return ask(CommandType.RESOLVE_ADDRESS, destination).get(CommandAttribute.INDEX) != 0;
        }

        @Override
        public @Nullable Gid gidOf(Gid destination) {
            byte[] bytes = ask(CommandType.QUERY_NEIGHBOUR, destination).getBytes(CommandAttribute.GID);
            return bytes.length == Gid.BYTES ? Gid.ofBytes(bytes) : null;
        }
    }

    @Override
    public void query(int port, SaRecord wanted, int timeoutMs, SaHandler handler) {
        MadAttribute attribute = wanted.attribute();
        Message request = new Message(CommandType.QUERY_RECORD)
                .put(CommandAttribute.PORT, port)
                .put(CommandAttribute.SA_ATTRIBUTE, attribute.attributeId())
                .putBytes(CommandAttribute.DATA, wanted.toBytes())
                .putLong(CommandAttribute.COMPONENT_MASK, wanted.componentMask())
                .put(CommandAttribute.TIMEOUT_MS, timeoutMs);
        Worker.run("rdma4j-sa", () -> handler.completed(ask(request, attribute)));
    }

    private SaResult ask(Message request, MadAttribute attribute) {
        try {
            ClientSession own = sessions.get();
            try {
                byte[] record = own.call(request).getBytes(CommandAttribute.DATA);
                return new SaResult(null, 0, List.of(SaRecord.ofBytes(attribute, record, 0)));
            } finally {
                own.close();
            }
        } catch (RdmaException e) {
            return new SaResult(e.errno(), 0, List.of());
        }
    }

    @Override
    public Runnable join(int port, SaRecord member, SaHandler handler) {
        long number = session.registerGroup(event -> {
            SaResult result = result(event);
            Worker.run("rdma4j-sa", () -> handler.completed(result));
        });
        try {
            Message answer = session.call(new Message(CommandType.JOIN_GROUP)
                    .put(CommandAttribute.PORT, port)
                    .putBytes(CommandAttribute.DATA, member.toBytes())
                    .putLong(CommandAttribute.COMPONENT_MASK, member.componentMask())
                    .putLong(CommandAttribute.USER_HANDLE, number));
            int handle = answer.get(CommandAttribute.HANDLE);
            return () -> {
                session.forget(number);
                session.destroy(CommandType.LEAVE_GROUP, handle);
            };
        } catch (RuntimeException e) {
            session.forget(number);
            throw e;
        }
    }

    private static SaResult result(Message event) {
        Errno error = FrameCodec.errno(event.get(CommandAttribute.RESULT_ERRNO));
        if (error != null) {
            return new SaResult(error, 0, List.of());
        }
        byte[] record = event.getBytes(CommandAttribute.DATA);
        return new SaResult(null, 0, List.of(SaRecord.ofBytes(MadAttribute.MC_MEMBER_RECORD, record, 0)));
    }
}
