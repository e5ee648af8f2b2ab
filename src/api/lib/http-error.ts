import { summarizeIssues } from '#src/lib/issue-message.ts';
import type { Issue } from '#src/lib/validation.ts';

/** An error that only HTTP has: a wrong method, type, size or syntax. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly code: string;
  readonly issues: readonly Issue[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    detail: string,
    more: { issues?: readonly Issue[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.issues = more.issues ?? [];
    this.headers = more.headers ?? {};
  }
}

/** The error for a value that does not match its schema: all issues with their paths, and the first as the message. */
export function invalidRequest(issues: readonly Issue[], where: string): HttpError {
  return new HttpError(400, 'invalid_request', summarizeIssues(issues, `The ${where}`), { issues });
}
