// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.interop.peer.Completion;
import io.rdma4j.interop.peer.Side;
import io.rdma4j.interop.suite.Scenario.Skipped;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;
import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Every operation that the Linux device supports; compares completions and memory of both sides. */
final class Operations {
    /** The first kernel whose rdma_rxe supports FLUSH and ATOMIC WRITE. */
    private static final Version NEW_OPERATIONS = Version.parse("6.2");

    private static final int IMMEDIATE = 0x8badf00d;
    private static final long WORD = 0x0123_4567_89ab_cdefL;
    private static final int HEADROOM = 40;
    private static final int BIG = 300_000;

    private Operations() {}

    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        for (String service : new String[] {"RC", "UC"}) {
            String prefix = "verbs/" + service + " ";
            all.add(new Scenario(
                    prefix + "SEND", (stage, direction) -> sends(stage, direction, service, WrOpcode.SEND)));
            all.add(new Scenario(
                    prefix + "SEND with immediate",
                    (stage, direction) -> sends(stage, direction, service, WrOpcode.SEND_WITH_IMM)));
            all.add(new Scenario(prefix + "WRITE", (stage, direction) -> writes(stage, direction, service)));
            all.add(new Scenario(
                    prefix + "WRITE with immediate",
                    (stage, direction) -> writesWithImmediate(stage, direction, service)));
        }
        all.add(new Scenario("verbs/RC READ", Operations::reads));
        all.add(new Scenario("verbs/RC compare and swap", Operations::comparesAndSwaps));
        all.add(new Scenario("verbs/RC fetch and add", Operations::fetchesAndAdds));
        all.add(new Scenario("verbs/RC SEND with invalidate", Operations::invalidates));
        all.add(new Scenario("verbs/RC window of type 1", (stage, direction) -> windows(stage, direction, 1)));
        all.add(new Scenario("verbs/RC window of type 2", (stage, direction) -> windows(stage, direction, 2)));
        all.add(new Scenario("verbs/RC ATOMIC WRITE", Operations::atomicWrites));
        all.add(new Scenario("verbs/RC FLUSH", Operations::flushes));
        all.add(new Scenario("verbs/UD SEND", (stage, direction) -> datagrams(stage, direction, WrOpcode.SEND)));
        all.add(new Scenario(
                "verbs/UD SEND with immediate",
                (stage, direction) -> datagrams(stage, direction, WrOpcode.SEND_WITH_IMM)));
        return all;
    }

    /** One for each service, and one for each way in which a responder answers, as a quick test. */
    static List<Scenario> few() {
        Set<String> names = Set.of(
                "verbs/RC SEND with immediate",
                "verbs/RC READ",
                "verbs/RC fetch and add",
                "verbs/RC window of type 2",
                "verbs/UC WRITE",
                "verbs/UD SEND");
        return all().stream().filter(one -> names.contains(one.name())).toList();
    }

    /** Message sizes around packet limits. */
    private static int[] sizes(int mtu) {
        return new int[] {0, 1, 3, mtu - 1, mtu, mtu + 1, 3 * mtu + 2, BIG};
    }

    private static String sends(Stage stage, Direction direction, String service, WrOpcode opcode) throws IOException {
        PeerPair pair = PeerPair.usual(stage, direction, service);
        boolean withImmediate = opcode == WrOpcode.SEND_WITH_IMM;
        int id = 1;
        for (int size : sizes(pair.pathMtu())) {
            pair.requester().fill(0, Math.max(size, 1), id);
            pair.responder().receive(id, PeerPair.TARGET, Math.max(size, 1));
            pair.requester()
                    .post(opcode, id, 0, size, withImmediate ? "imm=" + Integer.toUnsignedString(IMMEDIATE) : "");
            pair.succeeds(pair.requester(), id);
            Completion received = pair.succeeds(pair.responder(), id);
            PeerPair.require(received.bytes() == size, pair.responder(), size + " bytes", received);
            PeerPair.require(
                    received.immediate() == (withImmediate ? IMMEDIATE : 0),
                    pair.responder(),
                    "the immediate",
                    received);
            pair.requireEqual(0, PeerPair.TARGET, size);
            id++;
        }
        return "";
    }

    private static String writes(Stage stage, Direction direction, String service) throws IOException {
        PeerPair pair = PeerPair.usual(stage, direction, service);
        int id = 1;
        for (int size : sizes(pair.pathMtu())) {
            pair.requester().fill(0, Math.max(size, 1), id);
            pair.post(WrOpcode.RDMA_WRITE, id, size);
            pair.succeeds(pair.requester(), id);
            // A UC WRITE completes when it is sent; the SEND after it shows that it has arrived.
            pair.responder().receive(id, PeerPair.TARGET - 1, 1);
            pair.requester().post(WrOpcode.SEND, id, 0, 1, "");
            pair.succeeds(pair.requester(), id);
            pair.succeeds(pair.responder(), id);
            pair.requireEqual(0, PeerPair.TARGET, size);
            id++;
        }
        return "";
    }

    private static String writesWithImmediate(Stage stage, Direction direction, String service) throws IOException {
        PeerPair pair = PeerPair.usual(stage, direction, service);
        int id = 1;
        for (int size : sizes(pair.pathMtu())) {
            pair.requester().fill(0, Math.max(size, 1), id);
            pair.responder().receive(id, 0, 1);
            pair.requester()
                    .post(
                            WrOpcode.RDMA_WRITE_WITH_IMM,
                            id,
                            0,
                            size,
                            "imm=" + Integer.toUnsignedString(IMMEDIATE) + " remote="
                                    + (pair.responder().address() + PeerPair.TARGET) + " rkey="
                                    + Integer.toUnsignedString(pair.responder().rkey()));
            pair.succeeds(pair.requester(), id);
            Completion received = pair.succeeds(pair.responder(), id);
            PeerPair.require(received.bytes() == size, pair.responder(), size + " bytes", received);
            PeerPair.require(received.immediate() == IMMEDIATE, pair.responder(), "the immediate", received);
            pair.requireEqual(0, PeerPair.TARGET, size);
            id++;
        }
        return "";
    }

    private static String reads(Stage stage, Direction direction) throws IOException {
        PeerPair pair = PeerPair.usual(stage, direction, "RC");
        int id = 1;
        for (int size : sizes(pair.pathMtu())) {
            pair.responder().fill(PeerPair.TARGET, Math.max(size, 1), id);
            pair.post(WrOpcode.RDMA_READ, id, size);
            pair.succeeds(pair.requester(), id);
            pair.requireEqual(0, PeerPair.TARGET, size);
            id++;
        }
        return "";
    }

    private static void atomic(PeerPair pair, WrOpcode opcode, int id, long compare, long swap) throws IOException {
        pair.requester()
                .post(
                        opcode,
                        id,
                        0,
                        Long.BYTES,
                        "remote=" + (pair.responder().address() + PeerPair.TARGET) + " rkey="
                                + Integer.toUnsignedString(pair.responder().rkey()) + " compare="
                                + Long.toUnsignedString(compare) + " swap=" + Long.toUnsignedString(swap));
        pair.succeeds(pair.requester(), id);
    }

    private static void requireWords(PeerPair pair, long before, long after) throws IOException {
        PeerPair.require(
                pair.requester().get(0) == before,
                pair.requester(),
                "the word that was there",
                pair.requester().get(0));
        PeerPair.require(
                pair.responder().get(PeerPair.TARGET) == after,
                pair.responder(),
                "the new word",
                pair.responder().get(PeerPair.TARGET));
    }

    private static String comparesAndSwaps(Stage stage, Direction direction) throws IOException {
        PeerPair pair = PeerPair.usual(stage, direction, "RC");
        pair.responder().set(PeerPair.TARGET, WORD);
        atomic(pair, WrOpcode.ATOMIC_CMP_AND_SWP, 1, WORD, ~WORD);
        requireWords(pair, WORD, ~WORD);
        atomic(pair, WrOpcode.ATOMIC_CMP_AND_SWP, 2, WORD, 0);
        requireWords(pair, ~WORD, ~WORD);
        return "";
    }

    private static String fetchesAndAdds(Stage stage, Direction direction) throws IOException {
        PeerPair pair = PeerPair.usual(stage, direction, "RC");
        pair.responder().set(PeerPair.TARGET, WORD);
        atomic(pair, WrOpcode.ATOMIC_FETCH_AND_ADD, 1, 1, 0);
        requireWords(pair, WORD, WORD + 1);
        atomic(pair, WrOpcode.ATOMIC_FETCH_AND_ADD, 2, -WORD - 1, 0);
        requireWords(pair, WORD + 1, 0);
        return "";
    }

    private static String invalidates(Stage stage, Direction direction) throws IOException {
        PeerPair pair = PeerPair.usual(stage, direction, "RC");
        int key = pair.responder().bindWindow(2, 1, PeerPair.TARGET, 4096, Set.of(AccessFlag.REMOTE_WRITE));
        pair.succeeds(pair.responder(), 1);
        pair.responder().receive(2, 0, 8);
        pair.requester().post(WrOpcode.SEND_WITH_INV, 2, 0, 8, "rkey=" + Integer.toUnsignedString(key));
        pair.succeeds(pair.requester(), 2);
        Completion received = pair.succeeds(pair.responder(), 2);
        PeerPair.require(received.immediate() == key, pair.responder(), "the key " + key + " to be told", received);
        pair.requester().post(WrOpcode.RDMA_WRITE, 3, 0, 8, pair.responder().address() + PeerPair.TARGET, key);
        pair.ends(pair.requester(), 3, WcStatus.REM_ACCESS_ERR);
        return "";
    }

    /** Tests windows. Linux checks an access against the region and not against the window. */
    private static String windows(Stage stage, Direction direction, int kind) throws IOException {
        PeerPair pair = PeerPair.usual(stage, direction, "RC");
        Side responder = pair.responder();
        int length = 10_000;
        int key = responder.bindWindow(
                kind, 1, PeerPair.TARGET, length, Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
        pair.succeeds(responder, 1);
        pair.requester().fill(0, length, kind);
        pair.requester().post(WrOpcode.RDMA_WRITE, 2, 0, length, responder.address() + PeerPair.TARGET, key);
        pair.succeeds(pair.requester(), 2);
        pair.requireEqual(0, PeerPair.TARGET, length);
        pair.requester()
                .post(WrOpcode.RDMA_READ, 3, PeerPair.TARGET, length, responder.address() + PeerPair.TARGET, key);
        pair.succeeds(pair.requester(), 3);
        pair.requireEqual(PeerPair.TARGET, PeerPair.TARGET, length);
        pair.requester().post(WrOpcode.RDMA_WRITE, 4, 0, length, responder.address() + PeerPair.TARGET + 1, key);
        boolean toLinux = direction == Direction.TO_LINUX;
        pair.ends(pair.requester(), 4, toLinux ? WcStatus.SUCCESS : WcStatus.REM_ACCESS_ERR);
        if (toLinux) {
            pair.requester()
                    .post(
                            WrOpcode.ATOMIC_FETCH_AND_ADD,
                            5,
                            0,
                            Long.BYTES,
                            "compare=1 remote=" + (responder.address() + PeerPair.TARGET) + " rkey="
                                    + Integer.toUnsignedString(key));
            pair.ends(pair.requester(), 5, WcStatus.REM_ACCESS_ERR);
            return "Linux does not check the window's end";
        }
        return "";
    }

    private static String atomicWrites(Stage stage, Direction direction) throws IOException {
        stage.requireKernel(NEW_OPERATIONS, "ATOMIC WRITE");
        PeerPair pair = PeerPair.usual(stage, direction, "RC");
        pair.requester().set(0, WORD);
        postOrSkip(pair, WrOpcode.ATOMIC_WRITE, Long.BYTES);
        pair.succeeds(pair.requester(), 1);
        PeerPair.require(
                pair.responder().get(PeerPair.TARGET) == WORD,
                pair.responder(),
                "the word",
                pair.responder().get(PeerPair.TARGET));
        return "";
    }

    private static String flushes(Stage stage, Direction direction) throws IOException {
        stage.requireKernel(NEW_OPERATIONS, "FLUSH");
        PeerPair pair = PeerPair.withRights(stage, direction, "RC", Set.of(AccessFlag.FLUSH_GLOBAL));
        postOrSkip(pair, WrOpcode.FLUSH, 4096);
        if (direction == Direction.TO_LINUX) {
            pair.ends(pair.requester(), 1, WcStatus.RETRY_EXC_ERR);
            throw new Skipped("Linux drops it: its ICRC of a FLUSH covers the headers twice");
        }
        pair.succeeds(pair.requester(), 1);
        return "";
    }

    private static void postOrSkip(PeerPair pair, WrOpcode opcode, int length) throws IOException {
        try {
            pair.post(opcode, 1, length);
        } catch (RdmaException e) {
            if (e.errno() == Errno.EOPNOTSUPP) {
                throw new Skipped(String.valueOf(e.getMessage()));
            }
            throw e;
        }
    }

    private static String datagrams(Stage stage, Direction direction, WrOpcode opcode) throws IOException {
        PeerPair pair = PeerPair.usual(stage, direction, "UD");
        boolean withImmediate = opcode == WrOpcode.SEND_WITH_IMM;
        int id = 1;
        for (int size : new int[] {0, 1, 3, 1000, pair.pathMtu()}) {
            pair.requester().fill(0, Math.max(size, 1), id);
            pair.responder().receive(id, PeerPair.TARGET, size + HEADROOM);
            pair.requester()
                    .post(opcode, id, 0, size, withImmediate ? "imm=" + Integer.toUnsignedString(IMMEDIATE) : "");
            pair.succeeds(pair.requester(), id);
            Completion received = pair.succeeds(pair.responder(), id);
            PeerPair.require(
                    received.bytes() == size + HEADROOM, pair.responder(), size + " bytes and the route", received);
            PeerPair.require(
                    received.immediate() == (withImmediate ? IMMEDIATE : 0),
                    pair.responder(),
                    "the immediate",
                    received);
            pair.requireEqual(0, PeerPair.TARGET + HEADROOM, size);
            id++;
        }
        return "";
    }
}
