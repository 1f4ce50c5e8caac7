// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.sa.SaClient;
import io.rdma4j.sa.SaRecord;
import io.rdma4j.sa.SaResult;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.InterfaceCodec;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.spi.PortInterface;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Executes what rdma_cm of a client asks about addresses and paths of an InfiniBand port. */
final class SubnetCommands {
    private static final int MAX_TIMEOUT_MS = 60_000;

    private final SessionObjects objects;
    private final Context context;

    private SubnetCommands(SessionObjects objects) {
        this.objects = objects;
        this.context = objects.context();
    }

    static void addTo(CommandTable table, SessionObjects objects) {
        SubnetCommands commands = new SubnetCommands(objects);
        table.add(CommandType.QUERY_INTERFACES, commands::queryInterfaces);
        table.add(CommandType.QUERY_ROUTE, commands::queryRoute);
        table.add(CommandType.RESOLVE_ADDRESS, commands::resolveAddress);
        table.add(CommandType.QUERY_NEIGHBOUR, commands::queryNeighbour);
        table.add(CommandType.QUERY_RECORD, commands::queryRecord);
        table.add(CommandType.JOIN_GROUP, commands::joinGroup);
        table.add(CommandType.LEAVE_GROUP, commands::leaveGroup);
    }

    /** The interfaces of the host over ports of the device. */
    private List<PortInterface> interfaces() {
        return context.device().host().interfaces().stream()
                .filter(each -> context.findGid(each.gid()).isPresent())
                .toList();
    }

    private PortInterface find(Message request) {
        int index = request.get(CommandAttribute.INDEX);
        return interfaces().stream()
                .filter(each -> each.interfaceIndex() == index)
                .findFirst()
                .orElseThrow(
                        () -> new RdmaException(Errno.ENODEV, context.device() + " has no network interface " + index));
    }

    private void queryInterfaces(Message request, Message answer) {
        answer.putBytes(CommandAttribute.INTERFACES, InterfaceCodec.encode(interfaces()));
    }

    private void queryRoute(Message request, Message answer) {
        boolean hasRoute = find(request).hasRoute(CmCommands.address(request));
        answer.put(CommandAttribute.INDEX, hasRoute ? 1 : 0);
    }

    private void resolveAddress(Message request, Message answer) {
        boolean isKnown = find(request).resolve(CmCommands.address(request));
        answer.put(CommandAttribute.INDEX, isKnown ? 1 : 0);
    }

    private void queryNeighbour(Message request, Message answer) {
        Gid found = find(request).gidOf(CmCommands.address(request));
        if (found != null) {
            answer.putBytes(CommandAttribute.GID, found.toBytes());
        }
    }

    private static SaRecord record(Message request, MadAttribute attribute) {
        return SaRecord.ofBytes(
                attribute, request.getBytes(CommandAttribute.DATA), request.getLong(CommandAttribute.COMPONENT_MASK));
    }

    private void queryRecord(Message request, Message answer) {
        int attribute = request.get(CommandAttribute.SA_ATTRIBUTE);
        boolean isGroup = attribute == MadAttribute.MC_MEMBER_RECORD.attributeId();
        if (!isGroup && attribute != MadAttribute.PATH_RECORD.attributeId()) {
            throw new RdmaException(Errno.EINVAL, "records with the attribute ID " + attribute + " are not asked for");
        }
        SaRecord wanted = record(request, isGroup ? MadAttribute.MC_MEMBER_RECORD : MadAttribute.PATH_RECORD);
        int timeoutMs = Math.clamp(request.get(CommandAttribute.TIMEOUT_MS), 1, MAX_TIMEOUT_MS);
        CompletableFuture<SaResult> future = new CompletableFuture<>();
        try (GeneralServices services = GeneralServices.open(context.device(), request.get(CommandAttribute.PORT));
                SaClient client = SaClient.open(services)) {
            if (isGroup) {
                client.query(MadMethod.GET, wanted, timeoutMs, future::complete);
            } else {
                client.path(wanted, timeoutMs, future::complete);
            }
            SaResult result = future.join();
            if (result.error() != null || result.records().isEmpty()) {
                Errno error = result.error() == null ? Errno.EINVAL : result.error();
                throw new RdmaException(error, "no record; status of the answer: " + result.madStatus());
            }
            answer.putBytes(CommandAttribute.DATA, result.records().getFirst().toBytes());
        }
    }

    private void joinGroup(Message request, Message answer) {
        long number = request.getLong(CommandAttribute.USER_HANDLE);
        SessionEvents events = objects.events();
        ServedGroup group = new ServedGroup(
                context.device(),
                request.get(CommandAttribute.PORT),
                record(request, MadAttribute.MC_MEMBER_RECORD),
                result -> events.tell(event(number, result)));
        objects.add(answer, group);
    }

    private static Message event(long number, SaResult result) {
        Message event = new Message(CommandType.GROUP_EVENT).putLong(CommandAttribute.USER_HANDLE, number);
        Errno error = result.error();
        if (error == null && result.records().isEmpty()) {
            error = Errno.EINVAL;
        }
        return error == null
                ? event.putBytes(
                        CommandAttribute.DATA, result.records().getFirst().toBytes())
                : event.put(CommandAttribute.RESULT_ERRNO, error.code());
    }

    private void leaveGroup(Message request, Message answer) {
        objects.destroy(request, List.of(ServedGroup.class));
    }
}
