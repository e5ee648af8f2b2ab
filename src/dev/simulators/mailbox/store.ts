import { EventEmitter, once } from 'node:events';
import PostalMime, { decodeWords, type Header } from 'postal-mime';

/** One message that was accepted. */
export interface MailboxMessage {
  id: string;
  /** The From header. */
  from: string;
  /** The recipients of the envelope. */
  to: string[];
  subject: string;
  message_id: string;
  /** By lower-case name, unfolded and decoded; several of one name are joined by line breaks. */
  headers: Record<string, string>;
  text: string | null;
  html: string | null;
  received_at: string;
}

/** All given conditions must match. */
export interface MessageFilter {
  /** A recipient's whole address, in any case. */
  to?: string;
  /** Any part of the subject, in any case. */
  subject?: string;
  /** Received at this time or later (ISO 8601). */
  since?: string;
}

export interface MessageStore {
  add(raw: Buffer, recipients: string[]): Promise<void>;
  /** Oldest first. */
  find(filter: MessageFilter): MailboxMessage[];
  /** The same, as soon as there is a message; empty when there is none in time. */
  waitFor(filter: MessageFilter, timeoutMs: number): Promise<MailboxMessage[]>;
  get(id: string): MailboxMessage | undefined;
  source(id: string): Buffer | undefined;
  clear(): void;
}

/** @param storedMax how many messages it stores; the oldest give way */
export function createMessageStore(storedMax: number): MessageStore {
  const messages = new Map<string, { message: MailboxMessage; raw: Buffer }>();
  const arrivals = new EventEmitter().setMaxListeners(0);
  let received = 0;

  function find({ to, subject, since }: MessageFilter): MailboxMessage[] {
    const recipient = to?.toLowerCase();
    const words = subject?.toLowerCase();
    const time = since === undefined ? undefined : Date.parse(since);
    return [...messages.values()]
      .map(({ message }) => message)
      .filter(
        (message) =>
          (recipient === undefined || message.to.some((one) => one.toLowerCase() === recipient)) &&
          (words === undefined || message.subject.toLowerCase().includes(words)) &&
          (time === undefined || Date.parse(message.received_at) >= time),
      );
  }

  return {
    find,
    async add(raw, recipients) {
      const { subject, messageId, text, html, ...email } = await PostalMime.parse(raw);
      const headers = decodeHeaders(email.headers);
      const id = String((received += 1));
      const message: MailboxMessage = {
        id,
        from: headers.from ?? '',
        to: recipients,
        subject: subject ?? '',
        message_id: messageId ?? '',
        headers,
        text: text?.trimEnd() ?? null,
        html: html?.trimEnd() ?? null,
        received_at: new Date().toISOString(),
      };
      messages.set(id, { message, raw });
      const [oldest] = messages.keys();
      if (messages.size > storedMax && oldest !== undefined) messages.delete(oldest);
      arrivals.emit('message');
    },
    async waitFor(filter, timeoutMs) {
      const signal = AbortSignal.timeout(timeoutMs);
      let found = find(filter);
      while (found.length === 0 && !signal.aborted) {
        await once(arrivals, 'message', { signal }).catch(() => undefined);
        found = find(filter);
      }
      return found;
    },
    get: (id) => messages.get(id)?.message,
    source: (id) => messages.get(id)?.raw,
    clear() {
      messages.clear();
    },
  };
}

function decodeHeaders(headers: readonly Header[]): Record<string, string> {
  const decoded: Record<string, string> = {};
  for (const { key, value } of headers) {
    const text = decodeWords(value);
    decoded[key] = decoded[key] === undefined ? text : `${decoded[key]}\n${text}`;
  }
  return decoded;
}
