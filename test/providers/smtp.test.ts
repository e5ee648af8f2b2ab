import { type AddressInfo, createServer } from 'node:net';
import test from 'ava';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { startMailbox } from '#src/dev/simulators/mailbox/simulator.ts';
import { ProviderError, type ProviderFailure } from '#src/lib/errors.ts';
import { classifyError } from '#src/providers/smtp/classify-error.ts';
import { createSmtpMailer } from '#src/providers/smtp/smtp-mailer.ts';
import { newAddress } from '../support/factories/mail.ts';
import { type SmtpStep, startScriptedSmtpServer } from '../support/scripted-smtp-server.ts';

const mail = (to = newAddress()) => ({
  messageId: '<1@shop.example>',
  from: { name: 'Shop', address: 'post@shop.example' },
  to,
  subject: 'Hello',
  text: 'Hello.',
  html: '<p>Hello.</p>',
  headers: {},
});

function failureKindOf(failure: {
  code?: string;
  command?: string;
  responseCode?: number;
  response?: string;
  isBegun?: boolean;
}): ProviderFailure | 'bounced' {
  try {
    const { isBegun = false } = failure;
    const { outcome } = classifyError(Object.assign(new Error('smtp'), failure), { isBegun });
    return outcome === 'bounced' ? 'bounced' : 'away';
  } catch (error) {
    if (error instanceof ProviderError) return error.failure;
    throw error;
  }
}

const rcpt = (responseCode: number, response: string) => ({
  code: 'EENVELOPE',
  command: 'RCPT TO',
  responseCode,
  response,
});

test('classifyError decides by the SMTP response whether an email is retried, fails or has bounced', (t) => {
  const table: [Parameters<typeof failureKindOf>[0], ReturnType<typeof failureKindOf>][] = [
    [rcpt(550, '550 5.1.1 No such user'), 'bounced'],
    [rcpt(550, '550 no such mailbox'), 'bounced'],
    [rcpt(551, '551 not here'), 'bounced'],
    [rcpt(550, '550 relay not permitted'), 'refused'],
    [rcpt(550, '550 Your network is blocked'), 'refused'],
    [rcpt(553, '553 sorry, that domain is not in my list of allowed rcpthosts'), 'refused'],
    [rcpt(550, '550 5.2.1 Mailbox disabled'), 'bounced'],
    [rcpt(550, '550 5.7.1 Blocked by policy'), 'refused'],
    [rcpt(552, '552 5.2.2 Mailbox full'), 'refused'],
    [rcpt(554, '554 5.7.1 Relay denied'), 'refused'],
    [rcpt(451, '451 4.7.1 Greylisted'), 'busy'],
    [{ code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 550, response: '550 5.1.8 Sender unknown' }, 'denied'],
    [{ code: 'EMESSAGE', command: 'DATA', responseCode: 554, response: '554 5.7.1 Spam' }, 'refused'],
    [{ code: 'EMESSAGE', command: 'DATA', responseCode: 452, response: '452 4.3.1 Full' }, 'busy'],
    [{ code: 'ECONNECTION', command: 'CONN', responseCode: 421, response: '421 Shutting down' }, 'busy'],
    [{ code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535, response: '535 5.7.8 Bad credentials' }, 'denied'],
    [{ code: 'EAUTH', command: 'API' }, 'denied'],
    [{ code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 530, response: '530 5.7.0 Log in first' }, 'denied'],
    [{ code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 454, response: '454 4.7.0 Later' }, 'busy'],
    [{ code: 'ECONNECTION', command: 'CONN' }, 'busy'],
    [{ code: 'ECONNECTION', command: 'CONN', isBegun: true }, 'away'],
    [{ code: 'ETIMEDOUT', command: 'CONN', isBegun: true }, 'away'],
    [{}, 'busy'],
  ];
  for (const [failure, expected] of table) t.is(failureKindOf(failure), expected, JSON.stringify(failure));
});

test('createSmtpMailer classifies a server that is down, closes the connection or does not respond', async (t) => {
  const mailbox = await startMailbox();
  const control = mailboxControl(mailbox.url);
  const mailer = createSmtpMailer(mailbox.smtpUrl);
  t.teardown(async () => {
    mailer.close?.();
    await mailbox.close();
  });
  const failure = async (to = newAddress()) =>
    ((await t.throwsAsync(mailer.send(mail(to)), { instanceOf: ProviderError })) as ProviderError | undefined)?.failure;

  t.deepEqual(await mailer.send(mail()), { outcome: 'accepted' });
  const cut = newAddress();
  await control.fault({ kind: 'cut_before', recipient: cut, times: 1 });
  t.is(await failure(cut), 'away');
  await control.setDown(true);
  t.is(await failure(), 'busy');
  await control.setDown(false);
  t.deepEqual(await mailer.send(mail()), { outcome: 'accepted' });

  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const waiting = createSmtpMailer(`smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  t.teardown(() => {
    waiting.close?.();
    silent.close();
  });
  const error = await t.throwsAsync(waiting.send(mail(), AbortSignal.timeout(200)), { instanceOf: ProviderError });
  t.is((error as ProviderError).failure, 'busy');
});

const rejections: [SmtpStep, string, ProviderFailure | 'bounced'][] = [
  ['greeting', '554 5.7.1 Your network is blocked', 'busy'],
  ['EHLO', '550 5.7.1 Your name is blocked', 'busy'],
  ['STARTTLS', '502 5.5.1 Unknown', 'busy'],
  ['AUTH', '535 5.7.8 Wrong password', 'denied'],
  ['MAIL', '550 5.7.1 Not your sender', 'denied'],
  ['RCPT', '550-5.1.1 There is\n550 5.1.1 no such mailbox', 'bounced'],
  ['RCPT', '552 5.2.2 Full', 'refused'],
  ['DATA', '554 5.7.1 Not now', 'refused'],
  ['email', '554 5.7.1 Spam', 'refused'],
];
const temporary = (['greeting', 'EHLO', 'STARTTLS', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'email'] as const).map(
  (step) => [step, '451-4.3.0 Come\n451 4.3.0 back', 'busy'] as const,
);

for (const [step, response, expected] of [...rejections, ...temporary]) {
  test(`an email to a server that responds ${JSON.stringify(response)} at ${step} is ${expected}`, async (t) => {
    const offers = step === 'AUTH' ? { EHLO: '250-mail.example\n250 AUTH PLAIN' } : {};
    const server = await startScriptedSmtpServer({ ...offers, [step]: response });
    const login = step === 'AUTH' ? 'user:password@' : '';
    const mailer = createSmtpMailer(`smtp://${login}${server.host}/?requireTLS=${step === 'STARTTLS'}`);
    t.teardown(() => {
      mailer.close?.();
      server.close();
    });
    const outcome = await mailer.send(mail()).catch((error: unknown) => error);
    t.is(outcome instanceof ProviderError ? outcome.failure : (outcome as { outcome: string }).outcome, expected);
  });
}

for (const step of ['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'email'] as const) {
  const expected = step === 'email' ? 'away' : 'busy';
  test(`an email is ${expected} whose server closes the connection or stalls at ${step}`, async (t) => {
    for (const response of [null, ''] as const) {
      const server = await startScriptedSmtpServer({ [step]: response });
      const mailer = createSmtpMailer(`smtp://${server.host}`);
      t.teardown(() => {
        mailer.close?.();
        server.close();
      });
      const signal = AbortSignal.timeout(response === null ? 20_000 : 300);
      t.like(await t.throwsAsync(mailer.send(mail(), signal)), { failure: expected });
      t.is(server.emails.length, step === 'email' ? 1 : 0);
    }
  });
}

test('no password is sent to a server without TLS where SMTP_URL requires it', async (t) => {
  const server = await startScriptedSmtpServer({ EHLO: '250-mail.example\n250 AUTH PLAIN' });
  const mailer = createSmtpMailer(`smtp://user:password@${server.host}/?requireTLS=true`);
  t.teardown(() => {
    mailer.close?.();
    server.close();
  });
  t.like(await t.throwsAsync(mailer.send(mail())), { failure: 'busy' });
  t.deepEqual(
    server.commands.filter((command) => /^(AUTH|MAIL)/.test(command)),
    [],
  );
});

test('the messages of errors contain neither the email address nor the server', (t) => {
  const error = t.throws(() =>
    classifyError(Object.assign(new Error('550 ada@example.com'), rcpt(554, '554 5.7.1 <ada@example.com>: denied')), {
      isBegun: true,
    }),
  );
  t.is(error?.message, 'The mail server responded 554 5.7.1.');
});

test('createSmtpMailer rejects a sender or recipient that is not one plain email address', async (t) => {
  const mailer = createSmtpMailer('smtp://127.0.0.1:1');
  t.teardown(() => mailer.close?.());
  for (const address of [
    'nobody',
    'a@b.example, c@d.example',
    'a b@c.example',
    'a@b.example\r\nBcc: c@d.example',
    '"a"@b.example',
  ]) {
    for (const wrong of [
      { ...mail(), from: { name: 'A', address } },
      { ...mail(), to: address },
    ]) {
      t.like(await t.throwsAsync(mailer.send(wrong), { instanceOf: ProviderError }), { failure: 'refused' }, address);
    }
  }
});
