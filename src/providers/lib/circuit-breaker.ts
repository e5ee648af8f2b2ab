import { LRUCache } from 'lru-cache';
import { storedFailure } from '#src/domain/ports/payment-gateway.ts';
import { ProviderError } from '#src/lib/errors.ts';

interface Circuit {
  failuresInARow: number;
  openUntil: number;
  probing: boolean;
}

/** How many circuits are stored; the least recently used one is dropped. */
const circuitsMax = 10_000;

/**
 * Stops calls to a provider that does not respond: after `failures` in a row the circuit of that account is open for
 * `openMs`, then one call is let through. An error response is no failure of this kind: only a missing response is.
 *
 * Each tenant and provider has its own circuit, so that the failures of one store's account do not affect another's.
 */
export class CircuitBreaker {
  readonly #openMs: number;
  readonly #failures: number;
  readonly #now: () => number;
  readonly #circuits = new LRUCache<string, Circuit>({ max: circuitsMax });

  constructor({
    openMs,
    failures,
    now = () => performance.now(),
  }: { openMs: number; failures: number; now?: () => number }) {
    this.#openMs = openMs;
    this.#failures = failures;
    this.#now = now;
  }

  /**
   * Run `work`, unless the circuit is open: then nothing is sent.
   * @throws ProviderError `busy` with the code `circuit_open`, or whatever `work` throws
   */
  async run<Result>(provider: string, key: string, work: () => Promise<Result>): Promise<Result> {
    const circuit = this.#circuitOf(`${provider}\n${key}`);
    const now = this.#now();
    if (now < circuit.openUntil || circuit.probing) throw circuitOpen(provider, circuit.openUntil - now);
    const isProbe = circuit.failuresInARow >= this.#failures;
    circuit.probing = isProbe;
    try {
      const result = await work();
      close(circuit);
      return result;
    } catch (error) {
      if (isSilence(error)) this.#countFailure(circuit);
      else close(circuit);
      throw error;
    } finally {
      // A call that began before the circuit opened may end while another one probes.
      if (isProbe) circuit.probing = false;
    }
  }

  /** The number of open circuits by provider: their next call is rejected, or let through alone. */
  openByProvider(): Record<string, number> {
    const open: Record<string, number> = {};
    for (const [key, { failuresInARow }] of this.#circuits) {
      const [provider = ''] = key.split('\n');
      if (failuresInARow >= this.#failures) open[provider] = (open[provider] ?? 0) + 1;
    }
    return open;
  }

  #countFailure(circuit: Circuit): void {
    circuit.failuresInARow += 1;
    const now = this.#now();
    // A call that began before the circuit opened tells nothing new when it ends without a response, too.
    if (circuit.failuresInARow >= this.#failures && now >= circuit.openUntil) circuit.openUntil = now + this.#openMs;
  }

  #circuitOf(key: string): Circuit {
    const circuit = this.#circuits.get(key) ?? { failuresInARow: 0, openUntil: 0, probing: false };
    this.#circuits.set(key, circuit);
    return circuit;
  }
}

/** The provider has responded, also if to a call that began before the circuit opened. */
function close(circuit: Circuit): void {
  circuit.failuresInARow = 0;
  circuit.openUntil = 0;
}

const isSilence = (error: unknown) =>
  error instanceof ProviderError && error.failure === 'away' && error.code !== storedFailure;

function circuitOpen(provider: string, remainingMs: number): ProviderError {
  const retryAfterSeconds = Math.max(1, Math.ceil(remainingMs / 1000));
  return new ProviderError(provider, 'busy', `${provider} has not responded lately: calls are paused.`, {
    code: 'circuit_open',
    retryAfterSeconds,
  });
}
