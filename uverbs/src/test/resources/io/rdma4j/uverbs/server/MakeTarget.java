import io.rdma4j.verbs.*;
import java.nio.file.Path;
import java.util.Set;

/** Makes an XRC target in the domain that a file names, prints its number, and keeps it until it is killed. */
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
