import type { ShippingConnection } from '#src/domain/ports/shipping-gateway.ts';
import { seconds } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import type { Log } from '#src/lib/log.ts';
import { signalWithin } from '#src/lib/signal-within.ts';

const usualTimeoutMs = seconds(8);

/**
 * EasyPost, only to check whether a key works. Both test and live keys may read the address list.
 */
export function createEasypostConnection({
  baseUrl = 'https://api.easypost.com',
  log,
}: {
  baseUrl?: string;
  log: Log;
}): ShippingConnection {
  return {
    async checkAccount({ apiKey }, { timeoutMs = usualTimeoutMs, signal } = {}) {
      const startedAt = performance.now();
      const status = await fetch(`${baseUrl}/v2/addresses?page_size=1`, {
        headers: { authorization: `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}` },
        redirect: 'error',
        signal: signalWithin(timeoutMs, signal),
      }).then(
        async (response) => {
          await response.body?.cancel();
          return response.status;
        },
        () => undefined,
      );
      log.info(
        { provider: 'easypost', operation: 'addresses.list', status, ms: Math.round(performance.now() - startedAt) },
        'provider call',
      );
      if (status === undefined || status >= 500) throw failed('away', 'EasyPost did not respond.');
      if (status === 401 || status === 403) throw failed('denied', 'EasyPost rejected the key.');
      if (status === 429) throw failed('busy', "EasyPost's rate limit was exceeded.");
      if (status !== 200) throw failed('refused', `EasyPost responded with ${status}.`);
    },
  };
}

const failed = (failure: ProviderError['failure'], message: string) => new ProviderError('easypost', failure, message);
