// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.tools.cli.Command;
import io.rdma4j.tools.cli.Tool;
import io.rdma4j.tools.cli.ToolSource;
import io.rdma4j.tools.diag.IblinkinfoCommand;
import io.rdma4j.tools.diag.IbnetdiscoverCommand;
import io.rdma4j.tools.diag.IbpingCommand;
import io.rdma4j.tools.diag.IbqueryerrorsCommand;
import io.rdma4j.tools.diag.IbrouteCommand;
import io.rdma4j.tools.diag.IbtracertCommand;
import io.rdma4j.tools.diag.PerfqueryCommand;
import io.rdma4j.tools.diag.SaqueryCommand;
import io.rdma4j.tools.diag.SminfoCommand;
import io.rdma4j.tools.diag.SmpqueryCommand;
import io.rdma4j.tools.net.NetCommand;
import io.rdma4j.tools.net.SmCommand;
import io.rdma4j.tools.perftest.Measure;
import io.rdma4j.tools.perftest.PerfCommand;
import io.rdma4j.tools.perftest.PerfTest;
import io.rdma4j.tools.perftest.Verb;
import io.rdma4j.tools.pingpong.PingPongCommand;
import io.rdma4j.tools.pingpong.RcPingPong;
import io.rdma4j.tools.pingpong.SrqPingPong;
import io.rdma4j.tools.pingpong.UcPingPong;
import io.rdma4j.tools.pingpong.UdPingPong;
import io.rdma4j.tools.pingpong.XsrqPingPongCommand;
import io.rdma4j.tools.rdma.RdmaTool;
import io.rdma4j.tools.rdmacm.CmtimeCommand;
import io.rdma4j.tools.rdmacm.ExtendedHelloCommand;
import io.rdma4j.tools.rdmacm.HelloCommand;
import io.rdma4j.tools.rdmacm.MckeyCommand;
import io.rdma4j.tools.rdmacm.RpingCommand;
import io.rdma4j.tools.rdmacm.TransferCommand;
import io.rdma4j.verbs.Host;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lists the tools of this module, and those that other modules provide by a {@link ToolSource}. */
final class ToolTable {
    /** The tools of this module, in the order in which {@code help} lists them. */
    static final List<Tool> TABLE = List.of(
            new Tool("ibv_devices", "list the RDMA devices", IbvDevicesCommand::new),
            new Tool("ibv_devinfo", "attributes of the RDMA devices", IbvDevinfoCommand::new),
            new Tool("ibstat", "state of devices and ports", IbstatCommand::new),
            new Tool("ibstatus", "a paragraph for each port", IbstatusCommand::new),
            new Tool("ibnetdiscover", "nodes and links of an InfiniBand subnet", IbnetdiscoverCommand::new),
            new Tool("iblinkinfo", "state, width and speed of the links of a subnet", IblinkinfoCommand::new),
            new Tool("ibroute", "forwarding tables of a switch", IbrouteCommand::new),
            new Tool("ibtracert", "way of packets by the forwarding tables", IbtracertCommand::new),
            new Tool("smpquery", "attributes of subnet management", SmpqueryCommand::new),
            new Tool("perfquery", "counters of InfiniBand ports", PerfqueryCommand::new),
            new Tool("ibqueryerrors", "ports of a subnet with errors", IbqueryerrorsCommand::new),
            new Tool("ibping", "requests to a port on which ibping -S runs", IbpingCommand::new),
            new Tool("saquery", "records of the subnet administrator", SaqueryCommand::new),
            new Tool("sminfo", "state of a subnet manager", SminfoCommand::new),
            new Tool("ibv_asyncwatch", "asynchronous events of a device, as they come", IbvAsyncWatchCommand::new),
            new Tool(
                    "ibv_rc_pingpong",
                    "ping-pong over a reliable connection",
                    host -> new PingPongCommand(new RcPingPong(), host)),
            new Tool(
                    "ibv_uc_pingpong",
                    "ping-pong over an unreliable connection",
                    host -> new PingPongCommand(new UcPingPong(), host)),
            new Tool("ibv_ud_pingpong", "ping-pong of datagrams", host -> new PingPongCommand(new UdPingPong(), host)),
            new Tool(
                    "ibv_srq_pingpong",
                    "ping-pong over many connections with one shared receive queue",
                    host -> new PingPongCommand(new SrqPingPong(), host)),
            new Tool("ibv_xsrq_pingpong", "ping-pong over an extended reliable connection", XsrqPingPongCommand::new),
            perftest("ib_send_lat", "latency of SENDs", () -> new PerfTest(Verb.SEND, Measure.LATENCY)),
            perftest("ib_send_bw", "bandwidth of SENDs", () -> new PerfTest(Verb.SEND, Measure.BANDWIDTH)),
            perftest("ib_write_lat", "latency of RDMA WRITEs", () -> new PerfTest(Verb.WRITE, Measure.LATENCY)),
            perftest("ib_write_bw", "bandwidth of RDMA WRITEs", () -> new PerfTest(Verb.WRITE, Measure.BANDWIDTH)),
            perftest("ib_read_lat", "latency of RDMA READs", () -> new PerfTest(Verb.READ, Measure.LATENCY)),
            perftest("ib_read_bw", "bandwidth of RDMA READs", () -> new PerfTest(Verb.READ, Measure.BANDWIDTH)),
            perftest("ib_atomic_lat", "latency of atomics", () -> new PerfTest(Verb.ATOMIC, Measure.LATENCY)),
            perftest("ib_atomic_bw", "bandwidth of atomics", () -> new PerfTest(Verb.ATOMIC, Measure.BANDWIDTH)),
            new Tool("rping", "pings by RDMA READ and WRITE over a connection of rdma_cm", RpingCommand::new),
            new Tool("ucmatose", "messages over a number of connections of rdma_cm", TransferCommand::ucmatose),
            new Tool("udaddy", "datagrams to a number of services of rdma_cm", TransferCommand::udaddy),
            new Tool("mckey", "datagrams to a multicast group joined by rdma_cm", MckeyCommand::new),
            new Tool("cmtime", "times of the steps of connections of rdma_cm", CmtimeCommand::new),
            new Tool("rdma_server", "answer one message over a connection of rdma_cm", HelloCommand::server),
            new Tool("rdma_client", "send one message over a connection of rdma_cm", HelloCommand::client),
            new Tool("rdma_xserver", "receive one message, also over XRC", ExtendedHelloCommand::server),
            new Tool("rdma_xclient", "send one message, also over XRC", ExtendedHelloCommand::client),
            new Tool(
                    "net",
                    "hosts, switches and links inside a process, and what runs on them",
                    _ -> new NetCommand(ToolTable::find)),
            new Tool("sm", "our subnet manager on the subnet of the simulator ibsim", _ -> new SmCommand()),
            new Tool(
                    "rdma",
                    "the RDMA devices that processes of this user have, and links that stay",
                    _ -> new RdmaTool(ToolProcess::jvm)),
            new Tool("uverbs", "serve devices to the other processes of this user", UverbsCommand::new),
            new Tool("demo", "a ping-pong between two processes, and how fast it was", _ -> new DemoCommand()),
            new Tool("decode", "the RoCE packets of a capture, one a line", _ -> new DecodeCommand()));

    private ToolTable() {}

    /** {@return the tools of other modules on the class path} */
    static List<Tool> ofOtherModules() {
        return ServiceLoader.load(ToolSource.class).stream()
                .flatMap(source -> source.get().tools().stream())
                .toList();
    }

    private static Tool perftest(String name, String summary, Supplier<PerfTest> test) {
        return new Tool(name, summary, host -> new PerfCommand(test.get(), host));
    }

    private static @Nullable Command find(String name, Host host) {
        for (Tool tool : TABLE) {
            if (tool.name().equals(name)) {
                return tool.maker().apply(() -> host);
            }
        }
        return null;
    }
}
