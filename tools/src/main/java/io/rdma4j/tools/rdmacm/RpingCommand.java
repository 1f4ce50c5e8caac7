// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import java.io.PrintWriter;
import java.util.function.Supplier;

/**
 * {@code rping}: connects by address and port and exchanges data by SEND, RDMA READ and RDMA WRITE, as the program of
 * that name in rdma-core, with which it interoperates.
 *
 * <p>Exit code 0, 255 after a failure, 22 for wrong arguments, as the original.
 */
public final class RpingCommand extends GetoptCommand {
    private static final int FAILED = 255;

    private final Supplier<Host> host;

    /** @param host whose devices are used */
    public RpingCommand(Supplier<Host> host) {
        super("rping", Errno.EINVAL.code(), RpingOptions.TABLE);
        this.host = host;
    }

    @Override
    protected String synopsis() {
        return """
                Usage: rping -s [-vVqP] [-S <bytes>] [-a <addr>] [-p <port>]      wait for a client
                       rping -c [-vVq] [-S <bytes>] [-C <count>] [-I <addr>] -a <addr> [-p <port>]
                                                                                connect, and send data there and back""".stripIndent();
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws InterruptedException {
        atMostOperands(options, 0);
        RpingOptions rping = RpingOptions.parse(options);
        CmOutput output = new CmOutput(options, out);
        if (output.isJson() && rping.persistent()) {
            throw new UsageException("--json prints a document after the run, which with -P has no end");
        }
        try (CmTool.Service service = CmTool.open(host)) {
            RpingServer server = new RpingServer(rping, output.lines(), err);
            if (rping.persistent()) {
                server.servePersistently(service.cm());
            } else {
                RpingResult result = rping.server()
                        ? server.serveOne(service.cm())
                        : new RpingClient(rping, output.lines(), err).run(service.cm());
                output.document(() -> result.json(rping));
            }
            return 0;
        } catch (ToolFailure e) {
            e.print(name(), err);
            return FAILED;
        }
    }
}
