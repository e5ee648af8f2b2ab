import type { MailFault } from './faults.ts';
import type { MailCounts } from './smtp.ts';
import type { MailboxMessage, MessageFilter } from './store.ts';

export interface MailboxControl {
  /** The messages that match, oldest first. */
  messages(filter?: MessageFilter): Promise<MailboxMessage[]>;
  /** The newest message that matches, as soon as there is one; throws when there is none in time. */
  waitForMessage(filter?: MessageFilter, timeoutMs?: number): Promise<MailboxMessage>;
  /** The source of a message. */
  source(id: string): Promise<string>;
  deleteMessages(): Promise<void>;
  fault(fault: MailFault): Promise<void>;
  clearFaults(): Promise<void>;
  /** Reject connections, or accept them again. */
  setDown(down: boolean): Promise<void>;
  counts(): Promise<MailCounts & { stored: number; down: boolean }>;
  reset(): Promise<void>;
}

/** A client of a mailbox, in this process or another. */
export function mailboxControl(url: string): MailboxControl {
  async function call(method: string, path: string, body?: object): Promise<string> {
    const response = await fetch(`${url}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
    return text;
  }
  async function list(filter: MessageFilter, waitMs: number): Promise<MailboxMessage[]> {
    const query = new URLSearchParams({ ...filter, wait_ms: String(waitMs) });
    return JSON.parse(await call('GET', `/api/messages?${query}`));
  }
  const send = async (method: string, path: string, body?: object) => {
    await call(method, path, body);
  };

  return {
    messages: (filter = {}) => list(filter, 0),
    async waitForMessage(filter = {}, timeoutMs = 10_000) {
      const message = (await list(filter, timeoutMs)).at(-1);
      if (!message) throw new Error(`No message arrived within ${timeoutMs} ms for ${JSON.stringify(filter)}.`);
      return message;
    },
    source: (id) => call('GET', `/messages/${id}/source`),
    deleteMessages: () => send('DELETE', '/api/messages'),
    fault: (fault) => send('POST', '/_control/faults', fault),
    clearFaults: () => send('DELETE', '/_control/faults'),
    setDown: (down) => send('POST', '/_control/down', { down }),
    counts: async () => JSON.parse(await call('GET', '/_control/counts')),
    reset: () => send('POST', '/_control/reset'),
  };
}
