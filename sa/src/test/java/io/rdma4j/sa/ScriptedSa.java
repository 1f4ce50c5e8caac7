// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.MadSend;
import io.rdma4j.mad.ReceivedMad;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import io.rdma4j.wire.mad.sa.InformInfo;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.sa.ServiceRecord;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A small SA over the MAD layer: one path, any group, services. Its log has a line for each request. */
final class ScriptedSa implements AutoCloseable {
    static final int LID_OF_PEER = 0x17;
    static final int MLID = 0xC005;
    static final int QKEY = 0xB1B;

    private final MadAgent agent;
    private final List<MemorySegment> services = new ArrayList<>();
    final Set<Long> subscriptions = new HashSet<>();
    private @Nullable MadAddress subscriber;
    /** Results of reports. */
    final List<WcStatus> reports = new ArrayList<>();

    final List<String> log = new ArrayList<>();
    /** Component masks of the requests. */
    final List<Long> masks = new ArrayList<>();
    /** It does not answer while this is set. */
    boolean silent;
    /** The next requests get this status. */
    int status;

    ScriptedSa(GeneralServices port) {
        agent = port.register(MadAgentSetup.DEFAULT
                .rmppVersion(1)
                .onSent((send, result) -> {
                    if (send.timeoutMs() > 0) {
                        reports.add(result);
                    }
                })
                .onReceived((request, mad) -> {
                    if (request == null) {
                        received(mad);
                    } else {
                        mad.close();
                    }
                })
                .registration(MadRegistration.of(
                        MadClass.SUBN_ADM,
                        MadMethod.GET.code(),
                        MadMethod.SET.code(),
                        MadMethod.DELETE.code(),
                        MadMethod.GET_TABLE.code())));
    }

    private void received(ReceivedMad mad) {
        try (mad) {
            MemorySegment request = mad.datagram();
            MadMethod method = Objects.requireNonNull(MadMethod.of(Mad.METHOD.getInt(request, 0)));
            MadAttribute attribute =
                    Objects.requireNonNull(MadAttribute.of(MadClass.SUBN_ADM, Mad.ATTRIBUTE_ID.getInt(request, 0)));
            String state = attribute == MadAttribute.MC_MEMBER_RECORD
                    ? " " + McMemberRecord.JOIN_STATE.get(request, SaHeader.DATA)
                    : "";
            log.add(method + " " + attribute + state);
            masks.add(SaHeader.COMPONENT_MASK.get(request, SaHeader.OFFSET));
            if (silent) {
                return;
            }
            MemorySegment response = MemorySegment.ofArray(request.toArray(ValueLayout.JAVA_BYTE));
            Mad.METHOD.put(response, 0, method == MadMethod.SET ? MadMethod.GET.responseCode() : method.responseCode());
            Mad.STATUS.put(response, 0, status);
            MemorySegment record = response.asSlice(SaHeader.DATA);
            switch (attribute) {
                case PATH_RECORD -> {
                    PathRecord.DLID.put(record, 0, LID_OF_PEER);
                    PathRecord.MTU.put(record, 0, 4);
                    PathRecord.SL.put(record, 0, 3);
                }
                case MC_MEMBER_RECORD -> {
                    McMemberRecord.MLID.put(record, 0, MLID);
                    McMemberRecord.QKEY.put(record, 0, QKEY);
                    McMemberRecord.MTU.put(record, 0, 4);
                }
                case SERVICE_RECORD -> service(method, record);
                case INFORM_INFO -> {
                    long trapNumber = InformInfo.TRAP_NUMBER.get(record, 0);
                    if (InformInfo.SUBSCRIBE.isSet(record, 0)) {
                        subscriptions.add(trapNumber);
                        subscriber = mad.from();
                    } else {
                        subscriptions.remove(trapNumber);
                    }
                }
                default -> throw new AssertionError(attribute);
            }
            agent.send(MadSend.request(mad.from(), method == MadMethod.GET_TABLE ? table(response) : response, 0, 5));
        }
    }

    private void service(MadMethod method, MemorySegment record) {
        MemorySegment copy = MemorySegment.ofArray(
                record.asSlice(0, ServiceRecord.LAYOUT.bytes()).toArray(ValueLayout.JAVA_BYTE));
        long id = ServiceRecord.SERVICE_ID.get(record, 0);
        switch (method) {
            case SET -> services.add(copy);
            case DELETE -> services.removeIf(other -> ServiceRecord.SERVICE_ID.get(other, 0) == id);
            case GET ->
                services.stream()
                        .filter(other -> ServiceRecord.SERVICE_ID.get(other, 0) == id)
                        .findFirst()
                        .ifPresent(found -> MemorySegment.copy(found, 0, record, 0, found.byteSize()));
            default -> {}
        }
    }

    /** All services, in the records of a table. */
    private MemorySegment table(MemorySegment response) {
        int bytes = ServiceRecord.LAYOUT.bytes();
        MemorySegment table = MemorySegment.ofArray(new byte[SaHeader.DATA + services.size() * bytes]);
        MemorySegment.copy(response, 0, table, 0, SaHeader.DATA);
        Rmpp.VERSION.put(table, Rmpp.OFFSET, 1);
        Rmpp.TYPE.put(table, Rmpp.OFFSET, RmppType.DATA.code());
        Rmpp.FLAGS.put(table, Rmpp.OFFSET, Rmpp.ACTIVE);
        SaHeader.ATTRIBUTE_OFFSET.put(table, SaHeader.OFFSET, bytes / Long.BYTES);
        for (int i = 0; i < services.size(); i++) {
            MemorySegment.copy(services.get(i), 0, table, SaHeader.DATA + (long) i * bytes, bytes);
        }
        return table;
    }

    /** Sends a Report to the last subscriber. */
    void report(int trapNumber) {
        MemorySegment report = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(
                report,
                0,
                MadClass.SUBN_ADM,
                MadMethod.REPORT.code(),
                MadAttribute.NOTICE.attributeId(),
                agent.nextTransactionId());
        Notice.TRAP_NUMBER.put(report, SaHeader.DATA, trapNumber);
        Notice.IS_GENERIC.put(report, SaHeader.DATA, 1);
        agent.send(MadSend.request(Objects.requireNonNull(subscriber), report, 1000, 2));
    }

    int services() {
        return services.size();
    }

    void forgetServices() {
        services.clear();
    }

    @Override
    public void close() {
        agent.close();
    }
}
