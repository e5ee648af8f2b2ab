/** Numbers of one name, as Prometheus reads them. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: Iterable<readonly [series: string, value: number]>;
}

export type Labels = Readonly<Record<string, string | number | undefined>>;

/** The name of one series: `storefront_queue_due{queue="labels"}`. */
export function seriesOf(name: string, labels: Labels = {}): string {
  const pairs = Object.entries(labels).filter(([, value]) => value !== undefined);
  return pairs.length > 0
    ? `${name}{${pairs.map(([label, value]) => `${label}="${escapeLabel(String(value))}"`).join(',')}}`
    : name;
}

/** Prometheus' text format. A family without a number is left out. */
export function expose(families: readonly Family[]): string {
  return families
    .map(({ name, help, type, samples }) => {
      const lines = [...samples].map(([series, value]) => `${series} ${value}\n`);
      return lines.length > 0 ? `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}` : '';
    })
    .join('');
}

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
