// SPDX-License-Identifier: Apache-2.0
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.Rdma;
import java.util.stream.Collectors;

/**
 * Opens the default host. Prints whether it runs on the module path, the names of the devices, and the result of
 * opening each.
 */
class ListDevices {
    public static void main(String[] args) {
        Rdma.host();
        try (Host host = Host.withServiceProviders("child")) {
            System.out.println(Host.class.getModule().isNamed() + " "
                    + host.devices().stream().map(Device::name).collect(Collectors.joining(",")));
            host.devices().forEach(ListDevices::open);
        }
    }

    private static void open(Device device) {
        try {
            device.open().close();
            System.out.println(device.name() + " opens");
        } catch (RdmaException e) {
            System.out.println(device.name() + " " + e.errno());
        }
    }
}
