// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Guid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.LocalDirectory;
import io.rdma4j.base.local.PrivateDirectory;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.SysfsFiles;
import io.rdma4j.verbs.local.RunDirectory;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of the devices, for programs that look into {@code /sys/class/infiniband} and {@code /dev/infiniband}. They
 * lie in a directory of this process below the run directory; C replaces the paths. The next process that makes such a
 * directory removes those of killed processes.
 */
final class SysfsTree {
    /** Below the run directory. */
    private static final String PROGRAMS = "programs";

    private static final String ENTRY_PREFIX = "program";
    private static final int VERBS_MAJOR = 231;
    private static final int VERBS_BASE_MINOR = 192;
    private static final int PORT = 1;

    /** Of the kernel. An interface without an adapter, such as that of the loopback, has no {@code device}. */
    private static final Path NET_CLASS = Path.of("/sys/class/net");

    private static @Nullable SysfsTree current;

    private final Path root;
    private final ServerSocketChannel alive;

    private SysfsTree(Path root, ServerSocketChannel alive) {
        this.root = root;
        this.alive = alive;
    }

    /** Writes the files once, and their directory into a buffer: address, bytes. */
    static synchronized int write(CallArguments a) {
        SysfsTree tree = current;
        if (tree == null) {
            try {
                tree = create();
            } catch (IOException e) {
                System.err.println("rdma4j: there are no files of the devices: " + e.getMessage());
                throw new RdmaException(Errno.EIO, "the files of the devices cannot be written", e);
            }
            current = tree;
        }
        String path = tree.root.toString();
        if (path.getBytes(StandardCharsets.UTF_8).length >= a.small(1)) {
            throw new RdmaException(Errno.ENOMEM, path + " is longer than " + a.small(1) + " bytes");
        }
        CMemory.putText(a.number(0), path, a.small(1));
        return 0;
    }

    private static SysfsTree create() throws IOException {
        Path folder = RunDirectory.configured().root().resolve(PROGRAMS);
        LocalDirectory programs = new LocalDirectory(folder);
        programs.create();
        programs.sweepDrafts();
        programs.living(ENTRY_PREFIX);
        Path draft = programs.root().resolve("." + ProcessHandle.current().pid());
        Files.createDirectory(draft);
        try {
            ServerSocketChannel alive = LocalDirectory.listen(draft.resolve(LocalDirectory.SOCKET), 0);
            SysfsTree tree = new SysfsTree(draft, alive);
            tree.writeDevices();
            return new SysfsTree(programs.publish(draft, ENTRY_PREFIX).toRealPath(), alive);
        } catch (IOException | RuntimeException e) {
            PrivateDirectory.deleteTree(draft);
            throw e;
        }
    }

    /** The addresses of a device may be others after it was opened. */
    static synchronized void opened(Device device, Context context) {
        SysfsTree tree = current;
        if (tree != null) {
            try {
                tree.writePort(device, context);
            } catch (IOException e) {
                throw new RdmaException(Errno.EIO, "the files of " + device.name() + " cannot be written", e);
            }
        }
    }

    /** Deletes the files when the process ends. */
    static synchronized void remove() throws IOException {
        SysfsTree tree = current;
        if (tree != null) {
            current = null;
            try (tree.alive) {
                PrivateDirectory.deleteTree(tree.root);
            }
        }
    }

    private void writeDevices() throws IOException {
        Files.createDirectories(root.resolve("sys/class/infiniband"));
        write("sys/class/infiniband_verbs/abi_version", "6");
        write("sys/class/infiniband_ucma/abi_version", "4");
        write("dev/infiniband/rdma_cm", "");
        List<Device> devices = DeviceVerbs.devices();
        for (int i = 0; i < devices.size(); i++) {
            Device device = devices.get(i);
            String verbs = "sys/class/infiniband_verbs/uverbs" + i + "/";
            write("dev/infiniband/uverbs" + i, "");
            write(verbs + "ibdev", device.name());
            write(verbs + "abi_version", "1");
            write(verbs + "dev", VERBS_MAJOR + ":" + (VERBS_BASE_MINOR + i));
            writeDevice(device);
        }
    }

    private void writeDevice(Device device) throws IOException {
        String folder = folder(device);
        write(folder + "node_type", SysfsFiles.nodeType(device.nodeType()));
        write(folder + "node_guid", Guid.toString(device.guid()));
        write(folder + "node_desc", device.nodeDescription());
        write(folder + "device/numa_node", "-1");
        try (Context context = device.openToQuery()) {
            DeviceAttributes attributes = context.queryDevice();
            write(folder + "sys_image_guid", Guid.toString(attributes.systemImageGuid()));
            write(folder + "fw_ver", attributes.firmwareVersion());
            writePort(device, context);
        } catch (RdmaException e) {
            // Another process has the device: ibv_open_device says so.
            Files.createDirectories(root.resolve(folder + "ports/" + PORT));
        }
    }

    private static String folder(Device device) {
        return "sys/class/infiniband/" + device.name() + "/";
    }

    private void writePort(Device device, Context context) throws IOException {
        String folder = folder(device) + "ports/" + PORT + "/";
        PortAttributes port = context.queryPort(PORT);
        for (var file : SysfsFiles.port(port).entrySet()) {
            write(folder + file.getKey(), file.getValue());
        }
        for (int i = 0; i < port.pkeyTableLength(); i++) {
            write(folder + "pkeys/" + i, SysfsFiles.pkey(context.queryPkey(PORT, i)));
        }
        for (GidEntry entry : context.queryGidTable()) {
            write(folder + "gids/" + entry.index(), SysfsFiles.gid(entry.gid()));
            write(folder + "gid_attrs/types/" + entry.index(), entry.type().text());
            write(folder + "gid_attrs/ndevs/" + entry.index(), entry.netDeviceName());
            if (Files.exists(NET_CLASS.resolve(entry.netDeviceName()).resolve("device"))) {
                Files.createDirectories(root.resolve(folder(device) + "device/net/" + entry.netDeviceName()));
            }
        }
    }

    private void write(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        PrivateDirectory.write(file, text.isEmpty() ? "" : text + "\n");
    }
}
