import test from 'ava';

import { givenVariables } from '#src/dev/stack/start-stack.ts';

test("the demo and the developer's stack do as the shell says, wherever it names a documented variable", (t) => {
  const shell = {
    RATE_LIMIT_SCALE: '100',
    WEBHOOK_RETRY_SCHEDULE: '0s,1s',
    DATABASE_URL: 'postgres://there',
    SMTP_URL: '',
    APP_MODE: 'live',
    LOCAL_MODE: '0',
    PORT: '3000',
    LOG_LEVEL: 'silent',
    HOME: '/root',
  };
  t.deepEqual(givenVariables(shell), {
    RATE_LIMIT_SCALE: '100',
    WEBHOOK_RETRY_SCHEDULE: '0s,1s',
    DATABASE_URL: 'postgres://there',
  });
});
