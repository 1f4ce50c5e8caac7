// SPDX-License-Identifier: Apache-2.0
import io.rdma4j.verbs.*;
import io.rdma4j.verbs.values.*;
import java.nio.file.Path;
import java.util.Set;

/**
 * Creates an XRC target queue pair in the domain of a file, prints its number, and keeps it until the process is
 * killed.
 */
class MakeTarget {
    public static void main(String[] arguments) {
        Context context = Rdma.open("rxe0");
        XrcDomain domain = context.openXrcDomain(XrcdInitAttributes.shared(Path.of(arguments[0])));
        QueuePair target =
                context.allocatePd().createQp(QpInitAttributes.xrcTarget(domain).build());
        target.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(1)
                .accessFlags(Set.of())
                .build());
        System.out.println(target.qpn());
        IO.readln();
    }
}
