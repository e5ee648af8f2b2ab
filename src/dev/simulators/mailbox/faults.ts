import Type, { type Static } from 'typebox';

import { wildcards } from '../faults.ts';

export const mailFaultKinds = ['reject', 'cut_before', 'cut_after', 'slow'] as const;

const optional = Type.Optional;

/** A fault of the mail server: until it is cleared, or `times` says otherwise. */
export const MailFault = Type.Object(
  {
    /**
     * `reject` a recipient (or the message, with `at: 'data'`), cut the connection after the whole message
     * (`cut_before`: it is not stored; `cut_after`: it is stored and only the response is lost), or store the
     * message and respond `slow`.
     */
    kind: Type.Enum([...mailFaultKinds]),
    /** Only for recipients that match, `*` being any characters; the default is every recipient. */
    recipient: optional(Type.String()),
    /** Where to reject; the default is `rcpt`. */
    at: optional(Type.Enum(['rcpt', 'data'])),
    /** The SMTP code; the default is 550. */
    code: optional(Type.Integer({ minimum: 400, maximum: 599 })),
    text: optional(Type.String()),
    /** The delay of `slow`. */
    ms: optional(Type.Number({ minimum: 0 })),
    times: optional(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
);
export type MailFault = Static<typeof MailFault>;

/** Whether a fault is of this kind, and place, and for one of these recipients. */
export function isFor(kind: MailFault['kind'], recipients: string[], at?: MailFault['at']) {
  return (fault: MailFault): boolean =>
    fault.kind === kind &&
    (at === undefined || (fault.at ?? 'rcpt') === at) &&
    recipients.some((recipient) => wildcards(fault.recipient ?? '*').test(recipient));
}
