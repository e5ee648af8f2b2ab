import { issueMessage } from '../../../lib/issue-message.ts';
import { formatMoney } from './format.ts';
import { type LabelOf, nameOfField } from './name-of-field.ts';

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
 * @param labelOf of the form that was sent
 * @param place what it is called where that is shown
 */
export function describeIssue(
  { path, detail }: Issue,
  currency: string | undefined,
  labelOf: LabelOf = () => undefined,
  place = nameOfField(partsOf(path), currency, labelOf),
): string {
  const isAmount = currency !== undefined && path.endsWith('_cents');
  const limited = isAmount ? detail.replace(/\d+(?=$|, )/, (cents) => formatMoney(Number(cents), currency)) : detail;
  const named = limited.replace(
    /\b[a-z]+(?:_[a-z]+)+\b|(?<=\b(?:before|than) )[a-z]+\b/g,
    (field) => labelOf([...partsOf(path).slice(0, -1), field].join('.')) ?? field,
  );
  return issueMessage(place, named);
}

const partsOf = (path: string) => path.split('/').filter(Boolean);
