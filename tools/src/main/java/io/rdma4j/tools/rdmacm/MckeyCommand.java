// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.rdmacm.JoinMode;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/**
 * {@code mckey}: joins a multicast group by rdma_cm and sends datagrams to it, or receives them, as the program of that
 * name in rdma-core, with which it interoperates.
 *
 * <p>Exit code 0, or 1 for every failure.
 */
public final class MckeyCommand extends GetoptCommand {
    private static final int FAILED = 1;

    private final Supplier<Host> host;

    /** @param host whose devices are used */
    public MckeyCommand(Supplier<Host> host) {
        super(
                "mckey",
                FAILED,
                Option.value('m', "group", "addr", "IP address of the multicast group"),
                Option.value('M', "gid", "addr", "GID of the multicast group, instead of -m; needs -b"),
                Option.flag('s', "sender", "send to the group (default receive)"),
                TransferOptions.BIND,
                TransferOptions.CONNECTIONS,
                TransferOptions.MESSAGES,
                TransferOptions.BYTES,
                Option.value('p', "port-space", "space", "port space: 0x111, UDP (default 0x111)"),
                Option.flag('o', "send-only", "join as a member that only sends"),
                Option.flag('l', "no-loopback", "do not receive the datagrams of the own queue pair"),
                Option.JSON);
        this.host = host;
    }

    @Override
    protected String synopsis() {
        return """
                Usage: mckey [OPTION...] -m <group>      receive datagrams of the group
                       mckey [OPTION...] -m <group> -s   send datagrams to the group""".stripIndent();
    }

    @Override
    protected int run(Options given, PrintWriter out, PrintWriter err) throws InterruptedException {
        atMostOperands(given, 0);
        if (given.has("gid") && !given.has("bind")) {
            throw new UsageException("unmapped multicast address requires binding to source address: add -b");
        }
        String group = given.text(given.has("gid") ? "gid" : "group");
        if (group == null) {
            throw new UsageException("-m is missing: the address of the group");
        }
        String space = given.text("port-space");
        if (space != null && !space.equalsIgnoreCase("0x111")) {
            throw new UsageException("port space " + space + ": RoCE devices have 0x111 (UDP) only");
        }
        // The other options of TransferOptions have no meaning for groups, and their defaults.
        TransferOptions options = new TransferOptions(
                null,
                given.text("bind"),
                CmTool.Family.ANY,
                PortSpace.UDP,
                0,
                given.number("connections", 1, 1, 10_000),
                given.number("messages", 10, 0, 16_000),
                given.number("size", 100, 0, 1 << 30),
                -1,
                -1,
                false);
        boolean isSender = given.has("sender");
        CmOutput output = new CmOutput(given, out);
        PrintWriter lines = output.lines();
        int status = 0;
        lines.println("mckey: starting " + (isSender ? "client" : "server"));
        try (CmTool.Service service = CmTool.open(host)) {
            InetSocketAddress address = CmTool.address(group, 0, CmTool.Family.ANY);
            try (MckeyEnd end = new MckeyEnd(service.cm(), options, address, lines)) {
                JoinMode mode = given.has("send-only") ? JoinMode.SEND_ONLY_FULL_MEMBER : JoinMode.FULL_MEMBER;
                end.join(mode, !given.has("no-loopback"));
                end.transfer(isSender);
                output.document(() -> end.json(isSender));
            }
        } catch (ToolFailure e) {
            e.print(name(), err);
            status = FAILED;
        }
        lines.println("test complete");
        lines.println("return status " + status);
        return status;
    }
}
