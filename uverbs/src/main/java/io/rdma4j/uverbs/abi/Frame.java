// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * One request, answer or event on the socket.
 *
 * @param kind request, answer or event
 * @param style encoding of the attributes
 * @param sequence sequence number of the request; an answer repeats it; 0 for events
 * @param refusal error of the command; null on success, in requests and in events
 * @param message command and attributes; on an error, the reason
 */
public record Frame(
        Kind kind,
        AttributeEncoding style,
        int sequence,
        @Nullable Errno refusal,
        Message message) {
    /** Direction and purpose of a frame. */
    public enum Kind {
        /** A command of the client. */
        REQUEST,
        /** The server's answer to a command. */
        RESPONSE,
        /** An event, which the server sends without a request. */
        EVENT
    }

    /**
     * {@return a command}
     *
     * @param style encoding that the server decodes
     * @param sequence sequence number that the answer must repeat
     * @param message command and arguments
     */
    public static Frame request(AttributeEncoding style, int sequence, Message message) {
        return new Frame(Kind.REQUEST, style, sequence, null, message);
    }

    /**
     * {@return the answer to this request, in the same encoding}
     *
     * @param answer results of the same command
     */
    public Frame answer(Message answer) {
        return new Frame(Kind.RESPONSE, style, sequence, null, answer);
    }

    /**
     * {@return an error answer to the request with this sequence number, whatever its command}
     *
     * @param sequence sequence number of the request
     * @param why source of errno and message
     */
    public static Frame refusal(int sequence, RdmaException why) {
        String name = why.errno().name() + ": ";
        String text = String.valueOf(why.getMessage());
        Message reason = new Message(CommandType.GET_CONTEXT)
                .putText(CommandAttribute.REASON, text.startsWith(name) ? text.substring(name.length()) : text);
        return new Frame(Kind.RESPONSE, AttributeEncoding.IOCTL, sequence, why.errno(), reason);
    }

    /**
     * {@return an event}
     *
     * @param message event with its attributes
     */
    public static Frame event(Message message) {
        return new Frame(Kind.EVENT, AttributeEncoding.IOCTL, 0, null, message);
    }

    /**
     * {@return the answer's message}
     *
     * @throws RdmaException error of the command, with the server's errno and message
     */
    public Message success() {
        Errno errno = refusal;
        if (errno != null) {
            throw new RdmaException(errno, message.getText(CommandAttribute.REASON));
        }
        return message;
    }
}
