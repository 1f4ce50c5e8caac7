// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.base.Guid;
import io.rdma4j.net.DeviceAttribute;
import io.rdma4j.net.NetDevice;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.SysfsFiles;
import java.util.List;
import java.util.function.Function;

/**
 * Adds the RDMA devices of a machine as files: {@code /sys/class/infiniband/NAME}, {@code
 * /sys/class/infiniband_verbs/uverbsN} and {@code /dev/infiniband/uverbsN}. N is the index in the list of devices.
 */
final class InfinibandFiles {
    /** {@code IB_USER_VERBS_ABI_VERSION}. */
    private static final String VERBS_ABI = "6";

    /** {@code RXE_UVERBS_ABI_VERSION}. */
    private static final String RXE_ABI = "2";

    /** {@code IB_UVERBS_MAJOR} and {@code IB_UVERBS_BASE_MINOR}. */
    private static final int MAJOR = 231;

    private static final int BASE_MINOR = 192;

    private static final int PORT = 1;
    private static final String CLASS = "/sys/class/infiniband/";
    private static final String VERBS_CLASS = "/sys/class/infiniband_verbs/";
    private static final String VIRTUAL = "devices/virtual/";

    private final FileTree files;
    private final ShellSession session;

    private InfinibandFiles(FileTree files, ShellSession session) {
        this.files = files;
        this.session = session;
    }

    /**
     * Adds the files of all current devices.
     *
     * @param ports true to add the files of the ports, for which each device is opened
     */
    static void add(FileTree files, ShellSession session, boolean ports) {
        InfinibandFiles infiniband = new InfinibandFiles(files, session);
        files.folder("/sys/class/infiniband");
        files.value(VERBS_CLASS + "abi_version", DeviceAttribute.readOnly(() -> VERBS_ABI));
        List<Device> devices = session.machine().rdma().devices();
        for (int i = 0; i < devices.size(); i++) {
            infiniband.addVerbs(devices.get(i), i);
            infiniband.addDevice(devices.get(i), ports);
        }
    }

    private void addVerbs(Device device, int index) {
        String name = "uverbs" + index;
        int minor = BASE_MINOR + index;
        String folder = "/sys/" + VIRTUAL + "infiniband_verbs/" + name + "/";
        files.link(VERBS_CLASS + name, "../../" + VIRTUAL + "infiniband_verbs/" + name);
        files.charDevice("/dev/infiniband/" + name, MAJOR, minor);
        constant(folder + "abi_version", RXE_ABI);
        constant(folder + "dev", MAJOR + ":" + minor);
        constant(folder + "ibdev", device.name());
        constant(folder + "uevent", "MAJOR=%d\nMINOR=%d\nDEVNAME=infiniband/%s".formatted(MAJOR, minor, name));
    }

    private void addDevice(Device device, boolean ports) {
        String folder = "/sys/" + VIRTUAL + "infiniband/" + device.name() + "/";
        files.link(CLASS + device.name(), "../../" + VIRTUAL + "infiniband/" + device.name());
        constant(folder + "node_type", SysfsFiles.nodeType(device.nodeType()));
        constant(folder + "node_guid", Guid.toString(device.guid()));
        files.value(folder + "node_desc", DeviceAttribute.readOnly(device::nodeDescription));
        opened(
                folder + "sys_image_guid",
                device,
                context -> Guid.toString(context.queryDevice().systemImageGuid()));
        opened(folder + "fw_ver", device, context -> context.queryDevice().firmwareVersion());
        NetDevice below = session.machine().below(device);
        if (below != null) {
            constant(folder + "parent", below.name());
        }
        files.folder(folder + "ports/" + PORT);
        if (ports) {
            addPort(device, folder + "ports/" + PORT + "/");
        }
    }

    private void addPort(Device device, String folder) {
        try (Context context = device.open()) {
            PortAttributes port = context.queryPort(PORT);
            for (String file : SysfsFiles.port(port).keySet()) {
                opened(
                        folder + file,
                        device,
                        open -> SysfsFiles.port(open.queryPort(PORT)).getOrDefault(file, ""));
            }
            for (int i = 0; i < port.gidTableLength(); i++) {
                addGid(device, folder, i);
            }
            for (int i = 0; i < port.pkeyTableLength(); i++) {
                int index = i;
                opened(folder + "pkeys/" + i, device, open -> SysfsFiles.pkey(open.queryPkey(PORT, index)));
            }
            for (String counter : context.queryHwCounters(PORT).keySet()) {
                opened(
                        folder + "hw_counters/" + counter,
                        device,
                        open -> Long.toString(open.queryHwCounters(PORT).getOrDefault(counter, 0L)));
            }
        }
    }

    private void addGid(Device device, String folder, int index) {
        opened(folder + "gids/" + index, device, context -> SysfsFiles.gid(context.queryGid(PORT, index)));
        opened(
                folder + "gid_attrs/types/" + index,
                device,
                context -> context.queryGidEntry(PORT, index).type().text());
        opened(
                folder + "gid_attrs/ndevs/" + index,
                device,
                context -> context.queryGidEntry(PORT, index).netDeviceName());
    }

    private void constant(String path, String text) {
        files.value(path, DeviceAttribute.readOnly(() -> text));
    }

    private void opened(String path, Device device, Function<Context, String> show) {
        files.value(path, DeviceAttribute.readOnly(() -> {
            try (Context context = device.open()) {
                return show.apply(context);
            }
        }));
    }
}
