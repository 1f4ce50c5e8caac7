// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records the calls of an agent's handlers. Also makes messages. */
final class Recorder {
    record Sent(MadSend send, WcStatus status) {}

    record Received(@Nullable MadSend request, ReceivedMad mad) {}

    final List<Sent> sent = new ArrayList<>();
    final List<Received> received = new ArrayList<>();
    /** The order of all calls: "sent" or "received". */
    final List<String> calls = new ArrayList<>();

    MadAgentSetup setup() {
        return MadAgentSetup.DEFAULT
                .onSent((send, status) -> {
                    sent.add(new Sent(send, status));
                    calls.add("sent");
                })
                .onReceived((request, mad) -> {
                    received.add(new Received(request, mad));
                    calls.add("received");
                });
    }

    static MemorySegment datagram(MadClass mgmtClass, MadMethod method, long transactionId) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, mgmtClass, method.code(), 0x0011, transactionId);
        return mad;
    }

    /** The response to a request, with the same contents. */
    static MemorySegment response(MemorySegment request) {
        MemorySegment response = MemorySegment.ofArray(request.toArray(ValueLayout.JAVA_BYTE));
        Mad.METHOD.put(response, 0, Mad.METHOD.get(request, 0) | MadMethod.RESPONSE);
        return response;
    }

    /** A message of the SA with an active RMPP header and data that depend on their position. */
    static MemorySegment rmpp(int method, long transactionId, int dataBytes) {
        int headerBytes = MadClass.SUBN_ADM.dataOffset();
        MemorySegment message = MemorySegment.ofArray(new byte[Math.max(Mad.BYTES, headerBytes + dataBytes)]);
        Mad.write(message, 0, MadClass.SUBN_ADM, method, 0x0035, transactionId);
        Rmpp.VERSION.put(message, Rmpp.OFFSET, Rmpp.VERSION_1);
        Rmpp.TYPE.put(message, Rmpp.OFFSET, RmppType.DATA.code());
        Rmpp.FLAGS.put(message, Rmpp.OFFSET, Rmpp.ACTIVE);
        for (int i = 0; i < dataBytes; i++) {
            message.set(ValueLayout.JAVA_BYTE, headerBytes + i, (byte) (i * 31 + i / 200));
        }
        return message.asSlice(0, headerBytes + dataBytes);
    }

    /** The data of a received message of the SA. */
    static MemorySegment data(MemorySegment message) {
        return message.asSlice(MadClass.SUBN_ADM.dataOffset());
    }
}
