import { randomUUID } from 'node:crypto';

import test, { type ExecutionContext } from 'ava';
import { createTransport } from 'nodemailer';

import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { startMailbox } from '#src/dev/simulators/mailbox/simulator.ts';
import { only } from '#test/support/only.ts';

const mailbox = await startMailbox();
const control = mailboxControl(mailbox.url);
test.after.always(() => mailbox.close());

const from = '"Fern & Fable" <post@fernandfable.example>';

/** A mailer as the service has one, and a recipient that only this test uses. */
function correspondence(t: ExecutionContext, smtpUrl = mailbox.smtpUrl) {
  const mailer = createTransport({ url: smtpUrl, pool: true, maxConnections: 2, socketTimeout: 5000 });
  t.teardown(() => mailer.close());
  const to = `${randomUUID()}@shopper.example`;
  const send = (subject = 'Hello', changes: object = {}) =>
    mailer.sendMail({ from, to, subject, text: 'Hello there.', ...changes });
  return { to, send };
}

/** A separate mailbox, for tests that would disturb the others. */
async function ownMailbox(t: ExecutionContext, options?: Parameters<typeof startMailbox>[0]) {
  const own = await startMailbox(options);
  t.teardown(() => own.close());
  return { ...correspondence(t, own.smtpUrl), own, control: mailboxControl(own.url) };
}

test('mailbox stores a message with its headers, text and HTML', async (t) => {
  const { to, send } = correspondence(t);
  const subject = 'Your order ORD-1001 is on its way — Grüße, 日本語, and long enough to be folded';

  await send(subject, {
    text: 'Track it: https://shop.example/orders/1001?a=1&b=2\nGrüße\n',
    html: '<h1>On its way</h1><p>Grüße &amp; <a href="https://shop.example/a?token=0123456789">thanks</a></p>',
    messageId: '<ship.1001@fernandfable.example>',
    list: { unsubscribe: { url: 'https://shop.example/unsubscribe/abc', comment: 'Stop' } },
    headers: { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    attachments: [{ filename: 'terms.txt', content: 'not the text' }],
  });

  const [message, ...others] = await control.messages({ to });
  t.deepEqual(others, []);
  t.like(message, {
    from,
    to: only(to),
    subject,
    message_id: '<ship.1001@fernandfable.example>',
    text: 'Track it: https://shop.example/orders/1001?a=1&b=2\nGrüße',
    html: '<h1>On its way</h1><p>Grüße &amp; <a href="https://shop.example/a?token=0123456789">thanks</a></p>',
  });
  t.is(message?.headers['list-unsubscribe'], '<https://shop.example/unsubscribe/abc> (Stop)');
  t.is(message?.headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click');
  t.regex(await control.source(message?.id ?? ''), /^From: "Fern & Fable"/m);
});

test('mailbox stores the last messages that it has room for', async (t) => {
  const { send, control } = await ownMailbox(t, { storedMax: 2 });
  for (const subject of ['one', 'two', 'three']) await send(subject);
  t.deepEqual(
    (await control.messages()).map(({ subject }) => subject),
    ['two', 'three'],
  );
});

test('mailbox decodes long lines in both transfer encodings', async (t) => {
  const { to, send } = correspondence(t);
  const text = 'A line that is much longer than a mail may carry, with spaces where it is cut. '.repeat(5).trim();

  for (const textEncoding of ['quoted-printable', 'base64'] as const) {
    await send(textEncoding, {
      text: `${text} ü = 5`,
      html: `<p style="margin: 0 auto">${text}</p>`,
      textEncoding,
    });
    const message = await control.waitForMessage({ to, subject: textEncoding });
    t.is(message.text, `${text} ü = 5`);
    t.is(message.html, `<p style="margin: 0 auto">${text}</p>`);
  }
});

test('mailbox finds messages by recipient, subject and time', async (t) => {
  const { to, send } = correspondence(t);
  await send('First of all');
  const second = await control.waitForMessage({ to, subject: 'FIRST' });
  await send('Second thoughts', { cc: 'copy@shopper.example' });

  t.deepEqual(
    (await control.messages({ to: to.toUpperCase() })).map(({ subject }) => subject),
    ['First of all', 'Second thoughts'],
  );
  t.deepEqual((await control.messages({ to, subject: 'second' }))[0]?.to, [to, 'copy@shopper.example']);
  t.is((await control.messages({ to, since: second.received_at })).length, 2);
  t.deepEqual(await control.messages({ to, since: '2999-01-01T00:00:00Z' }), []);
});

test('waitForMessage resolves with the next message, and rejects after its timeout', async (t) => {
  const { to, send } = correspondence(t);

  await t.throwsAsync(control.waitForMessage({ to }, 20), { message: /No message arrived within 20 ms/ });
  const waited = control.waitForMessage({ to });
  await send('At last');

  t.is((await waited).subject, 'At last');
});

test('mailbox under a reject fault rejects a recipient temporarily or permanently', async (t) => {
  const { to, send } = correspondence(t);
  const other = correspondence(t);
  await control.fault({ kind: 'reject', recipient: to, code: 451, times: 1 });

  t.like(await t.throwsAsync(send()), { code: 'EENVELOPE', responseCode: 451 });
  await send('Again');
  await control.fault({
    kind: 'reject',
    recipient: to.replace(/^.{8}/, '*'),
    code: 550,
    text: 'User unknown',
  });
  t.like(await t.throwsAsync(send()), { responseCode: 550, response: '550 User unknown' });
  await t.throwsAsync(send());
  await other.send();

  t.deepEqual(
    (await control.messages({ to })).map(({ subject }) => subject),
    ['Again'],
  );
});

test('mailbox under a reject fault at data rejects a whole message', async (t) => {
  const { to, send } = correspondence(t);
  await control.fault({ kind: 'reject', recipient: to, at: 'data', code: 554, times: 1 });

  t.like(await t.throwsAsync(send()), { code: 'EMESSAGE', responseCode: 554 });

  t.deepEqual(await control.messages({ to }), []);
});

test('mailbox under cut faults disconnects before or after a message is accepted', async (t) => {
  const { to, send } = correspondence(t);

  await control.fault({ kind: 'cut_before', recipient: to, times: 1 });
  await t.throwsAsync(send('Lost'));
  await control.fault({ kind: 'cut_after', recipient: to, times: 1 });
  await t.throwsAsync(send('Kept'));
  await send('Well');

  t.deepEqual(
    (await control.messages({ to })).map(({ subject }) => subject),
    ['Kept', 'Well'],
  );
});

test('mailbox under a slow fault stores a message at once and responds late', async (t) => {
  const { to, send } = correspondence(t);
  await control.fault({ kind: 'slow', recipient: to, ms: 300, times: 1 });
  const began = performance.now();

  const sending = send();
  await control.waitForMessage({ to });
  await sending;

  t.true(performance.now() - began >= 295);
});

test('mailbox can be down, and up again on the same port', async (t) => {
  const { control, to, send } = await ownMailbox(t);
  await send('Before');

  await control.setDown(true);
  t.like(await t.throwsAsync(send()), { code: 'ESOCKET' });
  t.true((await control.counts()).down);
  await control.setDown(false);
  await send('After');

  t.deepEqual(
    (await control.messages({ to })).map(({ subject }) => subject),
    ['Before', 'After'],
  );
});

test('mailbox counts messages, and a reset deletes messages and faults', async (t) => {
  const { control, own, send } = await ownMailbox(t);
  await send();
  await control.fault({ kind: 'reject' });
  await t.throwsAsync(send());

  t.like(await control.counts(), { accepted: 1, rejected: 1, cut: 0, stored: 1, down: false });
  await control.reset();
  t.like(await control.counts(), { connections: 0, accepted: 0, rejected: 0, stored: 0 });
  await send();
  t.regex(await (await fetch(own.url)).text(), /1 message/);
});

test("mailbox page shows a message's HTML in a sandbox without scripts", async (t) => {
  const { to, send } = correspondence(t);
  await send('<b>Bold</b> & "quoted"', {
    text: 'Sign in: https://shop.example/in?token=a&x=1.',
    html: '<html><head><title>x</title></head><body><script>alert(1)</script>Hello</body></html>',
  });
  const { id } = await control.waitForMessage({ to });

  const page = await (await fetch(`${mailbox.url}/messages/${id}`)).text();
  const html = await fetch(`${mailbox.url}/messages/${id}/html`);

  t.true(page.includes('&lt;b&gt;Bold&lt;/b&gt; &amp; &quot;quoted&quot;'));
  t.true(page.includes('<a href="https://shop.example/in?token=a&amp;x=1" target="_blank"'));
  t.regex(page, /<iframe src="\/messages\/\d+\/html" sandbox="(?!.*allow-scripts)/);
  t.regex(html.headers.get('content-security-policy') ?? '', /script-src 'none'/);
  t.true((await html.text()).includes('<head><base target="_blank">'));
  t.is((await fetch(`${mailbox.url}/messages/none`)).status, 404);
});
