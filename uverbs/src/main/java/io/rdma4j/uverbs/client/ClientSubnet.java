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
    public void path(int port, SaRecord wanted, int timeoutMs, SaHandler handler) {
        Message request = new Message(CommandType.FIND_PATH)
                .put(CommandAttribute.PORT, port)
                .putBytes(CommandAttribute.DATA, wanted.toBytes())
                .putLong(CommandAttribute.COMPONENT_MASK, wanted.componentMask())
                .put(CommandAttribute.TIMEOUT_MS, timeoutMs);
        Worker.run("rdma4j-sa", () -> handler.completed(ask(request)));
    }

    private SaResult ask(Message request) {
        try {
            ClientSession own = sessions.get();
            try {
                byte[] record = own.call(request).getBytes(CommandAttribute.DATA);
                return new SaResult(null, 0, List.of(SaRecord.ofBytes(MadAttribute.PATH_RECORD, record, 0)));
            } finally {
                own.close();
            }
        } catch (RdmaException e) {
            return new SaResult(e.errno(), 0, List.of());
        }
    }
}
