package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.DeviceMemory;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;

/** Commands of memory of the device. */
final class DmCommands {
    private final SessionObjects objects;

    private DmCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandHandlers table, SessionObjects objects) {
        DmCommands commands = new DmCommands(objects);
        table.add(Command.ALLOC_DM, commands::allocate);
        table.add(Command.REG_DM_MR, commands::register);
        table.add(Command.WRITE_DM, commands::write);
        table.add(Command.READ_DM, commands::read);
        table.addDestroy(Command.FREE_DM, DeviceMemory.class);
    }

    private void allocate(Message request, Message answer) {
        objects.add(
                answer,
                objects.context()
                        .allocateDeviceMemory(request.getLong(Attribute.SIZE), request.get(Attribute.LOG_ALIGNMENT)));
    }

    private void register(Message request, Message answer) {
        ProtectionDomain pd = objects.find(request, Attribute.PD, ProtectionDomain.class);
        MemoryRegion region = pd.registerDeviceMemory(
                objects.find(request, Attribute.DM, DeviceMemory.class),
                request.getLong(Attribute.OFFSET),
                request.getLong(Attribute.SIZE),
                AccessFlag.ofMask(request.get(Attribute.ACCESS)));
        objects.add(answer, region).put(Attribute.LKEY, region.lkey()).put(Attribute.RKEY, region.rkey());
    }

    private void write(Message request, Message answer) {
        objects.find(request, DeviceMemory.class)
                .write(request.getLong(Attribute.OFFSET), MemorySegment.ofArray(request.getBytes(Attribute.DATA)));
    }

    private void read(Message request, Message answer) {
        DeviceMemory memory = objects.find(request, DeviceMemory.class);
        long size = request.getLong(Attribute.SIZE);
        if (size < 0 || size > FrameCodec.MAX_DATA_BYTES) {
            throw new RdmaException(
                    Errno.EINVAL, size + " bytes of device memory at once: the limit is " + FrameCodec.MAX_DATA_BYTES);
        }
        byte[] data = new byte[(int) size];
        memory.read(request.getLong(Attribute.OFFSET), MemorySegment.ofArray(data));
        answer.putBytes(Attribute.DATA, data);
    }
}
