// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.local;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Guid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.LocalDirectory;
import io.rdma4j.base.local.PrivateDirectory;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.spi.FoundDevice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Directory in which processes publish the devices that they serve. Corresponds to {@code /sys/class/infiniband_verbs}
 * and {@code /dev/infiniband} of libibverbs.
 *
 * <pre>
 *   ROOT/abi_version           version of this layout
 *   ROOT/uverbs0/ibdev         name of the device        abi_version   of the commands
 *                node_type     {@code 1: CA}                  node_guid     EUI-64
 *                driver_id     see {@link io.rdma4j.verbs.spi.DeviceOps#driverId}
 *                process       number of the process that serves it, a random number, its name
 *                endpoints     IP address and UDP port, a line each
 *                netns         network namespace of that process; processes of other namespaces ignore the entry
 *                control       the socket to connect to
 *                memory        a link to the server's {@link ServerMemory}, if there is one
 * </pre>
 *
 * <p>ROOT is a private directory of this user: mode 0700, no symbolic link, and no other user can replace it. A root
 * that another user can change is rejected, because its entries could lead to that user's sockets.
 *
 * <p>An entry appears and vanishes as a whole; names of incomplete entries begin with a dot. The next process that
 * lists or publishes devices removes the entries of killed processes. Any thread, any process.
 */
public final class RunDirectory {
    /** System property with the root directory. */
    public static final String ROOT_PROPERTY = "rdma4j.run";

    /** Environment variable with the root directory; the system property takes precedence. */
    public static final String ROOT_VARIABLE = "RDMA4J_RUN";

    /** Version of the layout. */
    public static final int ABI_VERSION = 1;

    /** Name of the link from an entry to the {@link ServerMemory} of its server; informative, no process follows it. */
    public static final String MEMORY = "memory";

    private static final String ENTRY_PREFIX = "uverbs";

    /** Version of the commands of an entry that does not name one. */
    private static final int NO_VERSION = -1;

    /** Capacity of {@code sockaddr_un} without the terminating zero. */
    private static final int MAX_ENDPOINT_BYTES = 107;

    private final LocalDirectory files;

    /**
     * Creates an object for this path; creates no directory.
     *
     * @param root need not exist
     */
    public RunDirectory(Path root) {
        this.files = new LocalDirectory(root);
    }

    /**
     * {@return the directory of the property or the variable; by default {@link #ofUser}} Corresponds to
     * {@code ibv_get_sysfs_path}.
     */
    public static RunDirectory configured() {
        String named = System.getProperty(ROOT_PROPERTY, System.getenv(ROOT_VARIABLE));
        if (named != null && !named.isBlank()) {
            return new RunDirectory(Path.of(named));
        }
        return new RunDirectory(ofUser());
    }

    /**
     * {@return the private directory of this user: below {@code XDG_RUNTIME_DIR} if set, else below the directory for
     * temporary files}
     */
    public static Path ofUser() {
        return ofUser(System.getenv("XDG_RUNTIME_DIR"));
    }

    /** An empty variable and a relative path count as unset, as the XDG specification requires. */
    static Path ofUser(@Nullable String runtime) {
        return runtime != null && Path.of(runtime).isAbsolute()
                ? Path.of(runtime, "rdma4j")
                : Path.of(System.getProperty("java.io.tmpdir"), "rdma4j-" + System.getProperty("user.name"));
    }

    /** {@return the root directory} */
    public Path root() {
        return files.root();
    }

    LocalDirectory files() {
        return files;
    }

    /**
     * {@return the reachable devices, in no particular order} Leaves out incomplete entries, entries of other network
     * namespaces and entries whose endpoint this process cannot access. Removes entries of killed processes.
     * Corresponds to {@code find_sysfs_devs}.
     *
     * @throws RdmaException ENOSYS if the directory does not exist or has another layout version, EACCES if another
     *     user can change the directory, ENOMEM if a path is too long for a socket
     */
    public List<FoundDevice> scan() {
        ServerMemory.sweep();
        checkPrivate();
        checkVersion();
        checkLength(root().resolve(ENTRY_PREFIX + 0).resolve(FoundDevice.ENDPOINT));
        List<FoundDevice> found = new ArrayList<>();
        try {
            for (Path entry : files.living(ENTRY_PREFIX)) {
                FoundDevice device = Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS) ? read(entry) : null;
                if (device != null) {
                    found.add(device);
                }
            }
        } catch (IOException e) {
            throw new RdmaException(Errno.ENOSYS, root() + " cannot be listed", e);
        }
        return found;
    }

    private void checkPrivate() {
        try {
            files.check();
        } catch (NoSuchFileException e) {
            throw noDevices();
        } catch (AccessDeniedException e) {
            throw new RdmaException(e.getReason() == null ? Errno.ENOSYS : Errno.EACCES, refusal(e), e);
        } catch (IOException e) {
            throw new RdmaException(Errno.ENOSYS, root() + " cannot be checked", e);
        }
    }

    private static String refusal(AccessDeniedException e) {
        return "the folder of served devices " + e.getMessage() + " (property " + ROOT_PROPERTY + ", variable "
                + ROOT_VARIABLE + ")";
    }

    private RdmaException noDevices() {
        return new RdmaException(Errno.ENOSYS, "no process tells of devices in " + root());
    }

    private void checkVersion() {
        String version = text(root(), "abi_version");
        if (version == null) {
            throw noDevices();
        }
        if (!version.equals(Integer.toString(ABI_VERSION))) {
            throw new RdmaException(
                    Errno.ENOSYS,
                    root() + " has version " + version + " of its layout, this library reads " + ABI_VERSION);
        }
    }

    private static boolean isTooLong(Path endpoint) {
        return endpoint.toString().getBytes(StandardCharsets.UTF_8).length > MAX_ENDPOINT_BYTES;
    }

    private static void checkLength(Path endpoint) {
        if (isTooLong(endpoint)) {
            throw new RdmaException(
                    Errno.ENOMEM, endpoint + " is too long: the path of a socket has " + MAX_ENDPOINT_BYTES + " bytes");
        }
    }

    /** Null if the entry is of another network namespace, is incomplete, or vanishes while it is read. */
    private static @Nullable FoundDevice read(Path entry) {
        String name = text(entry, "ibdev");
        int abiVersion = number(entry, "abi_version", NO_VERSION);
        Path endpoint = entry.resolve(FoundDevice.ENDPOINT);
        if (name == null
                || abiVersion == NO_VERSION
                || isTooLong(endpoint)
                || !Files.isReadable(endpoint)
                || !Files.isWritable(endpoint)
                || !EntryDetails.isInThisNamespace(entry)) {
            return null;
        }
        EntryDetails details = EntryDetails.read(entry);
        try {
            return new FoundDevice(
                    entry.getFileName().toString(),
                    name,
                    entry,
                    -1,
                    abiVersion,
                    nodeType(number(entry, "node_type", NodeType.UNKNOWN.code())),
                    number(entry, "driver_id", 0),
                    // Read last: an entry that is still there now was there when the other files were read.
                    Files.getLastModifiedTime(entry.resolve("ibdev")),
                    details.server(),
                    details.ofThisProcess(),
                    details.endpoints());
        } catch (IOException e) {
            return null;
        }
    }

    private static NodeType nodeType(int code) {
        for (NodeType type : NodeType.values()) {
            if (type.code() == code) {
                return type;
            }
        }
        return NodeType.UNKNOWN;
    }

    /** Parses the text before the colon; a readable description follows it. */
    private static int number(Path entry, String file, int ifAbsent) {
        String text = text(entry, file);
        try {
            return text == null ? ifAbsent : Integer.parseInt(text.split(":", 2)[0].strip());
        } catch (NumberFormatException e) {
            return ifAbsent;
        }
    }

    static @Nullable String text(Path entry, String file) {
        try {
            return Files.readString(entry.resolve(file)).strip();
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Publishes a device.
     *
     * @param device of this process
     * @param abiVersion version of the commands that the endpoint supports
     * @param furnish receives the path of the endpoint and creates the socket, before other processes see the entry
     * @return the entry; {@link #withdraw} removes it
     * @throws RdmaException ENOMEM if the path is too long for a socket, EACCES if another user can change the
     *     directory, EIO if the entry cannot be created
     */
    public Path publish(ServedDevice device, int abiVersion, Consumer<Path> furnish) {
        Path draft = root().resolve("." + ProcessHandle.current().pid() + "-" + device.name());
        checkLength(draft.resolve(FoundDevice.ENDPOINT));
        try {
            files.create();
            write(root(), "abi_version", ABI_VERSION);
            ServerMemory.sweep();
            files.sweepDrafts();
            files.living(ENTRY_PREFIX);
            Files.createDirectory(draft);
            write(draft, "ibdev", device.name());
            write(draft, "abi_version", abiVersion);
            write(draft, "node_type", device.nodeType().code() + ": " + device.nodeType());
            write(draft, "node_guid", Guid.toString(device.guid()));
            write(draft, "driver_id", device.driverId());
            EntryDetails.write(draft, device);
            furnish.accept(draft.resolve(FoundDevice.ENDPOINT));
            return files.publish(draft, ENTRY_PREFIX);
        } catch (AccessDeniedException e) {
            throw new RdmaException(Errno.EACCES, refusal(e), e);
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, "no entry of " + device + " can be made in " + root(), e);
        }
    }

    private static void write(Path entry, String file, Object value) throws IOException {
        PrivateDirectory.write(entry.resolve(file), value + "\n");
    }

    /**
     * Writes the addresses that the device has now into an entry.
     *
     * @param entry a result of {@link #publish}
     * @param device of this process
     * @throws RdmaException EIO if the entry cannot be written
     */
    public static void updateAddresses(Path entry, ServedDevice device) {
        try {
            EntryDetails.writeEndpoints(entry, device);
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, "the addresses of " + device + " cannot be written to " + entry, e);
        }
    }

    /**
     * Removes an entry with its contents. Other processes see all of it or nothing. Removes symbolic links and does not
     * follow them.
     *
     * @param entry a result of {@link #publish}; may be removed already
     * @throws RdmaException EIO if it cannot be removed
     */
    public static void withdraw(Path entry) {
        Path hidden = entry.resolveSibling("." + ProcessHandle.current().pid() + "-" + entry.getFileName() + "-gone");
        try {
            Files.move(entry, hidden, StandardCopyOption.ATOMIC_MOVE);
            PrivateDirectory.deleteTree(hidden);
        } catch (NoSuchFileException e) {
            // Another process has removed it.
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, entry + " cannot be removed", e);
        }
    }
}
