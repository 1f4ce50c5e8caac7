// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/** A host of a virtual fabric that sends queries to the subnet administrator at host 0. */
final class SaRequester implements AutoCloseable {
    private static final long ANSWER_NS = 100_000_000;

    private final VirtualFabric fabric;
    private final NodeAgents agents;
    /** The request. */
    final MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);

    final List<MemorySegment> responses = new ArrayList<>();
    /** Whether a segment of a table is received; what is not received has no acknowledgement. */
    IntPredicate acknowledges = _ -> true;

    private long transactionId;
    /** The last segment of the present table that was received in order. */
    private int lastSegment;

    private final ManagementListener listener = (memory, offset, _, _, destinationQpn) -> {
        if (destinationQpn == 1) {
            MemorySegment copy = MemorySegment.ofArray(new byte[Mad.BYTES]);
            MemorySegment.copy(memory, offset, copy, 0, Mad.BYTES);
            responses.add(copy);
            acknowledge(copy);
        }
        return destinationQpn == 1;
    };

    SaRequester(VirtualFabric fabric, int host) {
        this.fabric = fabric;
        this.agents = fabric.hosts.get(host).agents();
        fabric.fabric.exclusively(() -> agents.add(listener));
    }

    private void acknowledge(MemorySegment response) {
        int segment = Rmpp.SEGMENT_NUMBER.getInt(response, Rmpp.OFFSET);
        if (Rmpp.isActive(response, Rmpp.OFFSET) && segment == lastSegment + 1 && acknowledges.test(segment)) {
            lastSegment = segment;
            MemorySegment ack = MemorySegment.ofArray(new byte[Mad.BYTES]).copyFrom(response);
            Rmpp.TYPE.put(ack, Rmpp.OFFSET, RmppType.ACK.code());
            Rmpp.FLAGS.put(ack, Rmpp.OFFSET, Rmpp.ACTIVE);
            Rmpp.NEW_WINDOW_LAST.put(ack, Rmpp.OFFSET, segment + 2);
            agents.sendGeneral(ack, fabric.lid(0), 1);
        }
    }

    void begin(MadMethod method, MadAttribute attribute) {
        Mad.write(mad, 0, MadClass.SUBN_ADM, method.code(), attribute.attributeId(), ++transactionId);
    }

    void component(MadField field, long value) {
        field.put(mad, SaHeader.DATA, value);
        mask(field);
    }

    void component(MadField field, Gid value) {
        field.put(mad, SaHeader.DATA, value);
        mask(field);
    }

    private void mask(MadField field) {
        SaHeader.COMPONENT_MASK.put(
                mad, SaHeader.OFFSET, SaHeader.COMPONENT_MASK.get(mad, SaHeader.OFFSET) | field.componentMask());
    }

    /** Sends the request, without waiting for an answer; false if there is no buffer for it. */
    boolean send() {
        return fabric.fabric.exclusively(() -> agents.sendGeneral(mad, fabric.lid(0), 1));
    }

    void ask() {
        responses.clear();
        lastSegment = 0;
        send();
        fabric.run(ANSWER_NS);
    }

    MemorySegment answer() {
        ask();
        assertThat(responses).hasSize(1);
        assertThat(Mad.TRANSACTION_ID.get(responses.getFirst(), 0)).isEqualTo(transactionId);
        return responses.getFirst();
    }

    int status() {
        return Mad.STATUS.getInt(answer(), 0);
    }

    /** Asks for a table, and returns its records. */
    List<MemorySegment> table() {
        ask();
        return records();
    }

    /** The records of the table that has arrived, put together from its segments. */
    List<MemorySegment> records() {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        int number = 0;
        for (MemorySegment segment : responses) {
            if (Rmpp.SEGMENT_NUMBER.getInt(segment, Rmpp.OFFSET) != number + 1) {
                continue; // a repeated one
            }
            number++;
            int flags = Rmpp.FLAGS.getInt(segment, Rmpp.OFFSET);
            int length = (flags & Rmpp.LAST) == 0
                    ? Mad.BYTES - SaHeader.DATA
                    : Rmpp.PAYLOAD_LENGTH.getInt(segment, Rmpp.OFFSET) - 20;
            data.writeBytes(segment.asSlice(SaHeader.DATA, length).toArray(ValueLayout.JAVA_BYTE));
        }
        MemorySegment all = MemorySegment.ofArray(data.toByteArray());
        int distance = SaHeader.ATTRIBUTE_OFFSET.getInt(responses.getFirst(), SaHeader.OFFSET) * 8;
        List<MemorySegment> records = new ArrayList<>();
        for (long at = 0; distance != 0 && at < all.byteSize(); at += distance) {
            records.add(all.asSlice(at, distance));
        }
        return records;
    }

    @Override
    public void close() {
        fabric.fabric.exclusively(() -> agents.remove(listener));
    }
}
