import { issueMessage } from '../../../lib/issue-message.ts';
import { formatMoney } from './format.ts';
import { nameOfField } from './name-of-field.ts';

/** One problem of a request, and where it is. */
interface Issue {
  /** A JSON pointer. */
  readonly path: string;
  readonly detail: string;
}

/**
 * What the part of the input must be, as a sentence: "Variants, 1, Price must be at most $999.99." The API counts minor
 * units.
 * @param currency of the amounts that were sent
 */
export function describeIssue({ path, detail }: Issue, currency: string | undefined): string {
  const isAmount = currency !== undefined && path.endsWith('_cents');
  const limited = isAmount ? detail.replace(/\d+$/, (cents) => formatMoney(Number(cents), currency)) : detail;
  return issueMessage(nameOfField(path.split('/').filter(Boolean), currency), limited);
}
