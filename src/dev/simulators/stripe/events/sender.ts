import { Agent, request as httpRequest } from 'node:http';
import { request as httpsRequest, Agent as SecureAgent } from 'node:https';

/** Sends POSTs over kept connections, and lets go of all of them at once. */
export class Sender {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });
  readonly #secureAgent = new SecureAgent({ keepAlive: true, maxSockets: 32 });

  /** The status of the reply; null when none came in time. Redirects are not followed. */
  post(url: string, body: string, headers: Record<string, string>, timeoutMs: number): Promise<number | null> {
    const secure = url.startsWith('https:');
    const send = secure ? httpsRequest : httpRequest;
    return new Promise((resolve) => {
      const request = send(
        url,
        {
          method: 'POST',
          agent: secure ? this.#secureAgent : this.#agent,
          headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
          timeout: timeoutMs,
        },
        (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode ?? null));
          response.on('error', () => resolve(null));
        },
      );
      request.on('timeout', () => request.destroy());
      request.on('error', () => resolve(null));
      request.on('close', () => resolve(null));
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
    this.#secureAgent.destroy();
  }
}
