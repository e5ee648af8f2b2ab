import type { MailFault } from './faults.ts';
import type { MailCounts } from './smtp.ts';
import type { MailboxMessage, MessageFilter } from './store.ts';

export interface MailboxControl {
  /** The messages that fit, the oldest first. */
  messages(filter?: MessageFilter): Promise<MailboxMessage[]>;
  /** The newest message that fits, as soon as there is one; throws when there is none in time. */
  waitForMessage(filter?: MessageFilter, timeoutMs?: number): Promise<MailboxMessage>;
  /** A message as it came over the wire. */
  source(id: string): Promise<string>;
  deleteMessages(): Promise<void>;
  fault(fault: MailFault): Promise<void>;
  clearFaults(): Promise<void>;
  /** Refuse connections, or take them again. */
  setDown(down: boolean): Promise<void>;
  counts(): Promise<MailCounts & { kept: number; down: boolean }>;
  reset(): Promise<void>;
}

/** Reads a mailbox, in this process or another, and tells it how to behave. */
export function mailboxControl(url: string): MailboxControl {
  async function call(method: string, path: string, body?: object): Promise<string> {
    const answer = await fetch(`${url}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
    return text;
  }
  async function list(filter: MessageFilter, waitMs: number): Promise<MailboxMessage[]> {
    const query = new URLSearchParams({ ...filter, wait_ms: String(waitMs) });
    return JSON.parse(await call('GET', `/api/messages?${query}`));
  }
  const tell = async (method: string, path: string, body?: object) => {
    await call(method, path, body);
  };

  return {
    messages: (filter = {}) => list(filter, 0),
    async waitForMessage(filter = {}, timeoutMs = 10_000) {
      const message = (await list(filter, timeoutMs)).at(-1);
      if (!message) throw new Error(`No message came within ${timeoutMs} ms for ${JSON.stringify(filter)}.`);
      return message;
    },
    source: (id) => call('GET', `/messages/${id}/source`),
    deleteMessages: () => tell('DELETE', '/api/messages'),
    fault: (fault) => tell('POST', '/_control/faults', fault),
    clearFaults: () => tell('DELETE', '/_control/faults'),
    setDown: (down) => tell('POST', '/_control/down', { down }),
    counts: async () => JSON.parse(await call('GET', '/_control/counts')),
    reset: () => tell('POST', '/_control/reset'),
  };
}
