export const mailFaultKinds = ['refuse', 'cut_before', 'cut_after', 'slow'] as const;

/** One way in which the mail server misbehaves, until it is called off or used up. */
export interface MailFault {
  /**
   * `refuse` a recipient (or the message, with `at: 'data'`), cut the connection when the whole
   * message has come but before it is accepted (`cut_before`: it is not kept; `cut_after`: it is kept
   * and only the answer is lost), or keep the message and be `slow` to say so.
   */
  kind: (typeof mailFaultKinds)[number];
  /** Only for recipients that match, `*` being any characters; every one unless told. */
  recipient?: string;
  /** Where to refuse; `rcpt` unless told. */
  at?: 'rcpt' | 'data';
  /** The SMTP code to refuse with; 550 unless told. */
  code?: number;
  text?: string;
  /** How slow. */
  ms?: number;
  /** How many times; without end unless told. */
  times?: number;
}

export interface MailFaultList {
  add(fault: MailFault): void;
  clear(): void;
  /** The first fault of this kind, and place, for one of these recipients; it is used up by one. */
  strike(kind: MailFault['kind'], recipients: string[], at?: MailFault['at']): MailFault | undefined;
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
    strike(kind, recipients, at) {
      const struck = faults.find(
        ({ fault, matches }) =>
          fault.kind === kind && (at === undefined || (fault.at ?? 'rcpt') === at) && recipients.some(matches),
      );
      if (!struck) return undefined;
      struck.left -= 1;
      if (struck.left <= 0) faults = faults.filter((one) => one !== struck);
      return struck.fault;
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
