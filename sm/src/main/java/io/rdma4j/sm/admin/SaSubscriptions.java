// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.admin;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.sm.sweep.SubnetSnapshot;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sa.InformInfo;
import io.rdma4j.wire.mad.sa.InformInfoRecord;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.sm.TrapDetails;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The subscriptions of ports to notices, and the Reports that wait for their response (IBA 13.4.11, 15.2.5.12). A
 * subscription ends when a Report was sent three times without a response.
 */
final class SaSubscriptions {
    private static final int ALL = 0xFFFF;
    private static final int ALL_PRODUCERS = 0xFF_FFFF;
    private static final int TRIES = 3;
    private static final long LEAST_RESPONSE_NS = 200_000_000;
    private static final int MAX_SUBSCRIPTIONS = 65_536;
    private static final int MAX_REPORTS = 65_536;

    /** What a port has subscribed; the queue pair is that of the requester. */
    private record Subscription(
            int lid,
            int qpn,
            Gid gid,
            int firstLid,
            int lastLid,
            boolean isGeneric,
            int type,
            int trapNumber,
            int producer) {
        static Subscription of(MemorySegment info, SaTransfers.Requester from) {
            int named = InformInfo.QPN.getInt(info, 0);
            boolean isEnd = !InformInfo.SUBSCRIBE.isSet(info, 0);
            return new Subscription(
                    from.lid(),
                    isEnd && named != 0 ? named : from.qpn(),
                    InformInfo.GID.gid(info, 0),
                    InformInfo.LID_RANGE_BEGIN.getInt(info, 0),
                    InformInfo.LID_RANGE_END.getInt(info, 0),
                    InformInfo.IS_GENERIC.isSet(info, 0),
                    InformInfo.TYPE.getInt(info, 0),
                    InformInfo.TRAP_NUMBER.getInt(info, 0),
                    InformInfo.PRODUCER_TYPE.getInt(info, 0));
        }

        boolean wants(MemorySegment notice) {
            int issuer = Notice.ISSUER_LID.getInt(notice, 0);
            boolean isSource = gid.isZero()
                    ? firstLid == ALL || issuer >= firstLid && issuer <= lastLid
                    : gid.equals(Notice.ISSUER_GID.gid(notice, 0));
            return isSource
                    && isGeneric == Notice.IS_GENERIC.isSet(notice, 0)
                    && (type == ALL || type == Notice.TYPE.getInt(notice, 0))
                    && (trapNumber == ALL || trapNumber == Notice.TRAP_NUMBER.getInt(notice, 0))
                    && (producer == ALL_PRODUCERS || producer == Notice.PRODUCER_TYPE.getInt(notice, 0));
        }

        /** True for notices of wrong keys, which only a trusted requester may see. */
        boolean isOfKeys() {
            return isGeneric && trapNumber >= TrapDetails.BAD_M_KEY && trapNumber <= TrapDetails.BAD_P_KEY_AT_SWITCH;
        }
    }

    private static final class Report {
        final Subscription to;
        final MemorySegment mad;
        long deadlineNs;
        int tries;

        Report(Subscription to, MemorySegment mad) {
            this.to = to;
            this.mad = mad;
        }
    }

    private final SaOutput output;

    /** Subscriptions with the time that a subscriber has for a response, ns. */
    private final Map<Subscription, Long> subscriptions = new LinkedHashMap<>();

    private final Map<Long, Report> reports = new LinkedHashMap<>();
    private long transactionId;

    SaSubscriptions(SaOutput output) {
        this.output = output;
    }

    /**
     * Begins or ends a subscription.
     *
     * @param info of the request
     * @return {@link MadStatus}
     */
    int set(MemorySegment info, SaTransfers.Requester from, boolean isTrusted) {
        Subscription subscription = Subscription.of(info, from);
        return switch (InformInfo.SUBSCRIBE.getInt(info, 0)) {
            case 0 -> subscriptions.remove(subscription) == null ? MadStatus.SA_INVALID_REQUEST : MadStatus.SUCCESS;
            case 1 -> begin(subscription, info, isTrusted);
            default -> MadStatus.SA_INVALID_REQUEST;
        };
    }

    private int begin(Subscription subscription, MemorySegment info, boolean isTrusted) {
        if (subscription.isOfKeys() && !isTrusted) {
            return MadStatus.SA_INVALID_REQUEST;
        }
        if (subscriptions.size() == MAX_SUBSCRIPTIONS) {
            return MadStatus.SA_NO_RESOURCES;
        }
        long responseNs = PortAttributes.timeoutNs(InformInfo.RESP_TIME_VALUE.getInt(info, 0));
        subscriptions.put(subscription, Math.max(LEAST_RESPONSE_NS, responseNs));
        return MadStatus.SUCCESS;
    }

    /**
     * Returns the records of all subscriptions.
     *
     * @param isTrusted the queue pair is shown to such a requester only
     */
    List<MemorySegment> records(SubnetSnapshot snapshot, boolean isTrusted) {
        List<MemorySegment> records = new ArrayList<>();
        for (Subscription each : subscriptions.keySet()) {
            SmPort end = snapshot.endOf(each.lid());
            if (end == null) {
                continue;
            }
            MemorySegment record = MemorySegment.ofArray(new byte[InformInfoRecord.LAYOUT.bytes()]);
            InformInfoRecord.SUBSCRIBER_GID.put(record, 0, snapshot.gid(end));
            InformInfoRecord.ENUM.put(record, 0, records.size());
            MemorySegment info = record.asSlice(InformInfoRecord.INFORM_INFO);
            InformInfo.GID.put(info, 0, each.gid());
            InformInfo.LID_RANGE_BEGIN.put(info, 0, each.firstLid());
            InformInfo.LID_RANGE_END.put(info, 0, each.lastLid());
            InformInfo.IS_GENERIC.put(info, 0, each.isGeneric() ? 1 : 0);
            InformInfo.SUBSCRIBE.put(info, 0, 1);
            InformInfo.TYPE.put(info, 0, each.type());
            InformInfo.TRAP_NUMBER.put(info, 0, each.trapNumber());
            InformInfo.QPN.put(info, 0, isTrusted ? each.qpn() : 0);
            InformInfo.PRODUCER_TYPE.put(info, 0, each.producer());
            records.add(record);
        }
        return records;
    }

    /** @param notice 80 bytes, copied during the call */
    void report(MemorySegment notice, long nowNs) {
        for (Subscription each : List.copyOf(subscriptions.keySet())) {
            if (each.wants(notice) && reports.size() < MAX_REPORTS) {
                MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
                Mad.write(
                        mad,
                        0,
                        MadClass.SUBN_ADM,
                        MadMethod.REPORT.code(),
                        MadAttribute.NOTICE.attributeId(),
                        ++transactionId);
                MemorySegment.copy(notice, 0, mad, SaHeader.DATA, Notice.LAYOUT.bytes());
                Report report = new Report(each, mad);
                reports.put(transactionId, report);
                send(report, nowNs);
            }
        }
    }

    private void send(Report report, long nowNs) {
        long responseNs = subscriptions.getOrDefault(report.to, LEAST_RESPONSE_NS);
        report.deadlineNs = Deadline.after(nowNs, responseNs);
        report.tries++;
        output.send(report.mad, report.to.lid(), report.to.qpn());
    }

    /** Takes the response to a Report; returns false if no Report waits for it. */
    boolean receive(MemorySegment memory, long offset, int lid) {
        long transaction = Mad.TRANSACTION_ID.get(memory, offset);
        Report report = reports.get(transaction);
        boolean isResponse = report != null && report.to.lid() == lid;
        if (isResponse) {
            reports.remove(transaction);
        }
        return isResponse;
    }

    void clear() {
        subscriptions.clear();
        reports.clear();
    }

    long nextNs() {
        long next = Deadline.NEVER;
        for (Report report : reports.values()) {
            next = Deadline.earlier(next, report.deadlineNs);
        }
        return next;
    }

    /** Repeats Reports whose response is late. */
    void expire(long nowNs) {
        Set<Subscription> lost = new HashSet<>();
        for (Report report : List.copyOf(reports.values())) {
            if (Deadline.isDue(report.deadlineNs, nowNs)) {
                if (report.tries == TRIES) {
                    lost.add(report.to);
                } else {
                    send(report, nowNs);
                }
            }
        }
        subscriptions.keySet().removeIf(lost::contains);
        reports.values().removeIf(report -> lost.contains(report.to));
    }
}
