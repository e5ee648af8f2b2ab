/** A function that calls a simulator's control API, or another of its JSON, below this URL. */
export function controlCaller(url: string) {
  return async function call<Reply>(method: string, path: string, body?: object): Promise<Reply> {
    const response = await fetch(url + path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
    return JSON.parse(text || 'null');
  };
}
