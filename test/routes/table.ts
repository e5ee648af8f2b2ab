import type { Standing } from './obligations.ts';

/** A table in Markdown: a line for each route, and below it whatever is missing. */
export function describeRoutes(standings: readonly Standing[]): string {
  const head = ['route', 'audience', 'statements', 'success', 'refusals', 'other store', 'scope', 'body'];
  const rows = standings.map(rowOf);
  const debts = debtsOf(standings);
  return [
    ...[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`),
    '',
    debts.length === 0 ? `${standings.length} routes, and nothing is missing.` : `Missing:\n${debts.join('\n')}`,
  ].join('\n');
}

/** Each thing that is missing, as a line. */
export function debtsOf(standings: readonly Standing[]): string[] {
  return standings.flatMap(({ name, debts }) => debts.map((debt) => `  ${name} ${debt}`));
}

function rowOf({ name, route, statements, successes, errors, isForeign }: Standing): string[] {
  const { audience, body, rawBody } = route;
  const tested = (isMet: boolean | undefined) => (isMet ? '✓' : '✗');
  const count = [...errors.values()].filter(Boolean).length;
  return [
    name,
    'scope' in audience ? `${audience.kind} ${audience.scope}` : audience.kind,
    statements === undefined ? '✗' : [...new Set(statements)].join('–'),
    [...successes].map(([status, isMet]) => `${status} ${tested(isMet)}`).join(' '),
    `${count}/${errors.size}${count === errors.size ? ' ✓' : ''}`,
    isForeign === undefined ? '' : tested(isForeign),
    'scope' in audience ? tested(errors.get('insufficient_scope')) : '',
    body || rawBody ? tested(errors.get('invalid_request')) : '',
  ];
}
