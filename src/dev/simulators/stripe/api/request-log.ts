import { wildcards } from '../../faults.ts';

/** One API request and its outcome. */
export interface LoggedRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly params: object;
  readonly idempotency_key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The secret key; null until the request is authenticated. */
  account: string | null;
  /** The HTTP status; null until the response, and when the connection was cut. */
  status: number | null;
  fault: string | null;
  replayed: boolean;
}

const retainedMax = 50_000;

/** The latest API requests, oldest first. */
export class RequestLog {
  #requests: LoggedRequest[] = [];

  add(request: LoggedRequest): LoggedRequest {
    this.#requests.push(request);
    // Dropped in halves, so that a long run does not shift the array at every request.
    if (this.#requests.length > retainedMax * 2) this.#requests = this.#requests.slice(-retainedMax);
    return request;
  }

  matching(match = '*'): LoggedRequest[] {
    const pattern = wildcards(match);
    return this.#requests.filter(({ method, path }) => pattern.test(`${method} ${path}`));
  }

  clear(): void {
    this.#requests = [];
  }
}
