/** Which requests of an API meet a fault, and how often. */
export interface RequestFault {
  /** Method and path, `*` for any run of characters: `POST /v1/checkout/sessions*`. */
  readonly match: string;
  /** Only for the account of this key. */
  readonly account?: string;
  /** How many requests. */
  readonly times?: number;
  /** The probability that it applies, from 0 to 1; the default is always. */
  readonly probability?: number;
}

/** The faults that are set, each until it is used up. */
export class Faults<Fault extends { readonly times?: number }> {
  #set: { readonly fault: Fault; left: number }[] = [];

  add(fault: Fault, defaultTimes: number): void {
    this.#set.push({ fault, left: fault.times ?? defaultTimes });
  }

  clear(): void {
    this.#set = [];
  }

  /** The first fault that applies, which counts as one use. */
  take(applies: (fault: Fault) => boolean): Fault | undefined {
    const found = this.#set.find(({ fault }) => applies(fault));
    if (!found) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.#set = this.#set.filter((other) => other !== found);
    return found.fault;
  }
}

/** Whether the request, such as `GET /v1/refunds`, meets a fault. */
export function meets(request: string, account: string, random: () => number): (fault: RequestFault) => boolean {
  return (fault) =>
    (fault.account === undefined || fault.account === account) &&
    wildcards(fault.match).test(request) &&
    (fault.probability === undefined || random() < fault.probability);
}

/** A pattern in which `*` is any run of characters. Neither case nor a slash at the end matters. */
export function wildcards(pattern: string): RegExp {
  const parts = pattern.replace(/\/+$/, '').split('*');
  return new RegExp(`^${parts.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*')}/*$`, 'i');
}
