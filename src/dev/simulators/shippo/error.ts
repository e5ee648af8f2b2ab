/** The errors of a request in Shippo's format: by field, nested as the request is. */
export interface Problems {
  [field: string]: string[] | Problems;
}

/** An error response. Thrown below an endpoint, sent by `api.ts`. */
export class ShippoError extends Error {
  readonly status: number;
  readonly body: Problems | { detail: string };

  constructor(status: number, body: Problems | { detail: string }) {
    super(`${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
  }
}

export function badRequest(problems: Problems): ShippoError {
  return new ShippoError(400, problems);
}

export function notFound(): ShippoError {
  return new ShippoError(404, { detail: 'Not found.' });
}
