import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The functions of this repository that run in this process during the work, by the path of their file. */
export async function executedFunctions(work: () => Promise<void>): Promise<ReadonlyMap<string, readonly string[]>> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return new Map(
      result
        .filter(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/'))
        .map(({ url, functions }) => [
          relative(root, fileURLToPath(url)),
          // The function without a name at the beginning is the module itself.
          functions
            .filter(({ functionName, ranges: [range] }) => range?.count && (functionName || range.startOffset))
            .map(({ functionName }) => functionName),
        ]),
    );
  } finally {
    session.disconnect();
  }
}
