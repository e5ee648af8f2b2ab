/** What is wrong with a request, in Shippo's manner: by field, nested as the request is. */
export interface Problems {
  [field: string]: string[] | Problems;
}

/** An answer other than the one asked for. Thrown anywhere below an endpoint, sent by `api.ts`. */
export class RejectionKind extends Error {
  readonly status: number;
  readonly body: Problems | { detail: string };

  constructor(status: number, body: Problems | { detail: string }) {
    super(`${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
  }
}

export function badRequest(problems: Problems): RejectionKind {
  return new RejectionKind(400, problems);
}

export function notFound(): RejectionKind {
  return new RejectionKind(404, { detail: 'Not found.' });
}
