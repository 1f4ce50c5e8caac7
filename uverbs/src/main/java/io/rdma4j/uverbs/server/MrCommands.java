package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.ProtectionDomain;
import java.nio.file.Path;

/** Commands of memory regions. */
final class MrCommands {
    private final SessionObjects objects;

    private MrCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandHandlers table, SessionObjects objects) {
        MrCommands commands = new MrCommands(objects);
        table.add(Command.REG_MR, commands::register);
        table.addDestroy(Command.DEREG_MR, ServedRegion.class);
    }

    private void register(Message request, Message answer) {
        ServedRegion region = ServedRegion.register(
                objects.find(request, Attribute.PD, ProtectionDomain.class),
                Path.of(request.getText(Attribute.FILE)),
                request.getLong(Attribute.OFFSET),
                request.getLong(Attribute.SIZE),
                request.getLong(Attribute.IOVA),
                AccessFlag.ofMask(request.get(Attribute.ACCESS)));
        objects.add(answer, region)
                .put(Attribute.LKEY, region.region().lkey())
                .put(Attribute.RKEY, region.region().rkey());
    }
}
