/** What Prometheus stores of one scrape. */
export interface Scrape {
  readonly atMs: number;
  /** Empty where the target did not respond. */
  readonly series: ReadonlyMap<string, number>;
}

/** Values by their labels, as they are written: `{queue="labels"}`. */
type Vector = ReadonlyMap<string, number>;

/** Prometheus does not look further back for the last scrape. */
const lookbackMs = 5 * 60_000;

export function readScrape(atMs: number, text: string): Scrape {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return {
    atMs,
    series: new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    ),
  };
}

/**
 * Whether the condition of an alert holds at the last of these scrapes. Reads the part of PromQL that the documents use,
 * and fails on any other.
 */
export function holds(expression: string, scrapes: readonly Scrape[]): boolean {
  const tokens = expression.match(/[\w.]+|"[^"]*"|[!=]~|!=|==|[-+*/(){}[\],<>=]/g) ?? [];
  const last = scrapes.at(-1) ?? { atMs: 0, series: new Map() };
  let position = 0;

  const peek = () => tokens[position] ?? '';
  function take(expected?: string): string {
    const token = tokens[position++] ?? '';
    if (expected !== undefined && token !== expected) throw new Error(`"${token}", not "${expected}": ${expression}`);
    return token;
  }

  function readSets(): Vector {
    let value = readComparison();
    while (['or', 'unless'].includes(peek())) {
      const isOr = take() === 'or';
      const left = value;
      const right = readComparison();
      value = isOr ? new Map([...right, ...left]) : new Map([...left].filter(([labels]) => !right.has(labels)));
    }
    return value;
  }

  function readComparison(): Vector {
    const left = readProduct();
    if (!['>', '<', '=='].includes(peek())) return left;
    const operator = take();
    const right = readProduct();
    const isTrue = (a: number, b: number) => (operator === '>' ? a > b : operator === '<' ? a < b : a === b);
    return new Map(
      [...left].filter(([labels, value]) => {
        const other = right.get(labels) ?? right.get('scalar');
        return other !== undefined && isTrue(value, other);
      }),
    );
  }

  function readProduct(): Vector {
    const left = readPrimary();
    if (peek() !== '*') return left;
    take();
    const factor = left.get('scalar') ?? NaN;
    return new Map([...readPrimary()].map(([labels, value]) => [labels, value * factor]));
  }

  function readPrimary(): Vector {
    const token = take();
    if (/^[0-9.]+$/.test(token)) return new Map([['scalar', Number(token)]]);
    if (token === '(') {
      const value = readSets();
      take(')');
      return value;
    }
    if (peek() !== '(') return readSelector(token);
    take('(');
    const value = call(token);
    take(')');
    return value;
  }

  function call(name: string): Vector {
    if (name === 'rate') return readRate();
    const argument = readSets();
    switch (name) {
      case 'sum':
        return argument.size > 0
          ? new Map([['', [...argument.values()].reduce((sum, value) => sum + value, 0)]])
          : argument;
      case 'absent':
        return argument.size > 0 ? new Map() : new Map([['', 1]]);
      case 'vector':
        return new Map([['', argument.get('scalar') ?? NaN]]);
      default:
        throw new Error(`unknown function ${name}: ${expression}`);
    }
  }

  function readSelector(name: string): Vector {
    const matches = readMatchers(name);
    let atMs = last.atMs;
    if (peek() === 'offset') {
      take();
      atMs -= minutesOf(take());
    }
    // A series that the last scrape does not have is gone at once, as all are where the target did not respond.
    const scrape = scrapes.findLast((one) => one.atMs <= atMs && one.atMs > atMs - lookbackMs);
    return new Map([...(scrape?.series ?? [])].filter(([series]) => matches(series)).map(withoutName));
  }

  /** The increase of each series per second. A decrease is a restart, after which all of it is new. */
  function readRate(): Vector {
    const matches = readMatchers(take());
    take('[');
    const rangeMs = minutesOf(take());
    take(']');
    const values = new Map<string, number[]>();
    for (const { atMs, series } of scrapes) {
      if (atMs <= last.atMs - rangeMs) continue;
      for (const [name, value] of series) if (matches(name)) values.set(name, [...(values.get(name) ?? []), value]);
    }
    return new Map(
      [...values]
        .filter(([, { length }]) => length > 1)
        .map(([name, seen]) => {
          const increase = seen.reduce((sum, value, index) => {
            const before = seen[index - 1] ?? value;
            return sum + (value < before ? value : value - before);
          }, 0);
          return withoutName([name, increase / (rangeMs / 1000)]);
        }),
    );
  }

  function readMatchers(name: string): (series: string) => boolean {
    const matchers: ((labels: string) => boolean)[] = [];
    if (peek() === '{') {
      do {
        take();
        const label = take();
        const operator = take();
        const wanted = take().slice(1, -1);
        matchers.push((labels) => {
          const value = new RegExp(`[{,]${label}="([^"]*)"`).exec(labels)?.[1] ?? '';
          const equals = operator.endsWith('~') ? new RegExp(`^(?:${wanted})$`).test(value) : value === wanted;
          return operator.startsWith('!') ? !equals : equals;
        });
      } while (peek() === ',');
      take('}');
    }
    return (series) =>
      (series === name || series.startsWith(`${name}{`)) && matchers.every((matcher) => matcher(series));
  }

  const value = readSets();
  if (position < tokens.length) throw new Error(`"${peek()}" was not read: ${expression}`);
  return value.size > 0;
}

function withoutName([series, value]: [string, number]): [string, number] {
  return [/\{.*\}$/.exec(series)?.[0] ?? '', value];
}

function minutesOf(duration: string): number {
  const [, count] = /^([0-9]+)m$/.exec(duration) ?? [];
  if (count === undefined) throw new Error(`"${duration}" is not a number of minutes.`);
  return Number(count) * 60_000;
}
