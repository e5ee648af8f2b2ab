export const mailFaultKinds = ['reject', 'cut_before', 'cut_after', 'slow'] as const;

/** One fault of the mail server, until it is cleared or used up. */
export interface MailFault {
  /**
   * `reject` a recipient (or the message, with `at: 'data'`), cut the connection after the whole message
   * (`cut_before`: it is not stored; `cut_after`: it is stored and only the response is lost), or store the
   * message and respond `slow`.
   */
  kind: (typeof mailFaultKinds)[number];
  /** Only for recipients that match, `*` being any characters; the default is every recipient. */
  recipient?: string;
  /** Where to reject; the default is `rcpt`. */
  at?: 'rcpt' | 'data';
  /** The SMTP code; the default is 550. */
  code?: number;
  text?: string;
  /** The delay of `slow`. */
  ms?: number;
  /** How many times; the default is always. */
  times?: number;
}

export interface MailFaultList {
  add(fault: MailFault): void;
  clear(): void;
  /** The first fault of this kind, and place, for one of these recipients; it is used up by one. */
  take(kind: MailFault['kind'], recipients: string[], at?: MailFault['at']): MailFault | undefined;
}

export function createMailFaultList(): MailFaultList {
  let faults: { fault: MailFault; matches: (address: string) => boolean; left: number }[] = [];
  return {
    add(fault) {
      const matches = addressMatcher(fault.recipient ?? '*');
      faults.push({ fault, matches, left: fault.times ?? Number.POSITIVE_INFINITY });
    },
    clear() {
      faults = [];
    },
    take(kind, recipients, at) {
      const match = faults.find(
        ({ fault, matches }) =>
          fault.kind === kind && (at === undefined || (fault.at ?? 'rcpt') === at) && recipients.some(matches),
      );
      if (!match) return undefined;
      match.left -= 1;
      if (match.left <= 0) faults = faults.filter((one) => one !== match);
      return match.fault;
    },
  };
}

function addressMatcher(pattern: string): (address: string) => boolean {
  const source = pattern
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const expression = new RegExp(`^${source}$`, 'i');
  return (address) => expression.test(address);
}
