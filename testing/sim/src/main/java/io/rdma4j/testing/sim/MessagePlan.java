package io.rdma4j.testing.sim;

import io.rdma4j.verbs.QpCapabilities;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** All messages of one direction, in order. */
final class MessagePlan {
    private final List<Message> messages = new ArrayList<>();
    private final int maxBytes;

    /**
     * @param seed of this direction
     * @param capabilities what the sender's queue can do, as it was made
     */
    MessagePlan(long seed, Scenario scenario, int mtuBytes, QpCapabilities capabilities) {
        maxBytes = scenario.maxBytes();
        SplittableRandom random = new SplittableRandom(seed);
        int depth = capabilities.maxSendWr();
        QueueAccount account = new QueueAccount(depth, scenario.messages());
        for (int i = 0; i < scenario.messages(); i++) {
            int length = length(scenario, mtuBytes, random);
            // Slots come back with signalled completions only, so there must be one every so often.
            boolean needed = i % Math.max(1, depth / 2) == 0 || account.isLastBeforePause(i);
            messages.add(new Message(
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

    /** Anything in the range, with a taste for its ends and for whole numbers of packets. */
    private static int length(Scenario scenario, int mtuBytes, SplittableRandom random) {
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

    /** No message is longer. */
    int maxBytes() {
        return maxBytes;
    }

    int count() {
        return messages.size();
    }

    Message message(int index) {
        return messages.get(index);
    }
}
