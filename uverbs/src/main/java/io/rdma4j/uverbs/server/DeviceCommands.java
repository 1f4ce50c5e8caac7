package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.RecordCodec;
import io.rdma4j.verbs.CompletionField;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.CqCreateFlag;
import io.rdma4j.verbs.Flags;

/** Queries of the device, its ports and their tables. */
final class DeviceCommands {
    private final Context context;

    private DeviceCommands(Context context) {
        this.context = context;
    }

    static void addTo(CommandHandlers table, SessionObjects objects) {
        DeviceCommands commands = new DeviceCommands(objects.context());
        table.add(Command.QUERY_DEVICE, commands::queryDevice);
        table.add(Command.QUERY_PORT, commands::queryPort);
        table.add(Command.QUERY_GID, commands::queryGid);
        table.add(Command.QUERY_PKEY, commands::queryPkey);
        table.add(Command.QUERY_COUNTERS, commands::queryCounters);
    }

    private void queryDevice(Message request, Message answer) {
        answer.putRecord(Attribute.DEVICE, ServedAttributes.of(context.queryDevice()))
                .put(Attribute.WC_FLAGS, (int) Flags.mask(context.completionFields(), CompletionField::bit))
                .put(Attribute.CQ_FLAGS, (int) Flags.mask(context.completionQueueFlags(), CqCreateFlag::bit));
    }

    private void queryPort(Message request, Message answer) {
        answer.putRecord(Attribute.PORT_ATTRIBUTES, context.queryPort(request.get(Attribute.PORT)));
    }

    private void queryGid(Message request, Message answer) {
        answer.putRecord(
                Attribute.GID_ENTRY, context.queryGidEntry(request.get(Attribute.PORT), request.get(Attribute.INDEX)));
    }

    private void queryPkey(Message request, Message answer) {
        answer.put(Attribute.PKEY, context.queryPkey(request.get(Attribute.PORT), request.get(Attribute.INDEX)));
    }

    private void queryCounters(Message request, Message answer) {
        answer.putBytes(Attribute.COUNTERS, RecordCodec.encode(context.queryHwCounters(request.get(Attribute.PORT))));
    }
}
