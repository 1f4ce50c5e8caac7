// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcStatus;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A process that writes to memory of another one until it is killed. */
final class WritingProcess {
    static final int BYTES = 16 << 10;

    private WritingProcess() {}

    /** @param address number of the address of its device */
    static Process start(int address, QpAddress peer, MemoryRegion target) throws IOException {
        String classes = Stream.concat(
                        Stream.of(System.getProperty("java.class.path", ""), System.getProperty("jdk.module.path", "")),
                        Stream.of("target/test-classes"))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(File.pathSeparator));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classes,
                        WritingProcess.class.getName(),
                        TestAddresses.text(address),
                        HexFormat.of().formatHex(peer.toBytes()),
                        Integer.toString(target.rkey()),
                        Long.toString(target.iova()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Reads the address of the queue pair of a process that was started. */
    static QpAddress address(Process process) throws IOException {
        return QpAddress.ofBytes(HexFormat.of().parseHex(process.inputReader().readLine()));
    }

    static void go(Process process) throws IOException {
        process.outputWriter().append('\n').flush();
    }

    public static void main(String[] arguments) throws Exception {
        Host host = Host.create("writer");
        host.register(new RxeProvider(
                List.of(DeviceSpec.parse("rxe0=udp:" + arguments[0])), RxeOptions.DEFAULT.withSharedMemory(true)));
        QpAddress peer = QpAddress.ofBytes(HexFormat.of().parseHex(arguments[1]));
        try (Context context = host.open("rxe0");
                ProtectionDomain pd = context.allocatePd();
                MemoryRegion source = pd.allocateMemory(BYTES, Set.of(AccessFlag.LOCAL_WRITE));
                CompletionQueue cq = context.createCq(16);
                QueuePair qp = pd.createQp(QpInitAttributes.builder(cq).build())) {
            QpAddress own = QpAddress.of(qp);
            System.out.println(HexFormat.of().formatHex(own.toBytes()));
            System.in.read();
            qp.connect(own, peer);
            for (byte seed = 1; true; seed++) {
                source.segment().fill(seed);
                qp.startSend()
                        .signaled()
                        .rdmaWrite(Integer.parseInt(arguments[2]), Long.parseLong(arguments[3]))
                        .sge(source.lkey(), source.iova(), BYTES)
                        .complete();
                await(cq);
            }
        }
    }

    private static void await(CompletionQueue cq) {
        boolean done = false;
        while (!done) {
            try (CompletionCursor wc = cq.startPoll()) {
                done = wc.next();
                if (done && wc.status() != WcStatus.SUCCESS) {
                    throw new RdmaException(Errno.EIO, wc.status().toString());
                }
            }
        }
    }
}
