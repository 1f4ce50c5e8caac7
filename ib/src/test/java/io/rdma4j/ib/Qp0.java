// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A program that manages the subnet by queue pair 0 or 1 of a device, with the verbs only. */
final class Qp0 implements AutoCloseable {
    private static final int ROUTE = 40;
    private static final int RECEIVE_AT = 1024;

    final Endpoint endpoint;
    final MemorySegment request;
    final MemorySegment response;
    private @Nullable WorkCompletion completion;

    private final int peerQpn;
    private final int peerQkey;
    private long transactionId = 100;

    /** @param type SMI or GSI */
    Qp0(SubnetTarget target, Context context, QpType type) {
        endpoint = new Endpoint(target, context, EndpointSetup.DEFAULT.type(type));
        Transitions.connect(endpoint.qp, Set.of(), LinkSetup.DEFAULT, 0, AddressVector.local(1, 1, 0));
        request = endpoint.memory.asSlice(0, Mad.BYTES);
        response = endpoint.memory.asSlice(RECEIVE_AT + ROUTE, Mad.BYTES);
        peerQpn = type == QpType.SMI ? 0 : 1;
        peerQkey = type == QpType.SMI ? 0 : Transitions.GSI_QKEY;
    }

    /** Returns the completion of the last response. */
    WorkCompletion received() {
        return Objects.requireNonNull(completion, "no response yet");
    }

    /** Begins a directed-routed request. Hops are the output ports. */
    void direct(MadMethod method, MadAttribute attribute, int modifier, int... hops) {
        begin(MadClass.SUBN_DIRECTED_ROUTE, method, attribute, modifier);
        Smp.DR_SLID.put(request, 0, Lid.PERMISSIVE);
        Smp.DR_DLID.put(request, 0, Lid.PERMISSIVE);
        Smp.HOP_COUNT.put(request, 0, hops.length);
        for (int i = 0; i < hops.length; i++) {
            Smp.INITIAL_PATH.elements().get(i + 1).put(request, 0, hops[i]);
        }
    }

    void begin(MadClass mgmtClass, MadMethod method, MadAttribute attribute, int modifier) {
        Mad.write(request, 0, mgmtClass, method.code(), attribute.attributeId(), ++transactionId);
        Mad.ATTRIBUTE_MODIFIER.put(request, 0, modifier);
    }

    /** Sends the request and waits for the response; returns its status. */
    int ask(int lid) {
        expect();
        send(lid);
        completion = endpoint.awaitReceive();
        return Mad.STATUS.getInt(response, 0) & ~MadStatus.DIRECTION;
    }

    /** Posts a receive for a response or a trap. */
    void expect() {
        endpoint.postReceive(1, RECEIVE_AT, ROUTE + Mad.BYTES);
    }

    /** Sends the request. */
    void send(int lid) {
        try (AddressHandle to = endpoint.pd.createAddressHandle(AddressVector.local(1, lid, 0))) {
            endpoint.qp
                    .startSend()
                    .wrId(2)
                    .signaled()
                    .send()
                    .destination(to, peerQpn, peerQkey)
                    .sge(endpoint.mr.lkey(), endpoint.mr.address(), Mad.BYTES)
                    .complete();
            endpoint.awaitSend();
        }
    }

    /** Reads an attribute, changes it, and sets it. */
    int change(MadAttribute attribute, int modifier, Consumer<MemorySegment> changes, int... hops) {
        direct(MadMethod.GET, attribute, modifier, hops);
        int status = ask(Lid.PERMISSIVE);
        if (status != MadStatus.SUCCESS) {
            return status;
        }
        byte[] data = response.asSlice(Smp.DATA, Smp.DATA_BYTES).toArray(ValueLayout.JAVA_BYTE);
        direct(MadMethod.SET, attribute, modifier, hops);
        MemorySegment target = request.asSlice(Smp.DATA, Smp.DATA_BYTES);
        target.copyFrom(MemorySegment.ofArray(data));
        changes.accept(target);
        return ask(Lid.PERMISSIVE);
    }

    @Override
    public void close() {
        endpoint.close();
    }
}
