package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Guest;
import io.rdma4j.interop.lab.Lab;
import io.rdma4j.interop.lab.Output;
import io.rdma4j.interop.lab.Running;
import io.rdma4j.interop.peer.Side;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where a scenario is played: the guest on one side, programs of ours on the other. One thread. */
public final class Stage implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    /**
     * Ping-pongs stay when they are through, for longer than Linux waits before it repeats what it has not heard of (67 ms). Linux as requester
     * may overhear the last acknowledgement while it repeats, and a slow guest repeats without need.
     */
    private static final Map<String, String> STAYING = Map.of("RDMA4J_STAY_MS", "200");

    private final Lab lab;
    private final Setup setup;
    private final List<String> tool;
    private final int guestGidIndex;
    private final Tally tally = new Tally();
    private @Nullable Side ours;
    private @Nullable Side linux;

    /** @param tool the words that start our tools; their names and arguments follow */
    Stage(Lab lab, Setup setup, List<String> tool) throws IOException {
        this.lab = lab;
        this.setup = setup;
        this.tool = List.copyOf(tool);
        this.guestGidIndex = findGuestGid();
        if (setup.needsChecksums()) {
            fillChecksums();
        }
    }

    /** RoCE packets over IPv6 get a UDP checksum on their way out of the guest. */
    private void fillChecksums() throws IOException {
        lab.guest()
                .succeed("modprobe -a sch_ingress cls_u32 act_csum && tc qdisc add dev eth0 clsact"
                        + " && tc filter add dev eth0 egress protocol ipv6 u32 match ip6 protocol 17 0xff"
                        + " match ip6 dport 4791 0xffff action csum udp");
    }

    private int findGuestGid() throws IOException {
        String gid =
                setup.ipv6() ? "fd77:0000:0000:0000:0000:0000:0000:0002" : "0000:0000:0000:0000:0000:ffff:0a4d:0002";
        String directory = "/sys/class/infiniband/" + Lab.GUEST_DEVICE + "/ports/1/gids";
        return Integer.parseInt(lab.guest()
                .succeed("cd " + directory + " && grep -lx " + gid + " [0-9]")
                .strip());
    }

    Setup setup() {
        return setup;
    }

    Guest guest() {
        return lab.guest();
    }

    /** Slot of the guest's GID table. */
    int guestGidIndex() {
        return guestGidIndex;
    }

    /** Slot of our GID table. */
    int ourGidIndex() {
        return setup.carrier().gidIndex(setup.ipv6());
    }

    /** Starts a tool of the guest. */
    Running startGuest(String command) throws IOException {
        return lab.guest().start(command, LIMIT);
    }

    /** Starts one of our tools; no side is open then, as both would want the same address. */
    Running startOurs(String command) throws IOException {
        closeSides();
        Map<String, String> environment = new HashMap<>(STAYING);
        environment.putAll(setup.carrier().environment());
        return lab.start(words(command), environment);
    }

    /** What our tool {@code decode} says of a capture. */
    Output decode(Path capture) throws IOException {
        try (Running decoder = startOurs("decode " + capture)) {
            return decoder.await(LIMIT);
        }
    }

    /** RoCE packets that the guest's driver has accepted since it was there. */
    long packetsTakenByGuest() throws IOException {
        return Long.parseLong(lab.guest()
                .succeed("cat /sys/class/infiniband/" + Lab.GUEST_DEVICE + "/ports/1/hw_counters/rcvd_pkts")
                .strip());
    }

    private List<String> words(String command) {
        List<String> words = new ArrayList<>(tool);
        words.addAll(Arrays.asList(command.split(" +", -1)));
        return words;
    }

    /** Our side of a verbs scenario; starts it if need be. */
    Side ours() throws IOException {
        if (ours == null) {
            ours = new Side(
                    "ours",
                    setup.carrier().address(setup.ipv6()),
                    lab.talk(
                            words("interop --peer " + setup.device() + " --socket"),
                            setup.carrier().environment()));
        }
        return ours;
    }

    /** The guest's. */
    Side linux() throws IOException {
        if (linux == null) {
            linux = new Side(
                    "Linux",
                    setup.ipv6() ? Lab.GUEST_IP6 : Lab.GUEST_IP4,
                    lab.guest().talk("python3 -u /peer.py"));
        }
        return linux;
    }

    /** Kills the process of a side. */
    void kill(Side side) throws IOException {
        if (side == ours) {
            closeOurs();
        } else {
            closeLinux();
        }
    }

    /** Kills the processes of both sides, if they run. */
    void closeSides() throws IOException {
        closeOurs();
        closeLinux();
    }

    private void closeOurs() throws IOException {
        if (ours != null) {
            tally.add(ours);
            ours.close();
            ours = null;
        }
    }

    private void closeLinux() throws IOException {
        if (linux != null) {
            linux.close();
            linux = null;
        }
    }

    /** What our sides counted that have been closed. */
    Tally tally() {
        return tally;
    }

    @Override
    public void close() throws IOException {
        closeSides();
        if (setup.needsChecksums()) {
            lab.guest().succeed("tc qdisc del dev eth0 clsact");
        }
    }
}
