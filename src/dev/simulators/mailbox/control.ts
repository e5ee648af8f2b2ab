import { controlCaller } from '../call-control.ts';
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
  fault(fault: MailFault): Promise<void>;
  clearFaults(): Promise<void>;
  /** Reject connections, or accept them again. */
  setDown(down: boolean): Promise<void>;
  counts(): Promise<MailCounts & { stored: number; down: boolean }>;
  reset(): Promise<void>;
}

/** A client of a mailbox, in this process or another. */
export function mailboxControl(url: string): MailboxControl {
  const call = controlCaller(`${url}/_control`);

  function list(filter: MessageFilter, waitMs: number): Promise<MailboxMessage[]> {
    const query = new URLSearchParams({ ...filter, wait_ms: String(waitMs) });
    return controlCaller(`${url}/api`)('GET', `/messages?${query}`);
  }

  return {
    messages: (filter = {}) => list(filter, 0),
    async waitForMessage(filter = {}, timeoutMs = 10_000) {
      const message = (await list(filter, timeoutMs)).at(-1);
      if (!message) throw new Error(`No message arrived within ${timeoutMs} ms for ${JSON.stringify(filter)}.`);
      return message;
    },
    source: async (id) => (await fetch(`${url}/messages/${id}/source`)).text(),
    fault: (fault) => call('POST', '/faults', fault),
    clearFaults: () => call('DELETE', '/faults'),
    setDown: (down) => call('POST', '/down', { down }),
    counts: () => call('GET', '/counts'),
    reset: () => call('POST', '/reset'),
  };
}
