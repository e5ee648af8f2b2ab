export const faultKinds = [
  'status',
  'reset_before',
  'reset_after',
  'hang',
  'delay',
  'unknown_enum',
  'transaction_error',
  'no_rates',
  'queued',
  'unlisted',
] as const;

/** One way to misbehave, and when. */
export interface Fault {
  /** Method and path, with `*` as a wildcard: `POST /transactions`, `GET /tracks/*`, `*`. */
  match: string;
  kind: (typeof faultKinds)[number];
  /** Only for the account of this token. */
  account?: string;
  /** The status to answer with (kind `status`; 500 unless told). */
  status?: number;
  /** Perform the request's side effect first (kinds `status`, `hang` and `delay`). */
  after?: boolean;
  /** Sent as `Retry-After`. */
  retry_after?: number;
  /** How long to wait (kind `delay`). */
  ms?: number;
  /** How many requests it spoils; one unless told. */
  times?: number;
  /** The chance that it strikes, from 0 to 1; always unless told. */
  probability?: number;
  /** What the answer or its messages say. */
  code?: string;
  text?: string;
}

export interface FaultList {
  add(fault: Fault): void;
  clear(): void;
  /** The fault that strikes this request, which uses it up by one. */
  strike(request: { method: string; path: string; account: string }): Fault | undefined;
}

export function createFaultList(random: () => number): FaultList {
  let faults: { fault: Fault; matches: (line: string) => boolean; left: number }[] = [];
  return {
    add(fault) {
      faults.push({ fault, matches: lineMatcher(fault.match), left: fault.times ?? 1 });
    },
    clear() {
      faults = [];
    },
    strike({ method, path, account }) {
      const line = `${method} ${path}`;
      const struck = faults.find(
        ({ fault, matches }) =>
          matches(line) &&
          (fault.account === undefined || fault.account === account) &&
          (fault.probability === undefined || random() < fault.probability),
      );
      if (!struck) return undefined;
      struck.left -= 1;
      if (struck.left <= 0) faults = faults.filter((one) => one !== struck);
      return struck.fault;
    },
  };
}

/** Tells whether `METHOD /path` fits a pattern with `*` wildcards; a trailing slash never matters. */
export function lineMatcher(pattern: string): (line: string) => boolean {
  const source = pattern
    .replace(/\/+$/, '')
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const expression = new RegExp(`^${source}/*$`, 'i');
  return (line) => expression.test(line);
}
