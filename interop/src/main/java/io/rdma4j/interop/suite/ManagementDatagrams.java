// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Lab;
import io.rdma4j.interop.peer.Completion;
import io.rdma4j.interop.peer.Side;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Management datagrams to queue pair 1, which a UD queue pair of the other side sends. Each is answered, or ignored, as
 * Linux does, but for ClassPortInfo of the communication manager, which only ours answers.
 */
final class ManagementDatagrams {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final int BYTES = 256;

    /** Header that a UD receive has before the datagram, bytes. */
    private static final int GRH = 40;

    /** Offsets of the received datagrams in the memory region. */
    private static final int RECEIVED = 4096;

    private static final int BASE_VERSION = 1;
    private static final int SUBNET = 0x01;
    private static final int SUBNET_ADMINISTRATION = 0x03;
    private static final int PERFORMANCE = 0x04;
    private static final int DEVICE = 0x06;
    private static final int COMMUNICATION = 0x07;
    private static final int VENDOR = 0x0A;

    private static final int GET = 0x01;
    private static final int SET = 0x02;
    private static final int SEND = 0x03;
    private static final int TRAP = 0x05;
    private static final int GET_TABLE = 0x12;
    private static final int RESPONSE = 0x80;

    private static final int CLASS_PORT_INFO = 0x01;
    private static final int NOTICE = 0x02;
    private static final int REQ = 0x10;
    private static final int REJ = 0x12;
    private static final int RTU = 0x14;

    /** Status: the class or the method is not supported. */
    private static final int UNSUPPORTED = 0x000C;

    /** No answer. */
    private static final int SILENCE = -1;

    /** The fields of a datagram that decide on the answer. */
    private record Datagram(int base, int mgmtClass, int version, int method, int attribute) {
        static Datagram of(int mgmtClass, int version, int method, int attribute) {
            return new Datagram(BASE_VERSION, mgmtClass, version, method, attribute);
        }

        long word(int index, long id) {
            return switch (index) {
                case 0 -> (long) base << 56 | (long) mgmtClass << 48 | (long) version << 40 | (long) method << 32;
                case 1 -> id;
                case 2 -> (long) attribute << 48;
                default -> 0;
            };
        }
    }

    private ManagementDatagrams() {}

    static List<Scenario> all() {
        Datagram cmInfo = Datagram.of(COMMUNICATION, 2, GET, CLASS_PORT_INFO);
        List<Scenario> all = new ArrayList<>();
        all.add(with("Get(ClassPortInfo) of the communication manager", cmInfo, UNSUPPORTED, 0));
        all.add(with("Get of performance management", Datagram.of(PERFORMANCE, 1, GET, CLASS_PORT_INFO), UNSUPPORTED));
        all.add(with("Set of device management", Datagram.of(DEVICE, 1, SET, CLASS_PORT_INFO), UNSUPPORTED));
        all.add(with("Get of a vendor class", Datagram.of(VENDOR, 1, GET, CLASS_PORT_INFO), UNSUPPORTED));
        all.add(with(
                "Get of subnet administration",
                Datagram.of(SUBNET_ADMINISTRATION, 2, GET, CLASS_PORT_INFO),
                UNSUPPORTED));
        all.add(with("GetTable with RMPP", Datagram.of(SUBNET_ADMINISTRATION, 2, GET_TABLE, NOTICE), SILENCE));
        all.add(with("method Send of another class", Datagram.of(DEVICE, 1, SEND, CLASS_PORT_INFO), SILENCE));
        all.add(with("Trap", Datagram.of(DEVICE, 1, TRAP, NOTICE), SILENCE));
        all.add(with(
                "response without request", Datagram.of(PERFORMANCE, 1, GET | RESPONSE, CLASS_PORT_INFO), SILENCE));
        all.add(with("subnet management", Datagram.of(SUBNET, 1, GET, NOTICE), SILENCE));
        all.add(with("base version 0", new Datagram(0, PERFORMANCE, 1, GET, CLASS_PORT_INFO), SILENCE));
        all.add(with("base version 2", new Datagram(2, PERFORMANCE, 1, GET, CLASS_PORT_INFO), SILENCE));
        all.add(with("REQ with method Get", Datagram.of(COMMUNICATION, 2, GET, REQ), SILENCE));
        all.add(with("REJ of no connection", Datagram.of(COMMUNICATION, 2, SEND, REJ), SILENCE));
        all.add(with("RTU of no connection", Datagram.of(COMMUNICATION, 2, SEND, RTU), SILENCE));
        all.add(with("unknown message", Datagram.of(COMMUNICATION, 2, SEND, 0x7F), SILENCE));
        return all;
    }

    /** One that is answered, and one that is not. */
    static List<Scenario> few() {
        return List.of(all().getFirst(), all().getLast());
    }

    private static Scenario with(String name, Datagram datagram, int status) {
        return with(name, datagram, status, status);
    }

    private static Scenario with(String name, Datagram datagram, int ofLinux, int ofOurs) {
        return new Scenario("mad/" + name, (stage, direction) -> {
            boolean toLinux = direction == Direction.TO_LINUX;
            Side requester = toLinux ? stage.ours() : stage.linux();
            Side responder = toLinux ? stage.linux() : stage.ours();
            requester.open(Lab.GUEST_DEVICE, "UD", Set.of(AccessFlag.LOCAL_WRITE));
            responder.open(Lab.GUEST_DEVICE, "UD", Set.of(AccessFlag.LOCAL_WRITE));
            responder.serve();
            requester.connectToServices(responder);
            int status = toLinux ? ofLinux : ofOurs;
            send(requester, datagram, 1);
            if (status != SILENCE) {
                requireAnswer(requester, datagram, 1, status);
            }
            // An answer to the first datagram would arrive before that to the second.
            Datagram known = Datagram.of(PERFORMANCE, 1, GET, CLASS_PORT_INFO);
            send(requester, known, 2);
            requireAnswer(requester, known, 2, UNSUPPORTED);
            return status == SILENCE ? "no answer" : String.format("status 0x%04x", status);
        });
    }

    private static void send(Side requester, Datagram datagram, long id) throws IOException {
        for (int i = 0; i < BYTES / Long.BYTES; i++) {
            requester.set((long) i * Long.BYTES, Long.reverseBytes(datagram.word(i, id)));
        }
        requester.receive(RECEIVED + id, RECEIVED * id, GRH + BYTES);
        requester.post(WrOpcode.SEND, id, 0, BYTES, "");
        Completion sent = requester.completion(LIMIT);
        if (sent.id() != id || sent.status() != WcStatus.SUCCESS) {
            throw new Mismatch("sent " + id + ", completed: " + sent);
        }
    }

    /** Requires that the next datagram of the requester is the response to one of its own. */
    private static void requireAnswer(Side requester, Datagram datagram, long id, int status) throws IOException {
        Completion completion = requester.completion(LIMIT);
        long at = (completion.id() - RECEIVED) * RECEIVED + GRH;
        long[] words = new long[3];
        for (int i = 0; i < words.length; i++) {
            words[i] = Long.reverseBytes(requester.get(at + (long) i * Long.BYTES));
        }
        Datagram response = new Datagram(
                datagram.base(), datagram.mgmtClass(), datagram.version(), GET | RESPONSE, datagram.attribute());
        String expected =
                String.format("%016x %x %016x", response.word(0, id) | (long) status << 16, id, response.word(2, id));
        String found = String.format("%016x %x %016x", words[0], words[1], words[2]);
        if (completion.bytes() != GRH + BYTES || !found.equals(expected)) {
            throw new Mismatch("expected " + expected + ", found " + found + " in " + completion);
        }
    }
}
