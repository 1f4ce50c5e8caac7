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
 * A guest with the unmodified Linux driver on one side, programs of this machine on the other, in a network namespace that nobody else sees. One
 * thread.
 *
 * <p>The state lies in a directory; whoever finds a lab there that is up can use it. What it starts is recorded by process id and ended by it.
 */
public final class Lab implements AutoCloseable {
    /** Address of this machine's Linux. */
    public static final String HOST_IP4 = "10.77.0.1";

    /** The same for IPv6. */
    public static final String HOST_IP6 = "fd77::1";

    /** Address of the guest. */
    public static final String GUEST_IP4 = "10.77.0.2";

    /** The same for IPv6. */
    public static final String GUEST_IP6 = "fd77::2";

    /** Ethernet address of the guest. */
    public static final String GUEST_MAC = "52:54:00:77:00:02";

    /** The RDMA device of the guest. */
    public static final String GUEST_DEVICE = "rxe0";

    private static final Duration BOOT = Duration.ofMinutes(5);

    /**
     * With two emulated CPUs the guest's kernel now and then runs into an instruction that the other CPU is just patching, and gives up while it boots. Then it boots
     * again.
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
     * The lab of a name: the one that is up, or a new one.
     *
     * @param name of namespace and directory
     * @throws LabException if somebody uses it, or the guest does not come up
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

    /** Ends the guest of a lab, and takes its namespace and its files away; does nothing if there is none. */
    public static void down(String name) throws IOException {
        Qemu.stop(directory(name));
        new Wiring(name).down();
        DebianTree.delete(directory(name));
    }

    /** Waits until the guest can be talked to; false if it has ended, or takes too long. */
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

    /** How to enter the namespace, and with which tools. */
    public String hint() {
        return "ip netns exec " + namespace + " COMMAND; console of the guest: " + directory.resolve("console.log");
    }

    /** Versions of what the guest consists of, and how it runs. */
    public String description() throws IOException {
        return image.versions() + ", QEMU with " + Qemu.accelerator();
    }

    /** Sets the MTU of all interfaces, here and in the guest: 1500 or 9000. */
    public void setMtu(int bytes) throws IOException {
        wiring.setMtu(bytes);
        guest.succeed("ip link set eth0 mtu " + bytes);
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
     * Starts a program of this machine in the namespace, to be talked to.
     *
     * @param words to which the path of the Unix socket is added that it shall connect to
     */
    public Talk talk(List<String> words, Map<String, String> environment) throws IOException {
        Path socket = directory.resolve("socket" + programs++);
        List<String> command = new ArrayList<>(words);
        command.add(socket.toString());
        return new HostTalk(socket, () -> launch(command, environment));
    }

    /** Begins to write all frames to and from the guest to a file. */
    public Capture capture(Path file) throws IOException {
        return Capture.start(namespace, image.judges(), file);
    }

    /** What others say of a capture. */
    public Tshark tshark() {
        return new Tshark(image.judges());
    }

    /** Lets go of the guest; it stays up. */
    @Override
    public void close() throws IOException {
        guest.close();
        lock.close();
    }
}
