// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadPort;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.MadSend;
import io.rdma4j.mad.ReceivedMad;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sa.InformInfo;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions to notices: one at the SA for each trap number, shared by the subscribers of this port. Reports are
 * answered. Guarded by the client, which it locks when a report arrives.
 */
final class Subscriptions implements AutoCloseable {
    private static final int ALL = 0xFFFF;
    private static final int ALL_PRODUCERS = 0xFF_FFFF;
    /** Exponent of 4.096 µs: about 2 s for the answer to a report. */
    private static final int RESPONSE_TIME = 19;

    private final MadPort mad;
    private final Object client;
    private final SaRequests requests;
    private final Map<Integer, List<Subscriber>> subscribers = new HashMap<>();
    /** Receives reports; registered for the first subscriber. */
    private @Nullable MadAgent agent;

    Subscriptions(MadPort mad, Object client, SaRequests requests) {
        this.mad = mad;
        this.client = client;
        this.requests = requests;
    }

    /** One user of a subscription. */
    static final class Subscriber {
        private final int trapNumber;
        private final SaHandler handler;

        Subscriber(int trapNumber, SaHandler handler) {
            this.trapNumber = trapNumber;
            this.handler = handler;
        }
    }

    /** @throws RdmaException EAGAIN while the port has no SA; EINVAL if another agent receives the reports of the SA */
    Subscriber add(int trapNumber, SaHandler handler) {
        if (agent == null) {
            agent = mad.register(MadAgentSetup.DEFAULT
                    .onSent((_, _) -> {})
                    .onReceived((_, report) -> received(report))
                    .registration(MadRegistration.of(MadClass.SUBN_ADM, MadMethod.REPORT.code())));
        }
        if (!subscribers.containsKey(trapNumber)) {
            subscribe(trapNumber);
        }
        Subscriber subscriber = new Subscriber(trapNumber, handler);
        subscribers.computeIfAbsent(trapNumber, _ -> new ArrayList<>()).add(subscriber);
        return subscriber;
    }

    private void subscribe(int trapNumber) {
        requests.request(MadMethod.SET, informInfo(trapNumber, true), result -> {
            if (!result.isSuccess()) {
                report(trapNumber, result);
            }
        });
    }

    private void report(int trapNumber, SaResult result) {
        subscribers
                .getOrDefault(trapNumber, List.of())
                .forEach(subscriber -> requests.report(subscriber.handler, result));
    }

    private static SaRecord informInfo(int trapNumber, boolean subscribe) {
        return SaRecord.of(MadAttribute.INFORM_INFO)
                .set(InformInfo.LID_RANGE_BEGIN, ALL)
                .set(InformInfo.IS_GENERIC, 1)
                .set(InformInfo.SUBSCRIBE, subscribe ? 1 : 0)
                .set(InformInfo.TYPE, ALL)
                .set(InformInfo.TRAP_NUMBER, trapNumber)
                .set(InformInfo.QPN, 1)
                .set(InformInfo.RESP_TIME_VALUE, RESPONSE_TIME)
                .set(InformInfo.PRODUCER_TYPE, ALL_PRODUCERS);
    }

    void remove(Subscriber subscriber) {
        List<Subscriber> all = subscribers.getOrDefault(subscriber.trapNumber, List.of());
        if (!all.remove(subscriber) || !all.isEmpty()) {
            return;
        }
        subscribers.remove(subscriber.trapNumber);
        try {
            requests.request(MadMethod.SET, informInfo(subscriber.trapNumber, false), _ -> {});
        } catch (RdmaException e) {
            // Without SA there is no subscription.
        }
    }

    /** Subscribes again. */
    void repeat() {
        for (int trapNumber : subscribers.keySet()) {
            try {
                subscribe(trapNumber);
            } catch (RdmaException e) {
                report(trapNumber, SaResult.of(e.errno()));
            }
        }
    }

    private void received(ReceivedMad report) {
        try (report) {
            MemorySegment answer = MemorySegment.ofArray(report.datagram().toArray(ValueLayout.JAVA_BYTE));
            Mad.METHOD.put(answer, 0, MadMethod.REPORT.responseCode());
            synchronized (client) {
                if (agent != null) {
                    agent.send(MadSend.of(report.from(), answer));
                }
                if (Mad.ATTRIBUTE_ID.getInt(answer, 0) == MadAttribute.NOTICE.attributeId()) {
                    SaRecord notice = SaRecord.read(MadAttribute.NOTICE, answer, SaHeader.DATA);
                    report((int) notice.get(Notice.TRAP_NUMBER), SaResult.of(notice));
                }
            }
        }
    }

    @Override
    public void close() {
        MadAgent open;
        synchronized (client) {
            open = agent;
            agent = null;
        }
        if (open != null) {
            open.close();
        }
    }
}
