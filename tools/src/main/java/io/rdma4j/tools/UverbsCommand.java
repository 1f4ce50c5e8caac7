// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.peer.Closers;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.uverbs.server.UverbsServer;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.Owner;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;

/**
 * {@code uverbs}: serves devices to the other processes of this user until it is interrupted, so that many processes
 * share one UDP port and one address.
 */
final class UverbsCommand extends GetoptCommand {
    private static final int FAILED = 1;
    private static final String RUN = "run";

    private final Supplier<Host> host;

    UverbsCommand(Supplier<Host> host) {
        super("uverbs", FAILED, Option.value('r', RUN, "dir", "folder where others find the devices"));
        this.host = host;
    }

    @Override
    protected String synopsis() {
        return "Usage: uverbs [--run=<dir>] [<device> ...]      serve these devices, or all, to other processes";
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws InterruptedException {
        String folder = options.text(RUN);
        RunDirectory directory = folder == null ? RunDirectory.configured() : new RunDirectory(Path.of(folder));
        List<UverbsServer> servers = new CopyOnWriteArrayList<>();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> servers.forEach(UverbsServer::close)));
        try (Closers held = new Closers()) {
            LinkedBlockingQueue<UverbsServer> changed = new LinkedBlockingQueue<>();
            for (Device device : wanted(options.operands())) {
                Context context = hold(device);
                held.push("Couldn't release context", context::close);
                UverbsServer server = UverbsServer.open(device, directory);
                servers.add(server);
                context.registerEventHandler(event -> {
                    if (event.type() == EventType.GID_CHANGE) {
                        changed.add(server);
                    }
                });
                out.println(device.name() + " " + server.entry());
            }
            out.flush();
            while (true) {
                changed.take().addressesChanged();
            }
        } catch (ToolFailure e) {
            e.print(name(), err);
            return FAILED;
        } finally {
            servers.forEach(UverbsServer::close);
        }
    }

    /** Opens the device before the first client, so that no other process takes its address. */
    private static Context hold(Device device) {
        try {
            return device.open(Owner.current());
        } catch (RdmaException e) {
            if (e.errno() != Errno.EADDRINUSE) {
                throw e;
            }
            throw new RdmaException(
                    Errno.EADDRINUSE,
                    "another process has " + device
                            + " and serves it already, if it is one of this user: rdma link shows that",
                    e);
        }
    }

    private List<Device> wanted(List<String> names) {
        if (names.isEmpty()) {
            return host.get().devices().stream()
                    .filter(device -> device.driverId() != 0)
                    .toList();
        }
        return names.stream().map(host.get()::device).toList();
    }
}
