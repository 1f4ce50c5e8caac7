// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.RecordCodec;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.values.Flags;
import io.rdma4j.verbs.wr.CompletionField;

/** Executes the queries of the device, its ports and their tables. */
final class DeviceCommands {
    private final Context context;

    private DeviceCommands(Context context) {
        this.context = context;
    }

    static void addTo(CommandTable table, SessionObjects objects) {
        DeviceCommands commands = new DeviceCommands(objects.context());
        table.add(CommandType.QUERY_DEVICE, commands::queryDevice);
        table.add(CommandType.QUERY_PORT, commands::queryPort);
        table.add(CommandType.QUERY_GID, commands::queryGid);
        table.add(CommandType.QUERY_PKEY, commands::queryPkey);
        table.add(CommandType.QUERY_COUNTERS, commands::queryCounters);
    }

    private void queryDevice(Message request, Message answer) {
        answer.putRecord(CommandAttribute.DEVICE, ServedAttributes.of(context.queryDevice()))
                .put(CommandAttribute.WC_FLAGS, (int) Flags.mask(context.completionFields(), CompletionField::bit))
                .put(CommandAttribute.CQ_FLAGS, (int) Flags.mask(context.completionQueueFlags(), CqCreateFlag::bit));
    }

    private void queryPort(Message request, Message answer) {
        answer.putRecord(CommandAttribute.PORT_ATTRIBUTES, context.queryPort(request.get(CommandAttribute.PORT)));
    }

    private void queryGid(Message request, Message answer) {
        answer.putRecord(
                CommandAttribute.GID_ENTRY,
                context.queryGidEntry(request.get(CommandAttribute.PORT), request.get(CommandAttribute.INDEX)));
    }

    private void queryPkey(Message request, Message answer) {
        answer.put(
                CommandAttribute.PKEY,
                context.queryPkey(request.get(CommandAttribute.PORT), request.get(CommandAttribute.INDEX)));
    }

    private void queryCounters(Message request, Message answer) {
        answer.putBytes(
                CommandAttribute.COUNTERS,
                RecordCodec.encode(context.queryHwCounters(request.get(CommandAttribute.PORT))));
    }
}
