// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * A guest with the unmodified Linux driver, and programs of this machine in a separate network namespace. One thread.
 *
 * <p>The state of the lab is in a directory, and a later process can use a running lab. The lab records the process ids
 * that it starts, and ends these processes.
 */
public final class Lab implements AutoCloseable {
    /** IPv4 address of this machine's Linux. */
    public static final String HOST_IP4 = "10.77.0.1";

    /** IPv6 address of this machine's Linux. */
    public static final String HOST_IP6 = "fd77::1";

    /** IPv4 address of the guest. */
    public static final String GUEST_IP4 = "10.77.0.2";

    /** IPv6 address of the guest. */
    public static final String GUEST_IP6 = "fd77::2";

    /** Ethernet address of the guest. */
    public static final String GUEST_MAC = "52:54:00:77:00:02";

    /** The RDMA device of the guest. */
    public static final String GUEST_DEVICE = "rxe0";

    /** This machine's end of the link to the guest. */
    public static final String LINK = Wiring.GUEST_TAP;

    private static final Duration BOOT = Duration.ofMinutes(5);

    /**
     * Maximum number of boots. With two emulated CPUs the guest's kernel sometimes panics while booting, because one
     * CPU executes an instruction that the other is patching.
     */
    private static final int MOST_BOOTS = 3;

    private static final Duration POLL = Duration.ofMillis(100);
    private static final int STANDARD_MTU = 1500;

    private final Path directory;
    private final String namespace;
    private final GuestImage image;
    private final Wiring wiring;
    private final Guest guest;
    private final FileChannel lock;
    private int programs;

    /**
     * Returns the running lab of a name, or a new one.
     *
     * @param name of namespace and directory
     * @throws LabException if another process uses it, or the guest does not start
     */
    public static Lab up(String name, GuestImage image) throws IOException {
        Path directory = directory(name);
        FileChannel lock = FileChannel.open(
                directory.resolveSibling(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (lock.tryLock() == null) {
            lock.close();
            throw new LabException("the lab " + name + " is in use");
        }
        try {
            if (!Qemu.isAlive(directory)) {
                down(name);
                Files.createDirectories(directory);
                new Wiring(name).up();
                Qemu.start(directory, name, image.kernel(), image.initrd());
            }
            boolean isUp = comesUp(directory);
            for (int boots = 1; !isUp && boots < MOST_BOOTS && Qemu.hasPanicked(directory); boots++) {
                Qemu.start(directory, name, image.kernel(), image.initrd());
                isUp = comesUp(directory);
            }
            if (!isUp) {
                throw new LabException("the guest did not come up:\n" + Qemu.complaints(directory));
            }
        } catch (IOException e) {
            lock.close();
            down(name);
            throw e;
        }
        Lab lab = new Lab(directory, name, image, lock);
        lab.configureGuest();
        return lab;
    }

    private Lab(Path directory, String namespace, GuestImage image, FileChannel lock) throws IOException {
        this.directory = directory;
        this.namespace = namespace;
        this.image = image;
        this.wiring = new Wiring(namespace);
        this.guest = new Guest(directory);
        this.lock = lock;
    }

    private static Path directory(String name) {
        return Path.of(System.getProperty("java.io.tmpdir"), name);
    }

    /** Ends the guest of a lab, and deletes its namespace and its files; does nothing if there is none. */
    public static void down(String name) throws IOException {
        Qemu.stop(directory(name));
        new Wiring(name).down();
        DebianTree.delete(directory(name));
    }

    /** Waits until the guest takes commands; false if it has ended, or takes too long. */
    private static boolean comesUp(Path directory) throws IOException {
        long end = System.nanoTime() + BOOT.toNanos();
        while (!Qemu.console(directory).contains("agent: serving")) {
            if (System.nanoTime() > end || !Qemu.isAlive(directory)) {
                return false;
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
        return true;
    }

    private void configureGuest() throws IOException {
        guest.put("/peer.py", GuestImage.resource("peer.py"));
        guest.put("/cm.py", GuestImage.resource("cm.py"));
        guest.succeed("rdma link show " + GUEST_DEVICE
                + "/1 2>/dev/null || { modprobe -a rdma_rxe rdma_ucm ib_uverbs ib_umad"
                + " && ip link set lo up && ip link set eth0 mtu " + STANDARD_MTU + " up && ip addr add " + GUEST_IP4
                + "/24 dev eth0 && ip -6 addr add " + GUEST_IP6 + "/64 dev eth0 nodad && rdma link add " + GUEST_DEVICE
                + " type rxe netdev eth0; }");
        setMtu(STANDARD_MTU);
    }

    /** The guest. */
    public Guest guest() {
        return guest;
    }

    /** Describes how to enter the namespace, with the tools. */
    public String hint() {
        return "ip netns exec " + namespace + " COMMAND; console of the guest: " + directory.resolve("console.log");
    }

    /** Versions of the guest's parts, and its accelerator. */
    public String description() throws IOException {
        return image.versions() + ", QEMU with " + Qemu.accelerator();
    }

    /** Sets the MTU of all interfaces, here and in the guest: 1500 or 9000. */
    public void setMtu(int bytes) throws IOException {
        wiring.setMtu(bytes);
        guest.succeed("ip link set eth0 mtu " + bytes);
    }

    /** Takes this machine's end of the link to the guest up or down; the guest does not notice. */
    public void setLink(boolean up) throws IOException {
        HostCommands.run(List.of("ip", "-n", namespace, "link", "set", LINK, up ? "up" : "down"));
    }

    /** Starts a program of this machine in the namespace. */
    public Running start(List<String> words, Map<String, String> environment) throws IOException {
        return launch(words, environment);
    }

    private HostProgram launch(List<String> words, Map<String, String> environment) throws IOException {
        List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        command.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        return new HostProgram(builder, directory.resolve("program" + programs++));
    }

    /**
     * Starts a program of this machine in the namespace that takes commands.
     *
     * @param words command line, to which the path of the Unix socket is added
     */
    public Talk talk(List<String> words, Map<String, String> environment) throws IOException {
        Path socket = directory.resolve("socket" + programs++);
        List<String> command = new ArrayList<>(words);
        command.add(socket.toString());
        return new HostTalk(socket, () -> launch(command, environment));
    }

    /** Starts to capture all frames to and from the guest in a file. */
    public Capture capture(Path file) throws IOException {
        return Capture.start(namespace, image.judges(), file);
    }

    /** Wireshark's reader of captures. */
    public Tshark tshark() {
        return new Tshark(image.judges());
    }

    /** Disconnects from the guest, which continues to run. */
    @Override
    public void close() throws IOException {
        guest.close();
        lock.close();
    }
}
