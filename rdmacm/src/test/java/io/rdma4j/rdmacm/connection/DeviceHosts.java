// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.links.VethDevice;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.host.RdmaCmService;
import io.rdma4j.rxe.DeviceProfile;
import io.rdma4j.rxe.RxeDevice;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;

/** Two hosts with the real RoCE device on a link, in real time. */
final class DeviceHosts implements AutoCloseable {
    private static final int MTU = 4500;

    final Side client;
    final Side server;

    private record OneDevice(RxeDevice device) implements Provider {
        @Override
        public String name() {
            return "one";
        }

        @Override
        public Collection<? extends DeviceOps> discover() {
            return List.of(device);
        }
    }

    /** One host. */
    static final class Side {
        final Host host = Host.create("test");
        final RdmaCmService service;
        final RdmaCm cm;

        Side(NetDevice link) {
            link.up();
            RxeOptions options = new RxeOptions(
                    NanoClock.SYSTEM,
                    ProgressMode.AUTOMATIC,
                    TransportOptions.DEFAULT,
                    RxeOptions.ROCE_V2_PORT,
                    true,
                    List.of(0xFFFF),
                    true,
                    false,
                    DeviceProfile.FULL,
                    false);
            host.register(new OneDevice(
                    new RxeDevice("rxe0", Guid.ofMac(link.macAddress()), () -> new RxePort(link, options))));
            service = RdmaCmService.open(host);
            cm = service.cm();
        }

        ConnectionOptions options() {
            return ConnectionOptions.DEFAULT.withManager(cm);
        }

        private void close() {
            service.close();
            host.close();
        }
    }

    DeviceHosts() {
        VethDevice.Pair pair = VethDevice.pair(
                VethDevice.end("veth0", 7, MTU, 0, List.of(Gid.parse("10.0.0.1"), Gid.parse("fd00::1"))),
                VethDevice.end("veth0", 7, MTU, 0, List.of(Gid.parse("10.0.0.2"), Gid.parse("fd00::2"))));
        client = new Side(pair.first());
        server = new Side(pair.second());
    }

    static InetSocketAddress address(String ip, int port) {
        return new InetSocketAddress(Gid.parse(ip).toInetAddress(), port);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
