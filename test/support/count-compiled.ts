import { Ajv2020 } from 'ajv/dist/2020.js';

/**
 * The number of schemas that validators are compiled from meanwhile. A validator stays as long as its process, so that
 * what is done again must compile none. Only for what runs alone (`test.serial`).
 */
export async function countCompiled(work: () => Promise<unknown>): Promise<number> {
  const { compile } = Ajv2020.prototype;
  let count = 0;
  Ajv2020.prototype.compile = function (this: Ajv2020, ...given: Parameters<typeof compile>) {
    count += 1;
    return compile.apply(this, given);
  } as typeof compile;
  try {
    await work();
    return count;
  } finally {
    Ajv2020.prototype.compile = compile;
  }
}
