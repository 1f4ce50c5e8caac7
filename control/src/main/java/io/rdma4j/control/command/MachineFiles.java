package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.control.Machine;
import io.rdma4j.control.MachineFunctions;
import io.rdma4j.control.RxeModule;
import io.rdma4j.net.Attribute;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ip.IpStack;
import io.rdma4j.net.loop.InterruptVector;
import io.rdma4j.net.loop.NetLoop;
import io.rdma4j.net.ns.NetNamespace;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;

/**
 * What a machine shows of itself as text by path, as Linux does below {@code /proc} and {@code /sys}: the attributes of its devices,
 * what its loop has done and how it works, groups of senders, RDMA devices. Seen from a namespace.
 */
final class MachineFiles {
    private static final String SYS = "/sys";
    private static final String CLASS = SYS + "/class/net/";
    private static final String NAMESPACES = "/run/netns/";

    private final Session session;

    MachineFiles(Session session) {
        this.session = session;
    }

    /**
     * @throws RdmaException ENOENT if there is no such file, EINVAL if it has no text
     */
    String read(String path) {
        return tree(path).attribute(path).show().get();
    }

    /** @throws RdmaException ENOENT if there is no such file, EACCES if it is read-only, and what is refused */
    void write(String path, String value) {
        tree(path).attribute(path).store().accept(value.strip());
    }

    /** The paths that a pattern means; the pattern itself if it means none. */
    List<String> matching(String pattern) {
        return tree(pattern).matching(pattern);
    }

    /** All files, and of RDMA ports those that a path can mean. */
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
                files.value(NAMESPACES + name, Attribute.readOnly(() -> identity(namespace)));
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
            files.value(folder + "/device/sriov_totalvfs", Attribute.readOnly(() -> "" + MachineFunctions.TOTAL));
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
            files.value(folder + "initstate", Attribute.readOnly(() -> "live"));
            files.value(folder + "refcnt", Attribute.readOnly(() -> Integer.toString(module.users())));
        }
    }

    private void addLoop(FileTree files) {
        NetLoop loop = session.machine().loop();
        files.value(
                "/proc/net/softnet_stat",
                Attribute.readOnly(() ->
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
        files.value("/proc/interrupts", Attribute.readOnly(() -> String.join("\n", interrupts.lines())));
        for (InterruptVector vector : interrupts.vectors()) {
            int irq = vector.number();
            files.value(
                    "/proc/irq/" + irq + "/smp_affinity",
                    new Attribute(() -> mask(vector.affinity()), text -> interrupts.affinity(irq, parseMask(text))));
        }
    }

    private static String identity(NetNamespace namespace) {
        return "net:[" + namespace.id() + "]";
    }

    private static Attribute number(IntSupplier show, IntConsumer store) {
        return new Attribute(() -> Integer.toString(show.getAsInt()), text -> {
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

    /** Words of 32 bits with commas between them, as Linux shows masks. */
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
