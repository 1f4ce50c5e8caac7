// SPDX-License-Identifier: Apache-2.0
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Rdma;

/** Prints the names of the devices. */
class ListDevices {
    public static void main(String[] arguments) {
        System.out.println(Rdma.devices().stream().map(Device::name).toList());
    }
}
