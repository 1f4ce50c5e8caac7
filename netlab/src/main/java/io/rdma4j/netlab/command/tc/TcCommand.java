// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.tc;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.FaultyLink;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.sched.PfifoFast;
import io.rdma4j.net.sched.Prio;
import io.rdma4j.net.sched.Qdisc;
import io.rdma4j.net.sched.TokenBucket;
import io.rdma4j.net.transmit.NetdevQueue;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import io.rdma4j.netlab.topology.LinkWords;
import io.rdma4j.packet.SkBuff;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * {@code tc}: shows and changes the qdiscs of a device. Each transmit queue gets a qdisc of the same kind. {@code
 * netem} adds faults to the device's link below the qdisc; the first time, it sets the device down and up again.
 */
public final class TcCommand implements ShellCommand {
    /** Maximum number of packets in flight on a link with faults, as in {@code netem}. */
    private static final int NETEM_PACKETS = 1000;

    private static final int DEFAULT_BANDS = 3;
    private static final Map<String, Double> BYTES = Map.of(
            "", 1.0, "b", 1.0, "k", 1024.0, "kb", 1024.0, "kbit", 128.0, "m", 1048576.0, "mb", 1048576.0, "mbit",
            131072.0);

    @Override
    public String name() {
        return "tc";
    }

    @Override
    public String usage() {
        return """
            tc [-s] qdisc [show] [dev DEV]
            tc qdisc add|replace|change|del dev DEV root [handle 1:] [QDISC]
            tc filter [show] dev DEV
            tc filter add|del dev DEV [parent 1:] [protocol all] [prio 1] [handle 1] cgroup
            QDISC: noqueue | pfifo_fast | prio [bands N] | tbf rate RATE burst BYTES [limit PACKETS]
                 | netem [delay TIME [JITTER]] [loss %] [duplicate %] [reorder %] [corrupt %] [rate RATE]\
            """;
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        boolean statistics = arguments.take("-s");
        switch (arguments.next("qdisc or filter")) {
            case "qdisc" -> qdisc(session, arguments, statistics);
            case "filter" -> filter(session, arguments);
            default -> throw new UsageException("there is qdisc and filter");
        }
        return 0;
    }

    private static void qdisc(ShellSession session, ArgumentReader arguments, boolean statistics) {
        String verb = arguments.hasNext() ? arguments.next("what to do") : "show";
        switch (verb) {
            case "show", "list" -> show(session, arguments, statistics);
            case "add", "replace", "change" -> {
                NetDevice device = root(session, arguments);
                String kind = arguments.next("a kind");
                if (kind.equals("netem")) {
                    impair(session, device, profile(arguments.rest()));
                } else {
                    IntFunction<@Nullable Qdisc> make = maker(kind, arguments);
                    arguments.end();
                    session.machine().loop().exclusively(() -> graft(device, make));
                }
            }
            case "del", "delete" -> {
                NetDevice device = root(session, arguments);
                arguments.rest();
                FaultyLink faults = FaultyLink.on(device);
                if (faults != null) {
                    faults.send().profile(unspoilt());
                }
                session.machine()
                        .loop()
                        .exclusively(() -> graft(device, limit -> limit == 0 ? null : new PfifoFast(limit)));
            }
            default -> throw new UsageException("\"" + verb + "\" is none of show, add, replace, change, del");
        }
    }

    private static void show(ShellSession session, ArgumentReader arguments, boolean statistics) {
        List<NetDevice> devices = session.namespace().devices();
        if (arguments.take("dev")) {
            devices = List.of(session.device(arguments.next("a device")));
        }
        arguments.end();
        for (NetDevice device : devices) {
            session.machine()
                    .loop()
                    .exclusively(() -> QdiscText.of(device, statistics))
                    .forEach(session.out()::println);
        }
    }

    private static NetDevice root(ShellSession session, ArgumentReader arguments) {
        arguments.expect("dev");
        NetDevice device = session.device(arguments.next("a device"));
        arguments.expect("root");
        if (arguments.take("handle")) {
            arguments.next("a handle");
        }
        return device;
    }

    /** Returns a function that creates a qdisc for a queue with this maximum number of packets. */
    private static IntFunction<@Nullable Qdisc> maker(String kind, ArgumentReader arguments) {
        return switch (kind) {
            case "noqueue" -> _ -> null;
            case "pfifo_fast" -> limit -> new PfifoFast(atLeastOne(limit));
            case "prio" -> {
                int bands =
                        arguments.take("bands") ? (int) arguments.number("bands", 1, Prio.MAX_BANDS) : DEFAULT_BANDS;
                yield limit ->
                        prio(bands, limit, skb -> PfifoFast.bandOf(skb.meta().priority()));
            }
            case "tbf" -> bucket(arguments);
            default -> throw new UsageException("qdisc \"" + kind + "\" is unknown");
        };
    }

    private static Prio prio(int bands, int limit, ToIntFunction<? super SkBuff> classifier) {
        return new Prio(bands, atLeastOne(limit), classifier);
    }

    /** Returns the queue length; {@link #NETEM_PACKETS} for a device whose queue length is 0. */
    private static int atLeastOne(int limit) {
        return limit > 0 ? limit : NETEM_PACKETS;
    }

    private static IntFunction<@Nullable Qdisc> bucket(ArgumentReader arguments) {
        long bitsPerSecond = 0;
        int burst = 0;
        int limit = 0;
        while (arguments.hasNext()) {
            switch (arguments.next("rate, burst or limit")) {
                case "rate" ->
                    bitsPerSecond =
                            profile(List.of("rate", arguments.next("a rate"))).bitsPerSecond();
                case "burst" -> burst = bytes(arguments.next("bytes"));
                case "limit" -> limit = (int) arguments.number("packets", 1, Integer.MAX_VALUE);
                default -> throw new UsageException("tbf has rate, burst and limit");
            }
        }
        if (bitsPerSecond == 0 || burst == 0) {
            throw new UsageException("tbf wants a rate and a burst");
        }
        long bytesPerSecond = bitsPerSecond / Byte.SIZE;
        int bytes = burst;
        int packets = limit;
        return length -> new TokenBucket(bytesPerSecond, bytes, packets > 0 ? packets : atLeastOne(length));
    }

    private static int bytes(String text) {
        int digits = 0;
        while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
            digits++;
        }
        Double unit = BYTES.get(text.substring(digits).toLowerCase(Locale.ROOT));
        if (digits == 0 || digits > 9 || unit == null) {
            throw new UsageException("\"" + text + "\" is no size: a number and one of b, k, kb, kbit, m, mb, mbit");
        }
        return (int) Math.min(Integer.MAX_VALUE, Long.parseLong(text.substring(0, digits)) * unit);
    }

    private static void graft(NetDevice device, IntFunction<@Nullable Qdisc> make) {
        for (int i = 0; i < device.transmitQueues().count(); i++) {
            device.transmitQueues()
                    .queue(i)
                    .qdisc(make.apply(device.transmitQueues().length()));
        }
    }

    // Faults

    private static LinkProfile profile(List<String> words) {
        try {
            return LinkWords.parse(words).withMtuBytes(unspoilt().mtuBytes());
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    /** A profile without faults; its MTU is the largest, so that the device's MTU applies. */
    private static LinkProfile unspoilt() {
        return LinkWords.PLAIN.withMtuBytes(LinkProfile.PERFECT.mtuBytes());
    }

    private static void impair(ShellSession session, NetDevice device, LinkProfile profile) {
        FaultyLink faults = FaultyLink.on(device);
        if (faults != null) {
            faults.send().profile(profile);
            return;
        }
        session.machine().net().rtnl().run(() -> {
            boolean wasUp = device.isUp();
            if (wasUp) {
                device.down();
            }
            FaultyLink.install(
                    device,
                    profile,
                    unspoilt(),
                    new SplittableRandom().nextLong(),
                    session.machine().loop().clock(),
                    NETEM_PACKETS);
            if (wasUp) {
                device.up();
            }
        });
    }

    // Filters

    private static void filter(ShellSession session, ArgumentReader arguments) {
        String verb = arguments.peek().equals("dev") ? "show" : arguments.next("what to do");
        arguments.expect("dev");
        NetDevice device = session.device(arguments.next("a device"));
        while (arguments.take("parent")
                || arguments.take("protocol")
                || arguments.take("prio")
                || arguments.take("handle")) {
            arguments.next("a value");
        }
        if (!verb.equals("show")) {
            arguments.expect("cgroup");
        }
        arguments.end();
        session.machine().loop().exclusively(() -> {
            switch (verb) {
                case "show" -> showFilter(session, device);
                case "add" -> classify(device, new ClassIdBands());
                case "del" ->
                    classify(device, skb -> PfifoFast.bandOf(skb.meta().priority()));
                default -> throw new UsageException("\"" + verb + "\" is none of show, add, del");
            }
        });
    }

    private static void showFilter(ShellSession session, NetDevice device) {
        if (device.transmitQueues().queue(0).qdisc() instanceof Prio prio
                && prio.classifier() instanceof ClassIdBands) {
            session.out().println("filter parent 1: protocol all pref 1 cgroup chain 0 handle 0x1");
        }
    }

    private static void classify(NetDevice device, ToIntFunction<? super SkBuff> classifier) {
        NetdevQueue first = device.transmitQueues().queue(0);
        if (first.qdisc() instanceof Prio there && !(there instanceof PfifoFast)) {
            graft(device, limit -> prio(there.bands(), limit, classifier));
        } else {
            throw new RdmaException(
                    Errno.EOPNOTSUPP,
                    "filters belong to a qdisc with classes: " + device.name() + " has " + first.qdiscKind()
                            + ", which is not prio");
        }
    }
}
