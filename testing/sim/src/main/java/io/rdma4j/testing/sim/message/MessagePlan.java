// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.message;

import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.verbs.values.QpCapabilities;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** All messages of one direction, in order. */
public final class MessagePlan {
    private final List<PlannedMessage> messages = new ArrayList<>();
    private final int maxBytes;
    private final boolean prompt;

    /**
     * @param seed of this direction
     * @param capabilities actual sizes of the sender's queue
     */
    public MessagePlan(long seed, SimScenario scenario, int mtuBytes, QpCapabilities capabilities) {
        maxBytes = scenario.maxBytes();
        prompt = scenario.prompt();
        SplittableRandom random = new SplittableRandom(seed);
        int depth = capabilities.maxSendWr();
        QueueAccount account = new QueueAccount(depth, scenario.messages(), prompt);
        for (int i = 0; i < scenario.messages(); i++) {
            int length = length(scenario, mtuBytes, random);
            // Only a signalled completion frees slots, so one of every depth / 2 requests must be signalled.
            boolean needed = i % Math.max(1, depth / 2) == 0 || account.isLastBeforePause(i);
            messages.add(new PlannedMessage(
                    i,
                    random.nextLong(),
                    length,
                    random.nextBoolean(),
                    random.nextInt(),
                    length <= capabilities.maxInlineData() && random.nextBoolean(),
                    needed || random.nextInt(3) == 0,
                    random.nextInt(4) == 0));
        }
    }

    /** Returns a length in the range, often one of its ends or a whole number of packets. */
    private static int length(SimScenario scenario, int mtuBytes, SplittableRandom random) {
        int min = scenario.minBytes();
        int max = scenario.maxBytes();
        int packets = random.nextInt(0, max / mtuBytes + 1);
        int length = switch (random.nextInt(8)) {
            case 0 -> min;
            case 1 -> max;
            case 2 -> packets * mtuBytes + random.nextInt(-1, 2);
            default -> random.nextInt(min, max + 1);
        };
        return Math.clamp(length, min, max);
    }

    /** Returns whether the applications post as soon as they can. */
    boolean isPrompt() {
        return prompt;
    }

    /** Length of the longest message. */
    int maxBytes() {
        return maxBytes;
    }

    int count() {
        return messages.size();
    }

    public PlannedMessage message(int index) {
        return messages.get(index);
    }
}
