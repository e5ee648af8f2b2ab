import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

import type { Faults } from '../faults.ts';
import { isFor, type MailFault } from './faults.ts';
import type { MessageStore } from './store.ts';

export interface MailCounts {
  connections: number;
  /** Messages stored, whether or not the response reached the sender. */
  accepted: number;
  /** Rejected recipients and messages. */
  rejected: number;
  /** Connections cut on purpose. */
  cut: number;
}

export interface MailReceiver {
  readonly down: boolean;
  readonly counts: MailCounts;
  /** Stop listening and drop every connection, or listen again at the same port. */
  setDown(down: boolean): Promise<void>;
  resetCounts(): void;
}

interface Options {
  port: number;
  store: MessageStore;
  faults: Faults<MailFault>;
}

const messageBytesMax = 25 * 1024 * 1024;

/** An SMTP server that accepts every message, unless a fault is set. */
export async function startMailReceiver({ port, store, faults }: Options): Promise<MailReceiver> {
  let counts = noCounts();
  // By the remote port, which is all that a session has of its socket.
  const sockets = new Map<number, Socket>();

  const handlers: SMTPServerOptions = {
    onAuth: (_auth, _session, callback) => callback(null, { user: 'anyone' }),
    onConnect(_session, callback) {
      counts.connections += 1;
      callback();
    },
    onRcptTo({ address }, _session, callback) {
      const fault = faults.take(isFor('reject', [address], 'rcpt'));
      if (!fault) return callback();
      counts.rejected += 1;
      callback(smtpError(fault.code, fault.text));
    },
    onData(stream, session, callback) {
      const recipients = session.envelope.rcptTo.map(({ address }) => address);
      buffer(stream)
        .then((raw) => receiveMessage(raw, recipients, session))
        .then((error) => error !== 'cut' && callback(error), callback);
    },
  };

  async function receiveMessage(
    raw: Buffer,
    recipients: string[],
    session: SMTPServerSession,
  ): Promise<Error | null | 'cut'> {
    const rejection = faults.take(isFor('reject', recipients, 'data'));
    if (rejection) {
      counts.rejected += 1;
      return smtpError(rejection.code, rejection.text);
    }
    if (faults.take(isFor('cut_before', recipients))) return cut(session);
    await store.add(raw, recipients);
    counts.accepted += 1;
    const slow = faults.take(isFor('slow', recipients));
    if (slow) await wait(slow.ms ?? 1000, undefined, { ref: false });
    return faults.take(isFor('cut_after', recipients)) ? cut(session) : null;
  }

  function cut(session: SMTPServerSession): 'cut' {
    counts.cut += 1;
    sockets.get(session.remotePort)?.destroy();
    return 'cut';
  }

  async function open(): Promise<SMTPServer> {
    const server = new SMTPServer({
      ...handlers,
      authOptional: true,
      allowInsecureAuth: true,
      hideSTARTTLS: true,
      disableReverseLookup: true,
      size: messageBytesMax,
    });
    // A client may close its connection at any time.
    server.on('error', () => undefined);
    server.server.on('connection', (socket: Socket) => {
      const { remotePort = 0 } = socket;
      sockets.set(remotePort, socket);
      socket.once('close', () => sockets.delete(remotePort));
    });
    await new Promise<void>((resolve, reject) => {
      server.server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    return server;
  }

  let server: SMTPServer | undefined = await open();

  return {
    get down() {
      return server === undefined;
    },
    get counts() {
      return counts;
    },
    async setDown(down) {
      if (!down) {
        server ??= await open();
      } else if (server) {
        const closing = server;
        server = undefined;
        const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
        for (const socket of sockets.values()) socket.destroy();
        await closed;
      }
    },
    resetCounts() {
      counts = noCounts();
    },
  };
}

function noCounts(): MailCounts {
  return { connections: 0, accepted: 0, rejected: 0, cut: 0 };
}

function smtpError(code = 550, text = code < 500 ? 'Please try again later' : 'No such mailbox here'): Error {
  return Object.assign(new Error(text), { responseCode: code });
}
