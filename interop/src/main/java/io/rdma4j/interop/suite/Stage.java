// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Guest;
import io.rdma4j.interop.lab.Lab;
import io.rdma4j.interop.lab.Output;
import io.rdma4j.interop.lab.Running;
import io.rdma4j.interop.peer.Side;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import io.rdma4j.interop.suite.Scenario.Skipped;
import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Environment of a scenario: the guest, and programs of rdma4j. One thread. */
public final class Stage implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    /**
     * Ping-pongs linger longer than Linux's retransmission timeout of 67 ms. Linux as requester may miss the last
     * acknowledgement while it retransmits, and a slow guest retransmits without need.
     */
    private static final Map<String, String> STAYING = Map.of("RDMA4J_LINGER_MS", "200");

    private final Lab lab;
    private final Setup setup;
    private final List<String> tool;
    private final DropInLauncher dropIn;
    private final int guestGidIndex;
    private final Tally tally = new Tally();
    private @Nullable Side ours;
    private @Nullable Side linux;

    /**
     * @param tool command line that starts the tools of rdma4j; their names and arguments are appended
     * @param dropIn starts unmodified programs on the devices of rdma4j
     */
    Stage(Lab lab, Setup setup, List<String> tool, DropInLauncher dropIn) throws IOException {
        this.lab = lab;
        this.setup = setup;
        this.tool = List.copyOf(tool);
        this.dropIn = dropIn;
        this.guestGidIndex = findGuestGid();
        if (setup.needsChecksums()) {
            fillChecksums();
        }
    }

    /** Makes the guest add UDP checksums to outgoing RoCE packets over IPv6. */
    private void fillChecksums() throws IOException {
        lab.guest()
                .succeed("modprobe -a sch_ingress cls_u32 act_csum && tc qdisc add dev eth0 clsact"
                        + " && tc filter add dev eth0 egress protocol ipv6 u32 match ip6 protocol 17 0xff"
                        + " match ip6 dport 4791 0xffff action csum udp");
    }

    /**
     * Skips a scenario that needs a newer kernel in the guest.
     *
     * @throws Skipped if the guest's kernel is older
     */
    void requireKernel(Version first, String operation) throws IOException {
        String release = lab.guest().succeed("uname -r").strip();
        if (Version.parse(release).compareTo(first) < 0) {
            throw new Skipped("Linux " + release + " has no " + operation + ": that came with " + first);
        }
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

    /** Slot of the rdma4j device's GID table. */
    int ourGidIndex() {
        return setup.carrier().gidIndex(setup.ipv6());
    }

    /** Starts a tool of the guest. */
    Running startGuest(String command) throws IOException {
        return lab.guest().start(command, LIMIT);
    }

    /** Starts a tool of rdma4j. Closes the sides first, because they use the same address. */
    Running startOurs(String command) throws IOException {
        closeSides();
        Map<String, String> environment = new HashMap<>(STAYING);
        environment.putAll(setup.carrier().environment());
        return lab.start(words(tool, command), environment);
    }

    /** Starts a tool of rdma4j that chooses its device by an address. */
    Running startConnecting(String command) throws IOException {
        closeSides();
        Map<String, String> environment = new HashMap<>(setup.carrier().environment());
        environment.put("RDMA4J_DEVICES", setup.device());
        return lab.start(words(tool, command), environment);
    }

    /** Starts an unmodified program on the device of rdma4j, which is named as the guest's. */
    Running startDropIn(String command) throws IOException {
        closeSides();
        Map<String, String> environment = new HashMap<>(dropIn.environment());
        environment.putAll(setup.carrier().environment());
        environment.put("RDMA4J_DEVICES", setup.device());
        return lab.start(words(dropIn.launcher(), command), environment);
    }

    /** Takes down the guest's link, as if the cable was pulled; the returned program takes it up again. */
    Running startLinkBreak(int seconds) throws IOException {
        lab.setLink(false);
        return lab.start(List.of("sh", "-c", "sleep " + seconds + " && ip link set " + Lab.LINK + " up"), Map.of());
    }

    /** Output of the tool {@code decode} for a capture. */
    Output decode(Path capture) throws IOException {
        try (Running decoder = startOurs("decode " + capture)) {
            return decoder.await(LIMIT);
        }
    }

    /** Number of RoCE packets that the guest's driver has accepted since it was loaded. */
    long packetsTakenByGuest() throws IOException {
        return Long.parseLong(lab.guest()
                .succeed("cat /sys/class/infiniband/" + Lab.GUEST_DEVICE + "/ports/1/hw_counters/rcvd_pkts")
                .strip());
    }

    /** Requires that the guest has no connection of rdma_cm left. */
    void requireNoConnection() throws IOException {
        String left = lab.guest().succeed("rdma resource show cm_id").strip();
        if (!left.isEmpty()) {
            throw new Mismatch("Linux keeps " + left);
        }
    }

    private static List<String> words(List<String> launcher, String command) {
        List<String> words = new ArrayList<>(launcher);
        words.addAll(Arrays.asList(command.split(" +", -1)));
        return words;
    }

    /** The rdma4j side of a verbs scenario; starts it if it does not run. */
    Side ours() throws IOException {
        if (ours == null) {
            ours = new Side(
                    "ours",
                    setup.carrier().address(setup.ipv6()),
                    lab.talk(
                            words(tool, "interop --peer " + setup.device() + " --socket"),
                            setup.carrier().environment()));
        }
        return ours;
    }

    /** The guest's side; starts it if it does not run. */
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

    /** Counters of the closed rdma4j sides. */
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
