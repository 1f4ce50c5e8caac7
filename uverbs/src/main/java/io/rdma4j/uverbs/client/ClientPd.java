package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.MrInitAttributes;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.spi.AhOps;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpResources;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** A protection domain that the server has made. */
final class ClientPd implements PdOps {
    private final ClientContext context;
    private final int handle;

    ClientPd(ClientContext context, int handle) {
        this.context = context;
        this.handle = handle;
    }

    ClientContext context() {
        return context;
    }

    int handle() {
        return handle;
    }

    /** The server maps the same file, and calls its bytes by the addresses that they have here. */
    @Override
    public MrOps registerMemory(MrInitAttributes attributes) {
        if (attributes.pieces().size() != 1) {
            throw new RdmaException(Errno.EOPNOTSUPP, "a region of a device of another process has one piece");
        }
        MemorySegment memory = attributes.pieces().getFirst();
        SharedMemory.FilePart part = SharedMemory.fileOf(memory);
        Message answer = context.call(new Message(Command.REG_MR)
                .put(Attribute.PD, handle)
                .putText(Attribute.FILE, part.file())
                .putLong(Attribute.OFFSET, part.offset())
                .putLong(Attribute.SIZE, memory.byteSize())
                .putLong(Attribute.IOVA, attributes.iova())
                .put(Attribute.ACCESS, AccessFlag.mask(attributes.access())));
        return new Region(
                context, answer.get(Attribute.HANDLE), answer.get(Attribute.LKEY), answer.get(Attribute.RKEY));
    }

    private record Region(ClientContext context, int handle, int lkey, int rkey) implements MrOps {
        @Override
        public void close() {
            context.destroy(Command.DEREG_MR, handle);
        }
    }

    @Override
    public AhOps createAddressHandle(AddressVector vector) {
        Message answer = context.call(
                new Message(Command.CREATE_AH).put(Attribute.PD, handle).putRecord(Attribute.ADDRESS_VECTOR, vector));
        return new Handle(context, answer.get(Attribute.HANDLE), answer.get(Attribute.AH_NUMBER));
    }

    /** @param handle what work requests name it by */
    private record Handle(ClientContext context, int object, int handle) implements AhOps {
        @Override
        public void modify(AddressVector vector) {
            context.call(new Message(Command.MODIFY_AH)
                    .put(Attribute.HANDLE, object)
                    .putRecord(Attribute.ADDRESS_VECTOR, vector));
        }

        @Override
        public void close() {
            context.destroy(Command.DESTROY_AH, object);
        }
    }

    @Override
    public QpOps createQp(QpInitAttributes attributes, QpResources resources, QpEvents events) {
        if (attributes.type().isRaw()) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, "no queue pairs of type " + attributes.type() + " for other processes");
        }
        if (attributes.queueMemory() != null) {
            throw new RdmaException(Errno.EOPNOTSUPP, "the server chooses where the queues lie");
        }
        ClientCq sends = (ClientCq) Objects.requireNonNull(resources.sendCq());
        ClientCq receives = (ClientCq) Objects.requireNonNull(resources.receiveCq());
        return ClientQp.create(this, attributes, sends, receives, events);
    }

    @Override
    public void close() {
        context.destroy(Command.DEALLOC_PD, handle);
    }
}
