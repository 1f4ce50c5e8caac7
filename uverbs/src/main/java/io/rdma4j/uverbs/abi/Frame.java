package io.rdma4j.uverbs.abi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * What goes over the socket at a time.
 *
 * @param kind request, answer or event
 * @param style how the attributes lie
 * @param sequence of the request that it is or answers; 0 for events
 * @param refusal why the command was not carried out; null if it was, and in requests and events
 * @param message the rest; the reason in it if there is a refusal
 */
public record Frame(
        Kind kind, Style style, int sequence, @Nullable Errno refusal, Message message) {
    /** Whose turn it is. */
    public enum Kind {
        /** From the client: a command. */
        REQUEST,
        /** From the server: what became of it. */
        RESPONSE,
        /** From the server: not asked for. */
        EVENT
    }

    /**
     * {@return a command}
     *
     * @param style one that the server understands
     * @param sequence what the answer shall carry
     * @param message the command and its arguments
     */
    public static Frame request(Style style, int sequence, Message message) {
        return new Frame(Kind.REQUEST, style, sequence, null, message);
    }

    /**
     * {@return the answer to it, in its style}
     *
     * @param answer of the same command
     */
    public Frame answer(Message answer) {
        return new Frame(Kind.RESPONSE, style, sequence, null, answer);
    }

    /**
     * {@return the answer to the request of that sequence if it is refused; the number says which it was, whatever its
     * command}
     *
     * @param sequence of the request
     * @param why errno and message travel
     */
    public static Frame refusal(int sequence, RdmaException why) {
        String name = why.errno().name() + ": ";
        String text = String.valueOf(why.getMessage());
        Message reason = new Message(Command.GET_CONTEXT)
                .putText(Attribute.REASON, text.startsWith(name) ? text.substring(name.length()) : text);
        return new Frame(Kind.RESPONSE, Style.IOCTL, sequence, why.errno(), reason);
    }

    /**
     * {@return what the server tells without being asked}
     *
     * @param message of an event's command
     */
    public static Frame event(Message message) {
        return new Frame(Kind.EVENT, Style.IOCTL, 0, null, message);
    }

    /**
     * {@return the answer's message}
     *
     * @throws RdmaException what the server refused the command with
     */
    public Message success() {
        Errno errno = refusal;
        if (errno != null) {
            throw new RdmaException(errno, message.getText(Attribute.REASON));
        }
        return message;
    }
}
