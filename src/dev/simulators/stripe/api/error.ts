/** The fields of an error besides its message. */
export interface ErrorDetails {
  readonly code?: string;
  readonly param?: string;
  readonly type?: string;
}

/** An error response in Stripe's envelope. */
export class StripeError extends Error {
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(status: number, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = 'StripeError';
    this.status = status;
    this.details = details;
  }

  /** The JSON body, as the SDKs expect it. */
  get body(): object {
    const { code, param, type = 'invalid_request_error' } = this.details;
    return {
      error: {
        ...(code && { code, doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}` }),
        message: this.message,
        ...(param && { param }),
        type,
      },
    };
  }
}

/** 400: the request is invalid, whatever the state of the account. */
export function invalid(message: string, param?: string, code?: string): StripeError {
  return new StripeError(400, message, { ...(param && { param }), ...(code && { code }) });
}

/** 400: a required parameter is missing. */
export function missing(param: string): StripeError {
  return invalid(`Missing required param: ${param}.`, param, 'parameter_missing');
}

/** 400: exactly one of these parameters is required. */
export function oneOf(params: readonly string[], prefix = ''): StripeError {
  const names = params.map((name) => (prefix ? `${prefix}[${name}]` : name));
  const message = `You must specify exactly one of these parameters: ${names.join(', ')}.`;
  return invalid(message, names[0], 'parameters_exclusive');
}

/** The named object is not in this account: 404 for the id in the path, 400 for one in a parameter. */
export function noSuch(kind: string, id: string, param = 'id'): StripeError {
  const message = `No such ${kind}: '${id}'`;
  return new StripeError(param === 'id' ? 404 : 400, message, { code: 'resource_missing', param });
}
