import type { RouteCoverage } from './coverage.ts';

/** A table in Markdown: a line for each route, and below it whatever is missing. */
export function describeRoutes(coverage: readonly RouteCoverage[]): string {
  const head = ['route', 'audience', 'statements', 'success', 'rejections', 'other store', 'scope', 'body'];
  const rows = coverage.map(rowOf);
  const gaps = gapsOf(coverage);
  return [
    ...[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`),
    '',
    gaps.length === 0 ? `${coverage.length} routes, and nothing is missing.` : `Missing:\n${gaps.join('\n')}`,
  ].join('\n');
}

/** Each thing that is missing, as a line. */
export function gapsOf(coverage: readonly RouteCoverage[]): string[] {
  return coverage.flatMap(({ name, gaps }) => gaps.map((gap) => `  ${name} ${gap}`));
}

function rowOf({ name, route, statements, successes, errors, isForeign }: RouteCoverage): string[] {
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
