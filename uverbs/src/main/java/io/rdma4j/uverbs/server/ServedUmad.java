// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.mad.umad.UmadFile;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.EventRegistration;
import io.rdma4j.verbs.values.EventType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A file of {@code ib_umad} that a client has open: it uses the queue pair 1 of this process. Session's thread. */
final class ServedUmad implements AutoCloseable {
    /** Longest message of a client: 1 MiB of data in segments, and headers. */
    private static final int MAX_MESSAGE = (1 << 20) + 4096;

    private final GeneralServices services;
    private final UmadFile file;
    private final EventRegistration events;
    /** True while the client knows that the file is readable and has not found it empty since. */
    private final AtomicBoolean told = new AtomicBoolean();

    private byte[] written = {};
    private @Nullable MemorySegment reading;

    /** @param readable tells the client; must not block */
    ServedUmad(Context context, int port, Runnable readable) {
        this.services = GeneralServices.open(context.device(), port);
        this.file = new UmadFile(services::register, port, () -> {
            if (told.compareAndSet(false, true)) {
                readable.run();
            }
        });
        this.events = context.registerEventHandler(event -> {
            if (event.type() == EventType.DEVICE_FATAL) {
                file.deviceRemoved();
            }
        });
    }

    UmadFile file() {
        return file;
    }

    /** Takes a part of a message; the last one sends it. */
    void write(long offset, long size, byte[] part) {
        if (offset == 0) {
            if (size < 0 || size > MAX_MESSAGE) {
                throw new RdmaException(Errno.EINVAL, "a message of " + size + " bytes: the limit is " + MAX_MESSAGE);
            }
            written = new byte[(int) size];
        }
        if (offset < 0 || size != written.length || part.length > written.length - offset) {
            throw new RdmaException(
                    Errno.EINVAL,
                    part.length + " bytes at " + offset + " are no part of a message of " + written.length);
        }
        System.arraycopy(part, 0, written, (int) offset, part.length);
        if (offset + part.length == written.length) {
            MemorySegment message = MemorySegment.ofArray(written);
            written = new byte[0];
            file.write(message);
        }
    }

    /** Returns the message that is being read; offset 0 takes the next one. */
    MemorySegment reading(long offset) {
        MemorySegment current = reading;
        if (offset == 0) {
            told.set(false);
            current = file.take();
            if (file.isReadable()) {
                told.set(true);
            }
            reading = current;
        }
        if (current == null || offset < 0 || offset > current.byteSize()) {
            throw new RdmaException(Errno.EINVAL, "offset " + offset + " is not in a message that is being read");
        }
        return current;
    }

    /** A part of the message that is being read. */
    static byte[] part(MemorySegment message, long offset) {
        long length = Math.min(FrameCodec.MAX_DATA_BYTES, message.byteSize() - offset);
        return message.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void close() {
        events.close();
        file.close();
        services.close();
    }
}
