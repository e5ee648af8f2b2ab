interface Route<Value> {
  readonly pattern: RegExp;
  readonly value: Value;
}

/** Finds what serves `POST /v1/customers/{id}`. The first route that fits wins. */
export class Router<Value> {
  readonly #routes = new Map<string, Route<Value>[]>();

  constructor(routes: Iterable<readonly [route: string, value: Value]>) {
    for (const [route, value] of routes) {
      const [method = '', path = ''] = route.split(' ');
      const pattern = new RegExp(`^${path.replace(/\{(\w+)\}/g, '([^/]+)')}$`);
      const key = shape(method, path);
      this.#routes.set(key, [...(this.#routes.get(key) ?? []), { pattern, value }]);
    }
  }

  match(method: string, path: string): { value: Value; id: string } | undefined {
    for (const { pattern, value } of this.#routes.get(shape(method, path)) ?? []) {
      const found = pattern.exec(path);
      if (found) return { value, id: decoded(found[1] ?? '') };
    }
    return undefined;
  }
}

// A badly encoded id is an id that no object has.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function shape(method: string, path: string): string {
  return `${method} ${path.split('/').length}`;
}
