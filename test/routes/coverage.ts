import type { Route } from '#src/api/lib/define-route.ts';
import { documentedErrors } from '#src/api/lib/documented-errors.ts';
import type { ErrorCode } from '#src/api/lib/error-codes.ts';
import type { RecordedResponse } from '#test/support/record-responses.ts';
import { statementsAtMost } from './statements.ts';

/** Which documented responses of a route the tests got. */
export interface RouteCoverage {
  readonly name: string;
  readonly route: Route;
  /** The SQL statements of its successful responses: the fewest and the most. */
  readonly statements: readonly [fewest: number, most: number] | undefined;
  /** The statuses and errors that it documents, and whether any test got each. */
  readonly successes: ReadonlyMap<number, boolean>;
  readonly errors: ReadonlyMap<ErrorCode, boolean>;
  /** Whether another store's request for its objects got 404 in a test; undefined where no id is requested. */
  readonly isForeign: boolean | undefined;
  /** What is missing, as sentences without a subject. */
  readonly gaps: readonly string[];
}

/** Errors that the code never returns deliberately. */
const never: readonly ErrorCode[] = ['internal_error'];

/** Compare the responses in the tests with the documented ones of the routes. */
export function coverageOf(routes: readonly Route[], responses: readonly RecordedResponse[]): RouteCoverage[] {
  const byRoute = Map.groupBy(responses, ({ route }) => route);
  return routes.map((route) => coverageOfRoute(route, byRoute.get(nameOf(route)) ?? []));
}

const nameOf = ({ method, path }: Route): string => `${method.toUpperCase()} ${path}`;

function coverageOfRoute(route: Route, responses: readonly RecordedResponse[]): RouteCoverage {
  const name = nameOf(route);
  const successes = new Map(
    Object.keys(route.responses).map((status): [number, boolean] => [
      Number(status),
      responses.some((response) => response.status === Number(status)),
    ]),
  );
  const errors = new Map(
    documentedErrors(route)
      .filter((code) => !never.includes(code))
      .map((code): [ErrorCode, boolean] => [code, responses.some((response) => response.code === code)]),
  );
  const isForeign = takesAnId(route) ? responses.some((response) => response.isForeign) : undefined;
  const counts = responses
    .filter(({ status, statements }) => status in route.responses && statements >= 0)
    .map(({ statements }) => statements);
  const statements = counts.length === 0 ? undefined : ([Math.min(...counts), Math.max(...counts)] as const);
  const ceiling = statementsAtMost[name];
  const gaps = [
    ...[...successes].filter(([, isMet]) => !isMet).map(([status]) => `never returns ${status}`),
    ...[...errors].filter(([, isMet]) => !isMet).map(([code]) => `never rejects with ${code}`),
    ...(isForeign === false ? ['is never requested by another store for what one has'] : []),
    ...(ceiling === undefined ? ['has no count of statements in test/routes/statements.ts'] : []),
    ...(statements && ceiling !== undefined && statements[1] > ceiling
      ? [`takes ${statements[1]} statements, not ${ceiling}`]
      : []),
  ];
  return { name, route, statements, successes, errors, isForeign, gaps };
}

/**
 * The name of a provider, a type of content and a store's slug stand for no row of a store. Where a token in a link
 * decides, another store's token is simply a wrong one.
 */
function takesAnId({ params, audience, errors = [] }: Route): boolean {
  const names = Object.keys(params?.properties ?? {}).filter(
    (name) => !['provider', 'kind', 'type', 'tenant_slug'].includes(name),
  );
  const isDecidedByToken = audience.kind === 'public' && errors.includes('invalid_or_expired_token');
  return audience.kind !== 'inbound' && !isDecidedByToken && names.length > 0;
}
