// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.IpStack;
import io.rdma4j.loop.InterruptVector;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.net.DeviceAttribute;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.MachineFunctions;
import io.rdma4j.netlab.RxeModule;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;

/**
 * Files of a machine in a namespace, as Linux has them below {@code /proc} and {@code /sys}: attributes of devices,
 * statistics and settings of the loop, groups of senders, RDMA devices.
 */
final class MachineFiles {
    private static final String SYS = "/sys";
    private static final String CLASS = SYS + "/class/net/";
    private static final String NAMESPACES = "/run/netns/";

    private final ShellSession session;

    MachineFiles(ShellSession session) {
        this.session = session;
    }

    /**
     * @throws RdmaException ENOENT if there is no such file, EINVAL if it has no text
     */
    String read(String path) {
        return tree(path).attribute(path).show().get();
    }

    /**
     * @throws RdmaException ENOENT if there is no such file, EACCES if it is read-only, or the error of the attribute
     */
    void write(String path, String value) {
        tree(path).attribute(path).store().accept(value.strip());
    }

    /** The paths that match a pattern; the pattern itself if none matches. */
    List<String> matching(String pattern) {
        return tree(pattern).matching(pattern);
    }

    /** Returns all files; files of RDMA ports only if the path contains {@code infiniband}. */
    FileTree tree(String path) {
        FileTree files = new FileTree();
        addLoop(files);
        addInterrupts(files);
        GroupFiles.add(files, session);
        addModule(files);
        InfinibandFiles.add(files, session, path.contains("infiniband"));
        session.namespace().devices().forEach(device -> addDevice(files, device));
        IpStack stack = session.machine().stack(session.namespace());
        files.value(
                "/proc/sys/net/ipv4/ip_forward",
                number(() -> stack.isForwarding() ? 1 : 0, value -> stack.setForwarding(value != 0)));
        files.link("/proc/self/ns/net", identity(session.namespace()));
        files.link("/proc/1/ns/net", identity(session.machine().net().initial()));
        session.machine().namespaces().forEach((name, namespace) -> {
            if (!name.equals(Machine.INITIAL)) {
                files.value(NAMESPACES + name, DeviceAttribute.readOnly(() -> identity(namespace)));
            }
        });
        return files;
    }

    private void addDevice(FileTree files, NetDevice device) {
        String folder = device.node().path();
        files.link(CLASS + device.name(), "../.." + folder.substring(SYS.length()));
        session.namespace()
                .attributes()
                .of(device)
                .forEach((path, attribute) -> files.value(folder + "/" + path, attribute));
        if (MachineFunctions.isPossible(device)) {
            MachineFunctions functions = session.machine().functions();
            files.value(folder + "/device/sriov_totalvfs", DeviceAttribute.readOnly(() -> "" + MachineFunctions.TOTAL));
            files.value(
                    folder + "/device/sriov_numvfs",
                    number(
                            () -> functions.count(device),
                            count -> session.change(() -> functions.count(device, count))));
        }
    }

    private void addModule(FileTree files) {
        RxeModule module = session.machine().rxeModule();
        if (module.isLoaded()) {
            String folder = "/sys/module/" + RxeModule.NAME + "/";
            files.value(folder + "initstate", DeviceAttribute.readOnly(() -> "live"));
            files.value(folder + "refcnt", DeviceAttribute.readOnly(() -> Integer.toString(module.users())));
        }
    }

    private void addLoop(FileTree files) {
        NetLoop loop = session.machine().loop();
        files.value(
                "/proc/net/softnet_stat",
                DeviceAttribute.readOnly(() ->
                        String.join("\n", loop.exclusively(() -> loop.softnet().lines()))));
        files.value("/proc/sys/net/core/netdev_budget", number(loop::budget, loop::budget));
        files.value(
                "/proc/sys/net/core/netdev_max_backlog",
                number(
                        () -> loop.softnet().maxBacklog(),
                        packets -> loop.softnet().maxBacklog(packets)));
    }

    private void addInterrupts(FileTree files) {
        var interrupts = session.machine().loop().interrupts();
        files.value("/proc/interrupts", DeviceAttribute.readOnly(() -> String.join("\n", interrupts.lines())));
        for (InterruptVector vector : interrupts.vectors()) {
            int irq = vector.number();
            files.value(
                    "/proc/irq/" + irq + "/smp_affinity",
                    new DeviceAttribute(
                            () -> mask(vector.affinity()), text -> interrupts.affinity(irq, parseMask(text))));
        }
    }

    private static String identity(NetNamespace namespace) {
        return "net:[" + namespace.id() + "]";
    }

    private static DeviceAttribute number(IntSupplier show, IntConsumer store) {
        return new DeviceAttribute(() -> Integer.toString(show.getAsInt()), text -> {
            long value = parse(text);
            if (value != (int) value) {
                throw new RdmaException(Errno.EINVAL, text + " does not fit in 32 bits");
            }
            store.accept((int) value);
        });
    }

    static long parse(String text) {
        try {
            return Long.decode(text);
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, "\"" + text + "\" is no number", e);
        }
    }

    /** 32-bit words separated by commas, as Linux formats masks. */
    private static String mask(long bits) {
        return bits >>> Integer.SIZE == 0
                ? Long.toHexString(bits)
                : String.format(Locale.ROOT, "%x,%08x", bits >>> Integer.SIZE, bits & 0xFFFF_FFFFL);
    }

    private static long parseMask(String text) {
        try {
            return Long.parseUnsignedLong(text.replace(",", ""), 16);
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, "\"" + text + "\" is no hexadecimal mask", e);
        }
    }
}
