import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Where a server may respond otherwise: at the start, to a command, and to the end of an email. */
export type SmtpStep = 'greeting' | 'EHLO' | 'STARTTLS' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'email';

const responses: Record<SmtpStep, string> = {
  greeting: '220 mail.example',
  EHLO: '250 mail.example',
  STARTTLS: '502 Unknown',
  AUTH: '235 Welcome',
  MAIL: '250 OK',
  RCPT: '250 OK',
  DATA: '354 Go ahead',
  email: '250 OK',
};

/** The other greeting of a client is responded to as `EHLO` is. */
const stepOf = (command: string) => (/^[A-Z]+/.exec(command)?.[0] ?? '').replace('HELO', 'EHLO') as SmtpStep;

/**
 * A mail server that responds as it is told, and otherwise accepts everything.
 * @param script the response by step; `null` closes the connection instead, and with '' it stalls
 */
export async function startScriptedSmtpServer(script: Partial<Record<SmtpStep, string | null>>) {
  const commands: string[] = [];
  const emails: string[] = [];
  const server = createServer((socket) => {
    const respond = (step: SmtpStep) => {
      const response = script[step] === undefined ? (responses[step] ?? '221 Bye') : script[step];
      if (response === null) socket.destroy();
      else if (response !== '') socket.write(`${response.replaceAll('\n', '\r\n')}\r\n`);
      return response?.startsWith('354') ?? false;
    };
    serve(socket, respond);
  });

  function serve(socket: Socket, respond: (step: SmtpStep) => boolean): void {
    let received = '';
    let isInEmail = false;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received += chunk.toString();
      for (;;) {
        const end = isInEmail ? '\r\n.\r\n' : '\r\n';
        const at = received.indexOf(end);
        if (at < 0) return;
        const piece = received.slice(0, at);
        received = received.slice(at + end.length);
        (isInEmail ? emails : commands).push(piece);
        isInEmail = respond(isInEmail ? 'email' : stepOf(piece));
      }
    });
    respond('greeting');
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    commands,
    emails,
    close: () => server.close(),
  };
}
