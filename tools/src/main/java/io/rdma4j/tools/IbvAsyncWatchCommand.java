// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.peer.Attempt;
import io.rdma4j.tools.peer.DeviceChoice;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.values.EventType;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * {@code ibv_asyncwatch}: prints the asynchronous events of a device, as the program of that name in rdma-core. Events
 * of a served device arrive through its owner process.
 *
 * <p>Exit code 1 when the device is removed, and for every failure, as the original. Otherwise it runs until it is
 * interrupted.
 */
final class IbvAsyncWatchCommand extends GetoptCommand {
    private static final int FAILED = 1;

    /** The original prints the file descriptor that it reads; events do not use file descriptors here. */
    private static final int NO_FD = -1;

    private final Supplier<Host> host;

    IbvAsyncWatchCommand(Supplier<Host> host) {
        super(
                "ibv_asyncwatch",
                FAILED,
                Option.value('d', "ib-dev", "dev", "use IB device <dev> (default first device found)"));
        this.host = host;
    }

    @Override
    protected String synopsis() {
        return "Usage: ibv_asyncwatch [-d <dev>]      print the asynchronous events of a device until it is"
                + " interrupted";
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws InterruptedException {
        atMostOperands(options, 0);
        try {
            Device device = DeviceChoice.find(host, options.text("ib-dev"));
            try (Context context = Attempt.to("Couldn't get context for " + device.name(), device::open)) {
                out.println(device.name() + ": async event FD " + NO_FD);
                watch(context, out);
            }
        } catch (ToolFailure e) {
            err.println(e.getMessage());
            if (e.getCause() != null) {
                err.println(name() + ": " + e.getCause().getMessage());
            }
        }
        return FAILED;
    }

    /** Returns after the device-fatal event, which is the last one. */
    private static void watch(Context context, PrintWriter out) throws InterruptedException {
        AsyncEvent event;
        do {
            event = context.getAsyncEvent();
            out.println(String.format(
                    Locale.ROOT,
                    "  event_type IBV_EVENT_%s (%d), port %d",
                    event.type(),
                    event.type().code(),
                    event.port()));
            context.acknowledgeAsyncEvent(event);
        } while (event.type() != EventType.DEVICE_FATAL);
    }
}
