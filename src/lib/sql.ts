/** One SQL statement, or a part of one, with its values apart from its text. */
export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }

  /** The text with `$1…` for PostgreSQL. */
  get text(): string {
    return this.strings.reduce((text, part, index) => `${text}$${index}${part}`);
  }
}

/**
 * Write SQL as text with values in place: sql`select … where id = ${id}`. A value becomes a parameter, an array
 * one array parameter, and another `Sql` a part of the statement.
 */
export function sql(strings: TemplateStringsArray, ...given: unknown[]): Sql {
  if (!given.some((value) => value instanceof Sql)) return new Sql(strings, given);

  const texts = [strings[0] ?? ''];
  const values: unknown[] = [];
  const append = (text: string) => texts.push((texts.pop() ?? '') + text);
  given.forEach((value, index) => {
    if (value instanceof Sql) {
      append(value.strings[0] ?? '');
      texts.push(...value.strings.slice(1));
      values.push(...value.values);
    } else {
      values.push(value);
      texts.push('');
    }
    append(strings[index + 1] ?? '');
  });
  return new Sql(texts, values);
}

/** Text that is part of our own code, never of a caller's input. */
export function rawSql(text: string): Sql {
  return new Sql([text], []);
}

/** Text in lower case as `toLowerCase` has it, whatever the locale of the database: in Turkish, an I becomes an ı. */
export function lowerCase(text: Sql): Sql {
  return sql`lower((${text}) collate "und-x-icu")`;
}

/**
 * A text that PostgreSQL does not know when it plans, such as the id of a store. It then expects the rows that a store
 * has on average, and none by the id of one that has grown since the table was analyzed.
 */
export function opaque(text: string): Sql {
  return sql`(select ${text}::text)`;
}

/** The condition that all of these are true, without those that are `false`. */
export function allOf(...conditions: readonly (Sql | false)[]): Sql {
  return joinSql([sql`true`, ...conditions.filter((condition) => condition !== false)], ' and ');
}

/** The parts joined by a separator such as ` and `. */
export function joinSql(parts: readonly Sql[], separator: string): Sql {
  return parts.reduce(
    (joined, part, index) => (index === 0 ? part : sql`${joined}${rawSql(separator)}${part}`),
    rawSql(''),
  );
}
