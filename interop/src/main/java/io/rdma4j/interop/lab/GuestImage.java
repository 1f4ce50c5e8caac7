// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * The parts of the guest: a Debian kernel with the necessary modules, and an initramfs with rdma-core, which is the
 * only file system. A second tree contains the tools that read captures; they run on this machine.
 *
 * <p>All parts are in a cache directory. They are built again only when this class or its resources change.
 */
public final class GuestImage {
    private static final List<String> GUEST = List.of(
            "busybox-static",
            "dash",
            "coreutils",
            "grep",
            "procps",
            "iproute2",
            "kmod",
            "rdma-core",
            "ibverbs-providers",
            "ibverbs-utils",
            "rdmacm-utils",
            "perftest",
            "infiniband-diags",
            "python3",
            "python3-pyverbs");

    private static final List<String> JUDGES = List.of("tshark", "tcpdump");

    /** Names of ordinary Debian kernels; other kernels have additional words: cloud, rt, unsigned. */
    private static final Pattern KERNEL = Pattern.compile("linux-image-[\\d.]+(-\\d+|\\+deb\\d+)-amd64");

    private static final List<String> MODULES = List.of(
            "virtio_pci",
            "virtio_console",
            "virtio_net",
            "virtio_rng",
            "rdma_rxe",
            "rdma_ucm",
            "ib_uverbs",
            "ib_umad",
            "crc32_generic",
            "crc32c_generic",
            "sch_netem",
            "sch_prio",
            "sch_ingress",
            "cls_u32",
            "act_mirred",
            "act_csum",
            "ifb");

    private final Path cache;

    private GuestImage(Path cache) {
        this.cache = cache;
    }

    /**
     * Returns the image in a cache directory, and builds it if necessary; requires root and Debian or a derivative. If
     * several processes call it, one builds and the others wait.
     *
     * @param limit maximum duration of a download
     * @throws LabException if the packages are not available
     */
    public static GuestImage prepare(Path cache, Duration limit) throws IOException {
        GuestImage image = new GuestImage(cache);
        Files.createDirectories(cache);
        try (FileChannel file =
                        FileChannel.open(cache.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = file.lock()) {
            if (!isPrepared(cache)) {
                Files.deleteIfExists(mark(cache));
                image.build(limit);
                Files.writeString(mark(cache), key());
            }
        }
        return image;
    }

    /** File with the name of the complete image. */
    private static Path mark(Path cache) {
        return cache.resolve("key");
    }

    /** Cache directory of the user: {@code XDG_CACHE_HOME}, or {@code ~/.cache}. */
    public static Path userCache() {
        String named = System.getenv("XDG_CACHE_HOME");
        Path base =
                named == null || named.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(named);
        return base.resolve("rdma4j").resolve("interop");
    }

    /** True if {@link #prepare} does not have to build. */
    public static boolean isPrepared(Path cache) throws IOException {
        return Files.exists(mark(cache)) && Files.readString(mark(cache)).equals(key());
    }

    Path kernel() {
        return cache.resolve("kernel");
    }

    /** Root directory of the tools that read captures. */
    Path judges() {
        return cache.resolve("judges");
    }

    /** Version of the kernel, and of the relevant packages. */
    public String versions() throws IOException {
        return Files.readString(cache.resolve("versions"));
    }

    /** The initramfs. */
    Path initrd() {
        return cache.resolve("initrd");
    }

    static byte[] resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(GuestImage.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        }
    }

    private static String key() throws IOException {
        CRC32 crc = new CRC32();
        crc.update((GUEST + " " + JUDGES + " " + MODULES).getBytes(StandardCharsets.UTF_8));
        crc.update(resource("init"));
        crc.update(resource("agent.py"));
        return "4:" + crc.getValue();
    }

    private void build(Duration limit) throws IOException {
        DebianTree packages = DebianTree.whole(cache.resolve("packages"), limit);
        Path guest = cache.resolve("guest");
        DebianTree.begin(guest);
        packages.unpack(GUEST, guest);
        String kernel = kernelPackage();
        packages.unpackAlone(kernel, guest);
        DebianTree.begin(judges());
        packages.unpack(JUDGES, judges());
        String version = moveKernel(guest);
        writeInitrd(guest, version);
        Files.writeString(cache.resolve("versions"), "Linux " + version + ", rdma-core " + rdmaCore());
        DebianTree.delete(guest);
    }

    private static String kernelPackage() throws IOException {
        return DebianTree.names("linux-image-").stream()
                .filter(name -> KERNEL.matcher(name).matches())
                .max(Comparator.comparing(GuestImage::numbers))
                .orElseThrow(() -> new LabException("apt knows no package linux-image-VERSION-amd64"));
    }

    /** Numbers of a name in a form that can be compared as text. */
    private static String numbers(String name) {
        StringBuilder key = new StringBuilder();
        for (String number : name.split("\\D+", -1)) {
            if (!number.isEmpty()) {
                key.append(String.format("%06d.", Long.parseLong(number)));
            }
        }
        return key.toString();
    }

    private String moveKernel(Path guest) throws IOException {
        try (Stream<Path> files = Files.list(guest.resolve("boot"))) {
            Path image = files.filter(file -> file.getFileName().toString().startsWith("vmlinuz-"))
                    .findFirst()
                    .orElseThrow(() -> new LabException("the kernel's package has no /boot/vmlinuz-*"));
            Files.move(image, kernel(), StandardCopyOption.REPLACE_EXISTING);
            return image.getFileName().toString().substring("vmlinuz-".length());
        }
    }

    private static String rdmaCore() throws IOException {
        return HostCommands.run(List.of("apt-cache", "show", "--no-all-versions", "rdma-core"))
                .lines()
                .filter(line -> line.startsWith("Version: "))
                .map(line -> line.substring("Version: ".length()))
                .findFirst()
                .orElse("?");
    }

    private void writeInitrd(Path guest, String version) throws IOException {
        Path modules = guest.resolve("usr/lib/modules/" + version);
        HostCommands.run(List.of("chroot", guest.toString(), "depmod", version));
        Set<Path> wanted = closure(modules);
        try (CpioWriter cpio = new CpioWriter(new BufferedOutputStream(Files.newOutputStream(initrd())))) {
            cpio.add("init", 0755, resource("init"));
            cpio.add("agent.py", 0644, resource("agent.py"));
            try (Stream<Path> files = Files.walk(guest)) {
                files.filter(path -> !path.equals(guest))
                        .filter(path -> !isModule(path) || wanted.contains(path))
                        .forEach(path -> add(cpio, guest.relativize(path).toString(), path));
            }
        }
    }

    private static boolean isModule(Path path) {
        return path.toString().contains(".ko") && Files.isRegularFile(path);
    }

    private static void add(CpioWriter cpio, String name, Path file) {
        try {
            cpio.add(name, file);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }

    /**
     * Files of the requested modules and of their dependencies. Each line of modules.dep contains all dependencies of a
     * module.
     */
    private static Set<Path> closure(Path modules) throws IOException {
        Set<Path> files = new HashSet<>();
        for (String line : Files.readAllLines(modules.resolve("modules.dep"))) {
            List<String> words = new ArrayList<>(List.of(line.split(":? ", -1)));
            words.replaceAll(word -> word.endsWith(":") ? word.substring(0, word.length() - 1) : word);
            String name = words.getFirst().replaceAll(".*/", "").replaceAll("\\.ko.*", "");
            if (MODULES.contains(name.replace('-', '_'))) {
                words.forEach(word -> files.add(modules.resolve(word)));
            }
        }
        return files;
    }
}
