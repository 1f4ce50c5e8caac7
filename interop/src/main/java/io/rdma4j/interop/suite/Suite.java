// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.base.RdmaException;
import io.rdma4j.interop.lab.Capture;
import io.rdma4j.interop.lab.Lab;
import io.rdma4j.interop.suite.Result.Outcome;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import io.rdma4j.interop.suite.Scenario.Skipped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Runs all scenarios over all transports and networks. One thread. */
public final class Suite {
    private static final int STANDARD = 1500;
    private static final int JUMBO = 9000;

    /** Check of all packets of an act. */
    private enum Judgement {
        /** Wireshark decodes the packets, and both sides must have accepted them. */
        ALL,
        /** Wireshark decodes the packets; netem drops some. */
        PACKETS,
        /** No check: netem corrupts packets. */
        NONE
    }

    /** Scenarios with the same set-up. */
    private record Act(Setup setup, List<Scenario> scenarios, Judgement judgement) {}

    private final Lab lab;
    private final List<String> tool;
    private final DropInLauncher dropIn;
    private final Consumer<Result> listener;

    /**
     * Creates the suite; runs nothing yet.
     *
     * @param lab guest and network
     * @param tool command line that starts the tools of rdma4j; their names and arguments are appended
     * @param dropIn starts unmodified programs on the devices of rdma4j
     * @param listener receives each result immediately
     */
    public Suite(Lab lab, List<String> tool, DropInLauncher dropIn, Consumer<Result> listener) {
        this.lab = lab;
        this.tool = List.copyOf(tool);
        this.dropIn = dropIn;
        this.listener = listener;
    }

    /**
     * Runs all scenarios.
     *
     * @param chosen selects scenarios by name
     */
    public void playAll(Predicate<String> chosen) throws IOException {
        play(all(), chosen);
    }

    /**
     * Runs one scenario of each kind.
     *
     * @param chosen selects scenarios by name
     */
    public void playFew(Predicate<String> chosen) throws IOException {
        Setup setup = new Setup(Backend.UDP_LINUX, false, STANDARD);
        play(
                List.of(
                        new Act(setup, join(PingPongs.few(), Operations.few(), RejectedRequests.few()), Judgement.ALL),
                        new Act(setup, join(ConnectionTools.few(), ManagementDatagrams.few()), Judgement.PACKETS),
                        new Act(setup, List.of(Impairments.with(Impairments.WORST)), Judgement.PACKETS)),
                chosen);
    }

    /** {@return the names of all scenarios} */
    public static Set<String> names() {
        return all().stream()
                .flatMap(act -> act.scenarios().stream())
                .map(Scenario::name)
                .collect(Collectors.toUnmodifiableSet());
    }

    private static List<Act> all() {
        List<Act> acts = new ArrayList<>();
        acts.add(complete(new Setup(Backend.UDP_LINUX, false, STANDARD)));
        acts.add(brief(new Setup(Backend.UDP_LINUX, true, STANDARD)));
        acts.add(brief(new Setup(Backend.UDP_PORTABLE, false, STANDARD)));
        acts.add(brief(new Setup(Backend.UDP_PORTABLE, true, STANDARD)));
        acts.add(brief(new Setup(Backend.TAP, false, STANDARD)));
        acts.add(brief(new Setup(Backend.TAP, true, STANDARD)));
        acts.add(brief(new Setup(Backend.PACKET, false, STANDARD)));
        acts.add(brief(new Setup(Backend.PACKET, true, STANDARD)));
        acts.add(complete(new Setup(Backend.UDP_LINUX, false, JUMBO)));
        acts.add(brief(new Setup(Backend.UDP_PORTABLE, false, JUMBO)));
        acts.add(brief(new Setup(Backend.TAP, true, JUMBO)));
        acts.add(brief(new Setup(Backend.PACKET, false, JUMBO)));
        for (Backend backend : Backend.values()) {
            for (boolean ipv6 : new boolean[] {false, true}) {
                acts.add(connections(new Setup(backend, ipv6, STANDARD)));
            }
        }
        Setup usual = new Setup(Backend.UDP_LINUX, false, STANDARD);
        acts.add(new Act(usual, DropInPrograms.all(), Judgement.PACKETS));
        acts.add(new Act(new Setup(Backend.TAP, true, STANDARD), DropInPrograms.few(), Judgement.PACKETS));
        acts.add(new Act(usual, Impairments.withoutCorruption(), Judgement.PACKETS));
        acts.add(new Act(usual, Impairments.withCorruption(), Judgement.NONE));
        acts.add(new Act(usual, ManagementDatagrams.all(), Judgement.PACKETS));
        acts.add(new Act(usual, Connections.all(), Judgement.PACKETS));
        acts.add(new Act(usual, CmMessages.all(), Judgement.PACKETS));
        for (Backend backend : List.of(Backend.TAP, Backend.PACKET)) {
            List<Scenario> scenarios = join(
                    ManagementDatagrams.few(),
                    Connections.few(),
                    CmMessages.few(),
                    List.of(ConnectionTools.wildcard()));
            acts.add(new Act(new Setup(backend, true, STANDARD), scenarios, Judgement.PACKETS));
        }
        acts.add(worst(new Setup(Backend.TAP, true, STANDARD)));
        acts.add(worst(new Setup(Backend.PACKET, false, STANDARD)));
        return acts;
    }

    private static Act connections(Setup setup) {
        List<Scenario> scenarios = setup.carrier() == Backend.UDP_LINUX ? ConnectionTools.all() : ConnectionTools.few();
        return new Act(setup, scenarios, Judgement.PACKETS);
    }

    private static Act worst(Setup setup) {
        return new Act(setup, List.of(Impairments.with(Impairments.WORST)), Judgement.PACKETS);
    }

    private static Act complete(Setup setup) {
        return new Act(
                setup,
                join(PingPongs.all(setup.pathMtu()), PingPongs.perftest(), Operations.all(), RejectedRequests.all()),
                Judgement.ALL);
    }

    private static Act brief(Setup setup) {
        return new Act(setup, join(PingPongs.few(), Operations.all(), RejectedRequests.all()), Judgement.ALL);
    }

    @SafeVarargs
    private static List<Scenario> join(List<Scenario>... parts) {
        List<Scenario> all = new ArrayList<>();
        for (List<Scenario> part : parts) {
            all.addAll(part);
        }
        return all;
    }

    private void play(List<Act> acts, Predicate<String> chosen) throws IOException {
        for (Act act : acts) {
            List<Scenario> scenarios = act.scenarios().stream()
                    .filter(scenario -> chosen.test(act.setup() + " " + scenario.name()))
                    .toList();
            if (!scenarios.isEmpty()) {
                play(act, scenarios);
            }
        }
    }

    private void play(Act act, List<Scenario> scenarios) throws IOException {
        lab.setMtu(act.setup().mtu());
        try (Stage stage = new Stage(lab, act.setup(), tool, dropIn)) {
            if (act.judgement() == Judgement.NONE) {
                play(stage, scenarios);
            } else {
                playJudged(stage, scenarios, act.judgement());
            }
        }
    }

    private void playJudged(Stage stage, List<Scenario> scenarios, Judgement judgement) throws IOException {
        Path file = Files.createTempFile("rdma4j", ".pcap");
        try {
            long before = stage.packetsTakenByGuest();
            try (Capture _ = lab.capture(file)) {
                play(stage, scenarios);
                stage.closeSides();
            }
            long taken = stage.packetsTakenByGuest() - before;
            judge(stage, "packets", () -> {
                List<String> frames = lab.tshark().fields(file, Judge.ROCE, Judge.fields());
                return Judge.judge(frames, stage.decode(file));
            });
            if (judgement == Judgement.PACKETS) {
                return;
            }
            judge(stage, "taken by Linux", () -> {
                String toGuest = Judge.ROCE + " && eth.dst == " + Lab.GUEST_MAC;
                return Judge.taken(lab.tshark().fields(file, toGuest, Judge.TAKEN), taken);
            });
            judge(
                    stage,
                    "taken by ours",
                    () -> stage.tally().judge(stage.setup().hidesIdentification()));
        } finally {
            Files.delete(file);
        }
    }

    /** Checks a capture; returns a summary. */
    @FunctionalInterface
    private interface Verdict {
        String say() throws IOException;
    }

    private void judge(Stage stage, String name, Verdict verdict) throws IOException {
        Scenario scenario = new Scenario("judges/" + name, (_, _) -> verdict.say());
        listener.accept(timed(stage, scenario, Direction.BOTH));
    }

    private void play(Stage stage, List<Scenario> scenarios) throws IOException {
        for (Scenario scenario : scenarios) {
            for (Direction direction : Direction.PLAYED) {
                listener.accept(timed(stage, scenario, direction));
            }
        }
    }

    private static Result timed(Stage stage, Scenario scenario, Direction direction) throws IOException {
        long start = System.nanoTime();
        Outcome outcome = Outcome.PASS;
        String detail;
        try {
            detail = scenario.play().play(stage, direction);
        } catch (Skipped e) {
            outcome = Outcome.SKIP;
            detail = String.valueOf(e.getMessage());
        } catch (Mismatch | RdmaException | IOException e) {
            outcome = Outcome.FAIL;
            detail = String.valueOf(e.getMessage());
            stage.closeSides();
        }
        long millis = (System.nanoTime() - start) / 1_000_000;
        return new Result(stage.setup(), scenario.name(), direction, outcome, detail, millis);
    }
}
