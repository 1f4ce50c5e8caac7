// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** The QEMU process of the guest. Its process id is recorded in the lab's directory. */
final class Qemu {
    private static final String MEMORY_MIB = "1024";
    private static final String CPUS = "2";

    /** Limit of the virtual interface (jumbo frames); the guest sets the MTU. */
    private static final int MOST_MTU = 9000;

    /** CPU model without pclmulqdq, because emulated it is slower than a CRC by table. */
    private static final String EMULATED_CPU = "qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt,+cx16,+rdrand,+rdtscp,+fsgsbase";

    private static final Pattern VIRTUALISATION = Pattern.compile("\\b(vmx|svm)\\b");

    private static final String CONSOLE = "console.log";

    private static final String PROGRAM = "qemu-system-x86_64";

    private Qemu() {}

    static void start(Path directory, String namespace, Path kernel, Path initrd) throws IOException {
        List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", namespace, PROGRAM));
        words.addAll(machine());
        words.addAll(List.of("-kernel", kernel.toString(), "-initrd", initrd.toString()));
        words.addAll(
                List.of(
                        "-append",
                        "console=ttyS0 quiet loglevel=4 panic=-1 no_timer_check tsc=reliable mitigations=off nokaslr rdinit=/init"));
        words.addAll(List.of("-netdev", "tap,id=net,ifname=" + Wiring.GUEST_TAP + ",script=no,downscript=no"));
        words.addAll(List.of(
                "-device", "virtio-net-pci,netdev=net,mac=" + Lab.GUEST_MAC + ",romfile=,host_mtu=" + MOST_MTU));
        words.addAll(List.of("-device", "virtio-rng-pci", "-device", "virtio-serial-pci"));
        for (int port = 0; port < Guest.PORTS; port++) {
            Path socket = Guest.socket(directory, port);
            words.addAll(List.of("-chardev", "socket,id=port" + port + ",path=" + socket + ",server=on,wait=off"));
            words.addAll(List.of("-device", "virtserialport,chardev=port" + port + ",name=rdma4j" + port));
        }
        words.addAll(List.of("-serial", "file:" + directory.resolve(CONSOLE)));
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(log(directory).toFile())
                .start();
        Files.writeString(pidFile(directory), Long.toString(process.pid()));
        while (process.isAlive() && running(directory).isEmpty()) {
            Thread.onSpinWait(); // until exec has replaced the new process
        }
    }

    private static List<String> machine() throws IOException {
        String accelerator = accelerator();
        boolean kvm = accelerator.equals("kvm");
        return List.of(
                "-M",
                "q35,usb=off,smbus=off,hpet=off",
                "-nodefaults",
                "-no-user-config",
                "-no-reboot",
                "-display",
                "none",
                "-accel",
                kvm ? "kvm" : "tcg,thread=multi,tb-size=256",
                "-cpu",
                kvm ? "host" : EMULATED_CPU,
                "-smp",
                CPUS,
                "-m",
                MEMORY_MIB);
    }

    /** Chooses KVM if the processor has virtualisation. If /dev/kvm is itself emulated in software, TCG is faster. */
    static String accelerator() throws IOException {
        boolean hardware = VIRTUALISATION
                .matcher(Files.readString(Path.of("/proc/cpuinfo")))
                .find();
        return hardware && Files.isWritable(Path.of("/dev/kvm")) ? "kvm" : "tcg";
    }

    static boolean isAlive(Path directory) throws IOException {
        return running(directory).isPresent();
    }

    /** Ends the recorded process, if it still is the one that was started. */
    static void stop(Path directory) throws IOException {
        Optional<ProcessHandle> running = running(directory);
        if (running.isEmpty()) {
            return;
        }
        running.get().destroyForcibly();
        try {
            running.get().onExit().get(10, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the guest does not end", e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static Optional<ProcessHandle> running(Path directory) throws IOException {
        Path file = pidFile(directory);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        long pid = Long.parseLong(Files.readString(file));
        String words = commandLine(pid);
        // The launching process has the same arguments, and between fork and exec there are none for a moment.
        boolean ours = words.startsWith(PROGRAM) && words.contains(directory.toString());
        return ours ? ProcessHandle.of(pid) : Optional.empty();
    }

    /**
     * Reads the command line from /proc, because {@link ProcessHandle} does not return long ones; empty if there is no
     * such process.
     */
    private static String commandLine(long pid) throws IOException {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
        } catch (IOException e) {
            if (ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)) {
                throw e;
            }
            return ""; // the process has ended
        }
    }

    /** Error output of the process. */
    static String complaints(Path directory) throws IOException {
        return Files.readString(log(directory)) + console(directory);
    }

    /** Console output of the guest. */
    static String console(Path directory) throws IOException {
        Path console = directory.resolve(CONSOLE);
        return Files.exists(console) ? Files.readString(console) : "";
    }

    /** True if the guest's kernel panicked, which ends the process. */
    static boolean hasPanicked(Path directory) throws IOException {
        return !isAlive(directory) && console(directory).contains("Kernel panic");
    }

    private static Path pidFile(Path directory) {
        return directory.resolve("qemu.pid");
    }

    private static Path log(Path directory) {
        return directory.resolve("qemu.log");
    }
}
