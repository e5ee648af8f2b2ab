import { sql } from '#src/lib/sql.ts';
import type { Services } from '#src/services.ts';
import { backUp } from './database.ts';
import { until } from './until.ts';

/** Back up the database of the services, let something happen, and restore the backup while they run. */
export async function loseWhatHappens({ config, execute }: Services, happen: () => Promise<unknown>): Promise<void> {
  const backup = await backUp(config.databaseUrl);
  await reconnect(execute);
  await happen();
  await backup.restore();
  await backup.drop();
  await reconnect(execute);
}

/** Connections that were closed are noticed by the next statement of each. */
async function reconnect(execute: Services['execute']): Promise<void> {
  let inARow = 0;
  await until(async () => {
    inARow = await execute(sql`select 1`).then(
      () => inARow + 1,
      () => 0,
    );
    return inARow > 20;
  });
}
