// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools;

import io.rdma4j.interop.lab.DebianPrograms;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code programs}: unpacks Debian's RDMA programs where {@code ./rdma4j run} finds them. */
final class ProgramsCommand extends GetoptCommand {
    private static final List<String> PACKAGES = List.of("ibverbs-utils", "rdmacm-utils", "perftest");
    private static final Duration DOWNLOAD = Duration.ofMinutes(10);

    ProgramsCommand() {
        super("programs", UsageException.DEFAULT_EXIT_CODE);
    }

    @Override
    protected String synopsis() {
        return """
            Usage: programs [PACKAGE...]

            Downloads the Debian packages ibverbs-utils, rdmacm-utils and perftest, and those that are named, with apt-get,
            and unpacks them into ~/.cache/rdma4j/programs. 'run' looks there for programs that are not on the PATH.
            Nothing is installed. Needs Debian or a system like it.\\
            """;
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws IOException {
        List<String> packages = new ArrayList<>(PACKAGES);
        packages.addAll(options.operands());
        Path directory = DebianPrograms.directory();
        err.println("programs: unpacking " + String.join(" ", packages) + " into " + directory);
        DebianPrograms.unpack(packages, directory, DOWNLOAD);
        return 0;
    }
}
