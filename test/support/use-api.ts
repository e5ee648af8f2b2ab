import type { TestFn } from 'ava';

import { serveApi, type TestApi } from './api.ts';
import { type TestContext, useContext } from './context.ts';

export interface ApiContext extends TestContext {
  api: TestApi;
}

/** `useContext`, and the real application on a port of its own for each test. */
export function useApi(
  test: TestFn<ApiContext>,
  options: Parameters<typeof useContext>[1] & Parameters<typeof serveApi>[1] = {},
): void {
  useContext(test as unknown as TestFn<TestContext>, options);
  test.beforeEach(async (t) => {
    t.context.api = await serveApi(t.context.services, options);
  });
  test.afterEach.always(async (t) => {
    await t.context.api?.close();
  });
}
