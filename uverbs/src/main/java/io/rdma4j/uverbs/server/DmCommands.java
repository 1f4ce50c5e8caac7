// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.DeviceMemory;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.values.AccessFlag;
import java.lang.foreign.MemorySegment;

/** Executes the commands of device memory. */
final class DmCommands {
    private final SessionObjects objects;

    private DmCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandTable table, SessionObjects objects) {
        DmCommands commands = new DmCommands(objects);
        table.add(CommandType.ALLOC_DM, commands::allocate);
        table.add(CommandType.REG_DM_MR, commands::register);
        table.add(CommandType.WRITE_DM, commands::write);
        table.add(CommandType.READ_DM, commands::read);
        table.addDestroy(CommandType.FREE_DM, DeviceMemory.class);
    }

    private void allocate(Message request, Message answer) {
        objects.add(
                answer,
                objects.context()
                        .allocateDeviceMemory(
                                request.getLong(CommandAttribute.SIZE), request.get(CommandAttribute.LOG_ALIGNMENT)));
    }

    private void register(Message request, Message answer) {
        ProtectionDomain pd = objects.find(request, CommandAttribute.PD, ProtectionDomain.class);
        MemoryRegion region = pd.registerDeviceMemory(
                objects.find(request, CommandAttribute.DM, DeviceMemory.class),
                request.getLong(CommandAttribute.OFFSET),
                request.getLong(CommandAttribute.SIZE),
                AccessFlag.ofMask(request.get(CommandAttribute.ACCESS)));
        objects.add(answer, region).put(CommandAttribute.LKEY, region.lkey()).put(CommandAttribute.RKEY, region.rkey());
    }

    private void write(Message request, Message answer) {
        objects.find(request, DeviceMemory.class)
                .write(
                        request.getLong(CommandAttribute.OFFSET),
                        MemorySegment.ofArray(request.getBytes(CommandAttribute.DATA)));
    }

    private void read(Message request, Message answer) {
        DeviceMemory memory = objects.find(request, DeviceMemory.class);
        long size = request.getLong(CommandAttribute.SIZE);
        if (size < 0 || size > FrameCodec.MAX_DATA_BYTES) {
            throw new RdmaException(
                    Errno.EINVAL, size + " bytes of device memory at once: the limit is " + FrameCodec.MAX_DATA_BYTES);
        }
        byte[] data = new byte[(int) size];
        memory.read(request.getLong(CommandAttribute.OFFSET), MemorySegment.ofArray(data));
        answer.putBytes(CommandAttribute.DATA, data);
    }
}
