// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.fabric.IbPort;
import io.rdma4j.fabric.IbSubnet;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.fabric.PacketReceiver;
import io.rdma4j.fabric.PortObserver;
import io.rdma4j.fabric.pma.PerformanceManagementAgent;
import io.rdma4j.fabric.pma.PerformanceManagementInterface;
import io.rdma4j.fabric.sma.ManagementHandler;
import io.rdma4j.fabric.sma.SubnetManagementAgent;
import io.rdma4j.fabric.sma.SubnetManagementInterface;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.ib.LocalPacket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Port 0 of a switch: queue pair 0 for subnet management, and queue pair 1 for performance management. */
final class SwitchAgents implements PacketReceiver, PortObserver {
    private final SubnetManagementInterface management;
    private @Nullable PerformanceManagementInterface performance;

    /** @param datagrams buffers of management datagrams */
    SwitchAgents(IbSubnet subnet, SkBuffPool datagrams) {
        this.management = new SubnetManagementInterface(subnet, datagrams, ManagementHandler.NONE);
    }

    void attach(IbSwitch node, long guid, String description) {
        List<IbPort> ports = new ArrayList<>();
        for (int number = 1; number <= node.portCount(); number++) {
            ports.add(node.port(number));
        }
        management.attach(SubnetManagementAgent.of(node, guid, description));
        performance = new PerformanceManagementInterface(
                new PerformanceManagementAgent(ports), node::send, (packet, _) -> packet.free());
    }

    @Override
    public void receive(SkBuff packet, int inputPort) {
        PerformanceManagementInterface services = performance;
        if (LocalPacket.isToQp0(packet.memory(), packet.data())) {
            management.receive(packet, inputPort);
        } else if (services != null) {
            services.receive(packet, inputPort);
        } else {
            packet.free();
        }
    }

    @Override
    public void stateChanged(int port, PortState state) {
        management.stateChanged(port, state);
    }
}
