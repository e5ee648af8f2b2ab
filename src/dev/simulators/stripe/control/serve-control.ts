import { type Exchange, readBody, sendJson } from '../wire/http.ts';
import { RejectionKind } from '../wire/refusal.ts';
import { Router } from '../wire/router.ts';
import type { SimulatorState } from '../world.ts';
import { type Ask, controlRoutes } from './control-routes.ts';

const router = new Router(Object.entries(controlRoutes));

/** Serve what a test asks of the simulator itself, in JSON. */
export async function serveControl(world: SimulatorState, exchange: Exchange): Promise<void> {
  const { request, response, method, path, query } = exchange;
  const found = router.match(method, path);
  if (!found) return sendJson(response, 404, { error: `no control route ${method} ${path}` });
  const text = await readBody(request);
  const ask: Ask = { world, id: found.id, query: new URLSearchParams(query), text };
  try {
    sendJson(response, 200, (await found.value(ask)) ?? {});
  } catch (error) {
    if (error instanceof RejectionKind) return sendJson(response, error.status, error.body);
    if (error instanceof SyntaxError) return sendJson(response, 400, { error: error.message });
    world.log(`control: ${error instanceof Error ? error.stack : error}`);
    sendJson(response, 500, { error: String(error) });
  }
}
